#include "core/schedule/directive.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace thallo {
namespace {

// Names of parts have no dots; those of what is in them neither.
TEST(MemberName, IsReadAsItIsWritten) {
  const MemberName name = parse_member_name("fit_reg_1.JtF");
  EXPECT_EQ(name.part, "fit_reg_1");
  EXPECT_EQ(name.member, "JtF");
  EXPECT_EQ(name.text(), "fit_reg_1.JtF");
  EXPECT_THROW(parse_member_name("fit"), InternalError);
}

}  // namespace
}  // namespace thallo
