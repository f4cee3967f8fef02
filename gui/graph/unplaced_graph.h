// A graph whose nodes have not been placed by `dot` yet.
#pragma once

#include <QByteArray>
#include <QStringList>

#include "gui/graph/graph_data.h"
#include "gui/problem/open_problem.h"

namespace thallo::gui {

struct UnplacedGraph {
  GraphSnapshot graph;
  QByteArray dotText;  // the input for `dot`
};

// Returns the graph under the schedule, with the nodes of these ids expanded.
Expected<UnplacedGraph> graphOf(OpenProblem& problem, const Schedule& schedule,
                                const QStringList& expanded);

}  // namespace thallo::gui
