#include "tests/lint/include_rules.h"

#include <gmock/gmock.h>

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::Optional;

std::optional<std::string> fault_of(std::string_view path, std::string_view include) {
  const bool quoted = include.starts_with('"');
  return find_fault(path, {std::string(include.substr(1, include.size() - 2)), quoted, 7});
}

TEST(IncludeRules, AllowDownwardAndRefuseUpwardIntoPrivateFolders) {
  EXPECT_EQ(fault_of("core/kernel/lower.cpp", "\"core/ir/graph.h\""), std::nullopt);
  EXPECT_EQ(fault_of("core/ir/graph.cpp", "\"core/ir/graph.h\""), std::nullopt);
  EXPECT_EQ(
      fault_of("core/ir/graph.h", "\"core/kernel/lower.h\""),
      "core/ir/graph.h:7 includes core/kernel/lower.h: core/kernel lies above core/ir; include "
      "downward only");
  EXPECT_THAT(fault_of("core/base/log.h", "\"core/ir/graph.h\""), Optional(HasSubstr("above")));
  EXPECT_THAT(fault_of("core/ir/graph.h", "\"problems/curve_fit/nist.h\""),
              Optional(HasSubstr("core includes its layers only")));
  EXPECT_THAT(fault_of("core/misc/a.h", "\"core/base/id.h\""), Optional(HasSubstr("is no layer")));
  EXPECT_EQ(fault_of("core/kernel/emit/body.cpp", "\"core/kernel/emit/context.h\""), std::nullopt);
  EXPECT_EQ(fault_of("core/kernel/emit.cpp", "\"core/kernel/emit/cuda.h\""), std::nullopt);
  EXPECT_EQ(fault_of("core/backend/backend.h", "\"core/kernel/bind/sizes.h\""), std::nullopt);
  EXPECT_EQ(fault_of("core/kernel/emit.h", "\"core/kernel/emit/cuda.h\""),
            "core/kernel/emit.h:7 includes core/kernel/emit/cuda.h: core/kernel/emit/ is private; "
            "only it and the sources of core/kernel/ include its headers");
  for (const char* path : {"core/kernel/emit/body.cpp", "core/kernel/bind/tables.cpp",
                           "core/backend/cuda/compile.cpp", "plugins/block/block.cpp"}) {
    EXPECT_THAT(fault_of(path, "\"core/kernel/codegen/body_builder.h\""),
                Optional(HasSubstr("is private")));
  }
  EXPECT_EQ(fault_of("tests/cuda/small_program.h", "\"core/kernel/lowering/program_builder.h\""),
            std::nullopt);
  EXPECT_EQ(fault_of("problems/curve_fit/nist.cpp", "\"problems/curve_fit/nist.h\""), std::nullopt);
  EXPECT_EQ(fault_of("problems/curve_fit/nist.cpp", "\"core/problem/problem.h\""), std::nullopt);
  EXPECT_THAT(fault_of("problems/curve_fit/nist.cpp", "\"problems/image_warping/a.h\""),
              Optional(HasSubstr("never include each other")));
  EXPECT_THAT(fault_of("plugins/materialize.cpp", "\"plugins/order.h\""),
              Optional(HasSubstr("never include each other")));
  EXPECT_THAT(fault_of("plugins/materialize.cpp", "\"core/backend/cuda/driver.h\""),
              Optional(HasSubstr("public core headers only")));
  EXPECT_EQ(fault_of("tests/problems/nist_test.cpp", "\"problems/curve_fit/nist.h\""),
            std::nullopt);
}

TEST(IncludeRules, KeepTheLayersOfTheApp) {
  EXPECT_EQ(fault_of("gui/schedule/site_lists.h", "\"core/explore/space/choice_sites.h\""),
            std::nullopt);
  EXPECT_EQ(fault_of("gui/workspace/view/page.h", "\"gui/base/remote.h\""), std::nullopt);
  EXPECT_EQ(fault_of("gui/space/space_model.h", "\"gui/problem/problem_model.h\""), std::nullopt);
  EXPECT_THAT(fault_of("gui/widgets/theme.h", "\"gui/space/view/space_page.h\""),
              Optional(HasSubstr("gui/space/view/ lies above gui/widgets/")));
  EXPECT_THAT(fault_of("gui/problem/problem_model.h", "\"gui/schedule/schedule_data.h\""),
              Optional(HasSubstr("gui/schedule/ lies above gui/problem/")));
  EXPECT_THAT(fault_of("gui/widgets/plot.h", "\"gui/space/space_data.h\""),
              Optional(HasSubstr("widgets know no feature")));
  EXPECT_EQ(fault_of("gui/graph/view/graph_page.h", "\"gui/workspace/view/page.h\""), std::nullopt);
  EXPECT_THAT(
      fault_of("gui/kernels/view/kernels_page.h", "\"gui/schedule/view/comparison_view.h\""),
      Optional(HasSubstr("views do not know each other")));
  EXPECT_THAT(fault_of("gui/workspace/view/page.h", "\"gui/graph/view/graph_page.h\""),
              Optional(HasSubstr("views do not know each other")));
  EXPECT_EQ(fault_of("core/explore/report/report.h", "\"core/cost/autoschedule/autoschedule.h\""),
            std::nullopt);
  EXPECT_EQ(fault_of("gui/workspace/view/page.h", "<QWidget>"), std::nullopt);
  EXPECT_THAT(fault_of("gui/schedule/site_lists.h", "\"gui/workspace/view/page.h\""),
              Optional(HasSubstr("gui/workspace/view/ lies above gui/schedule/")));
  EXPECT_THAT(fault_of("gui/workspace/view/page.cpp", "\"core/schedule/plan.h\""),
              Optional(HasSubstr("they include no header of core")));
  EXPECT_THAT(fault_of("gui/app/main.cpp", "\"core/cli/session.h\""),
              Optional(HasSubstr("beside core/cli")));
  EXPECT_THAT(fault_of("gui/misc/a.h", "\"gui/jobs/job_runner.h\""),
              Optional(HasSubstr("no folder of the app")));
  EXPECT_THAT(fault_of("core/base/log.h", "\"gui/jobs/job_runner.h\""),
              Optional(HasSubstr("core includes its layers only")));
  EXPECT_EQ(fault_of("gui/widgets/qcp.h", "<qcustomplot.h>"), std::nullopt);
  EXPECT_THAT(fault_of("gui/space/view/space_page.cpp", "<qcustomplot.h>"),
              Optional(HasSubstr("only gui/widgets/qcp.h includes QCustomPlot")));
}

