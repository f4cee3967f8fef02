// Where libceres-dev is not installed: tests that need it skip.
#include "core/base/error.h"
#include "tests/support/ceres_oracle.h"
#include "tests/support/ceres_pose_graph.h"

namespace thallo::test {

bool has_ceres() { return false; }

CeresResult minimize_with_ceres(const Energy&, const Binding&, const CeresOptions&) {
  THALLO_UNREACHABLE();
}

CeresResult minimize_pose_graph_with_ceres(const PoseGraph&, const CeresOptions&) {
  THALLO_UNREACHABLE();
}

}  // namespace thallo::test
