// The library exports the functions of thallo.h, under their version, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "core/c/thallo.h"
#include "tests/support/subprocess.h"

namespace thallo::test {
namespace {

TEST(CExports, AreTheFunctionsOfTheHeader) {
  const ProcessResult symbols = run_process(
      {"/usr/bin/nm", "-D", "--defined-only", "--with-symbol-versions", THALLO_C_LIBRARY}, {});
  if (symbols.exit_code != 0) GTEST_SKIP() << "no nm: " << symbols.err;
  std::istringstream lines(symbols.out);
  std::set<std::string> functions;
  for (std::string address, kind, name; lines >> address >> kind >> name;) {
    if (kind == "A") continue;  // the version itself
    const std::size_t at = name.find("@@THALLO_C_0.1");
    EXPECT_NE(at, std::string::npos) << name;
    functions.insert(name.substr(0, at));
  }
  EXPECT_EQ(functions.size(), 20);
  for (const std::string& name : functions) EXPECT_TRUE(name.starts_with("thallo_")) << name;
  EXPECT_TRUE(functions.contains("thallo_solve"));
}

TEST(CExports, HaveAVersion) { EXPECT_STREQ(thallo_version(), "0.1.0"); }

}  // namespace
}  // namespace thallo::test