TEST(IncludeRules, KeepLibrariesInTheirPlaceAndOutOfHeaders) {
  EXPECT_EQ(fault_of("core/backend/cuda/driver.h", "<cuda.h>"), std::nullopt);
  EXPECT_THAT(fault_of("core/backend/backend.h", "<cuda.h>"),
              Optional(HasSubstr("only core/backend/cuda/ includes CUDA")));
  EXPECT_EQ(fault_of("core/language/state.h", "<lua.h>"), std::nullopt);
  EXPECT_THAT(fault_of("core/cli/main.cpp", "<lauxlib.h>"), Optional(HasSubstr("includes Lua")));
  EXPECT_THAT(fault_of("core/linear/sparse_cholesky.cpp", "<dmumps_c.h>"),
              Optional(HasSubstr("only plugins/multifrontal_cholesky/ includes MUMPS")));
  EXPECT_EQ(fault_of("core/explore/store/sqlite/database.cpp", "<sqlite3.h>"), std::nullopt);
  EXPECT_THAT(fault_of("core/explore/store/store.cpp", "<sqlite3.h>"),
              Optional(HasSubstr("only core/explore/store/sqlite/ includes SQLite")));
  EXPECT_EQ(fault_of("core/cli/cli.cpp", "<CLI/CLI.hpp>"), std::nullopt);
  EXPECT_THAT(fault_of("core/problem/driver.cpp", "<CLI/CLI.hpp>"), Optional(HasSubstr("CLI11")));
  EXPECT_EQ(fault_of("core/base/log.cpp", "<spdlog/spdlog.h>"), std::nullopt);
  EXPECT_THAT(fault_of("core/base/log.h", "<spdlog/spdlog.h>"), Optional(HasSubstr("spdlog")));
  EXPECT_THAT(fault_of("core/ir/graph.cpp", "<QString>"), Optional(HasSubstr("Qt")));
  for (const char* include : {"<nlohmann/json.hpp>", "<boost/graph/adjacency_list.hpp>",
                              "<Eigen/Core>", "<nanoflann.hpp>"}) {
    EXPECT_EQ(fault_of("core/solve/dense.cpp", include), std::nullopt);
    EXPECT_THAT(fault_of("core/solve/dense.h", include), Optional(HasSubstr(".cpp files only")));
  }
  EXPECT_EQ(fault_of("tests/cli/cli_test.h", "<nlohmann/json_fwd.hpp>"), std::nullopt);
  EXPECT_EQ(fault_of("core/problem/run_fields.h", "\"core/base/json_fields.h\""), std::nullopt);
  EXPECT_EQ(fault_of("core/base/json_fields.h", "<nlohmann/json.hpp>"), std::nullopt);
  EXPECT_THAT(fault_of("core/problem/driver.h", "\"core/problem/run_fields.h\""),
              Optional(HasSubstr(".cpp files only")));
  EXPECT_THAT(fault_of("core/ir/graph.cpp", "\"graph.h\""), Optional(HasSubstr("repository root")));
}

TEST(Includes, AreFoundWithTheirLines) {
  const auto includes = find_includes(
      "#pragma once\n#include <vector>\n  #  include \"core/a.h\"\n"
      "// #include <map>\nint include;");
  ASSERT_EQ(includes.size(), 2u);
  EXPECT_EQ(includes[0].target, "vector");
  EXPECT_FALSE(includes[0].quoted);
  EXPECT_EQ(includes[1].target, "core/a.h");
  EXPECT_EQ(includes[1].line, 3);
}

TEST(Layers, EveryIncludeFollowsTheRules) {
  if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  const auto files = read_sources({"core", "plugins", "problems", "gui", "tests"});
  EXPECT_GT(files.size(), 50u) << "the tree was not read";
  for (const SourceFile& file : files) {
    for (const Include& include : find_includes(file.content)) {
      if (const auto fault = find_fault(file.path, include)) ADD_FAILURE() << *fault;
    }
  }
}

}  // namespace
}  // namespace thallo::test
