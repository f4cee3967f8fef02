#include "core/base/id.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace thallo {
namespace {

using NodeId = Id<struct NodeTag>;

TEST(Id, IsAnIndexInItsOwnType) {
  EXPECT_FALSE(NodeId().valid());
  EXPECT_TRUE(NodeId(0).valid());
  EXPECT_LT(NodeId(1), NodeId(2));
  EXPECT_EQ(NodeId(7), NodeId(7));
  EXPECT_LT(NodeId(7), NodeId()) << "invalid sorts last";
  const std::unordered_set<NodeId> ids = {NodeId(1), NodeId(2), NodeId(1)};
  EXPECT_EQ(ids.size(), 2u);
}

}  // namespace
}  // namespace thallo
