#include "gui/app/pages.h"

#include "gui/views/graph_page.h"
#include "gui/views/kernels_page.h"
#include "gui/views/problem_page.h"
#include "gui/views/schedule_page.h"
#include "gui/views/solve_page.h"
#include "gui/views/space_page.h"

namespace thallo::gui {

std::vector<Page*> makePages(Workspace& workspace) {
  return {new ProblemPage(workspace), new GraphPage(workspace), new SchedulePage(workspace),
          new KernelsPage(workspace), new SpacePage(workspace), new SolvePage(workspace)};
}

}  // namespace thallo::gui
