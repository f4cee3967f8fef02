#include "gui/app/pages.h"

#include "gui/graph/view/graph_page.h"
#include "gui/kernels/view/kernels_page.h"
#include "gui/problem/view/problem_page.h"
#include "gui/schedule/view/schedule_page.h"
#include "gui/solve/view/solve_page.h"
#include "gui/space/view/space_page.h"
#include "gui/workspace/view/linked_page.h"

namespace thallo::gui {

std::vector<Page*> makePages(Workspace& workspace) {
  return {new ProblemPage(workspace), new GraphPage(workspace), new SchedulePage(workspace),
          new KernelsPage(workspace), new SpacePage(workspace), new SolvePage(workspace),
          new LinkedPage(workspace)};
}

}  // namespace thallo::gui
