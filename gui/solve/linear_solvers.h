// What can be chosen for the linear solve of a step: solvers of Thallo and of plugins, and
// preconditioners.
#pragma once

#include <vector>

#include <QString>

namespace thallo {
class Session;
}

namespace thallo::gui {

struct SolverChoice {
  QString value;  // of the solver option; empty: the option is not set
  QString label, doc;
};

std::vector<SolverChoice> linearSolverChoices(Session& session);
std::vector<SolverChoice> preconditionerChoices(Session& session);

}  // namespace thallo::gui
