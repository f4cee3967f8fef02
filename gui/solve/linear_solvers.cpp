#include "gui/solve/linear_solvers.h"

#include <QObject>

#include "core/plugin/session.h"
#include "core/solve/options.h"
#include "gui/base/text.h"

namespace thallo::gui {

namespace {

// The option unset, and all items of a registry.
template <class T>
std::vector<SolverChoice> choices(const Registry<T>& registry, const QString& unset,
                                  const QString& doc) {
  std::vector<SolverChoice> choices = {{{}, unset, doc}};
  for (const auto* entry : registry.entries())
    choices.push_back({toQt(entry->name), toQt(entry->name), toQt(entry->item->doc())});
  return choices;
}

}  // namespace

std::vector<SolverChoice> linearSolverChoices(Session& session) {
  return choices(
      *session.solver_parts().linear_solvers, QObject::tr("linear solver: chosen"),
      QObject::tr("As the problem wants or, if it says nothing, the one that is expected to take "
                  "the least time. A finished run says which one and why."));
}

std::vector<SolverChoice> preconditionerChoices(Session& session) {
  return choices(*session.solver_parts().preconditioners, QObject::tr("preconditioner: chosen"),
                 QObject::tr("As the energy asks for, else jacobi"));
}

}  // namespace thallo::gui
