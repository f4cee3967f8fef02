#include "gui/solve/linear_solvers.h"

#include <QObject>

#include "core/linear/linear_solver.h"
#include "core/plugin/session.h"
#include "core/solve/options.h"
#include "gui/base/text.h"

namespace thallo::gui {

std::vector<SolverChoice> linearSolverChoices(Session& session) {
  std::vector<SolverChoice> choices = {
      {{},
       QObject::tr("linear solver: chosen"),
       QObject::tr("As the problem wants or, if it says nothing, the one that is expected to take "
                   "the least time. A finished run says which one and why.")}};
  for (const auto* entry : session.linear_solvers().entries())
    choices.push_back(
        {toQt(entry->item->name()), toQt(entry->item->name()), toQt(entry->item->doc())});
  return choices;
}

std::vector<SolverChoice> preconditionerChoices() {
  const auto choice = [](PreconditionerKind kind, const QString& doc) {
    return SolverChoice{toQt(to_string(kind)), toQt(to_string(kind)), doc};
  };
  return {{{},
           QObject::tr("preconditioner: chosen"),
           QObject::tr("As the energy asks for, else jacobi")},
          choice(PreconditionerKind::None,
                 QObject::tr("The cheapest iterations, and the most of them")),
          choice(PreconditionerKind::Jacobi,
                 QObject::tr("Divides by the diagonal: for unknowns of different scales")),
          choice(PreconditionerKind::BlockJacobi,
                 QObject::tr("Inverts the block of each element, such as a camera: fewer "
                             "iterations where its channels depend on each other")),
          choice(PreconditionerKind::Multigrid,
                 QObject::tr("Corrects on coarser and coarser grids: for images and volumes, "
                             "where it takes a few iterations to the answer instead of hundreds"))};
}

}  // namespace thallo::gui
