// The library exports the functions of thallo.h, under their version, and nothing else.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "core/base/io/file.h"
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
  std::set<std::string> declared;
  const std::string header = *read_file(THALLO_C_HEADER);
  const std::regex declaration("THALLO_API [a-z_ ]+\\*? ?(thallo_[a-z_]+)\\(");
  for (auto it = std::sregex_iterator(header.begin(), header.end(), declaration);
       it != std::sregex_iterator(); ++it)
    declared.insert((*it)[1]);
  EXPECT_TRUE(declared.contains("thallo_solve"));
  EXPECT_EQ(functions, declared);
}

TEST(CExports, HaveAVersion) { EXPECT_STREQ(thallo_version(), "0.2.0"); }

}  // namespace
}  // namespace thallo::test
