// Texts in Opt's dialect mean what their twins in Thallo's own mean: the same cost, JᵀF, JᵀJ p and
// steps on the same data, also after they were migrated. Twins are beside the texts or those of the
// problems.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/io/file.h"
#include "core/diff/check.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/language/energy_text.h"
#include "core/language/load_energy.h"
#include "core/language/lua_front_end.h"
#include "core/solve/solver.h"
#include "tests/support/backend_test.h"
#include "tests/support/drawn_data.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, test::RandomData> OptData = {
    {"cotangent_mesh_smoothing", {{{"N", 30}, {"G", 6}}, {}}},
    {"curve", {{{"U", 1}, {"P", 9}, {"G", 12}}, {{"params", {0.5, 1.5}}}}},
    {"grid_graph",
     {{{"W", 5}, {"H", 4}, {"N", 6}, {"G", 7}, {"K", 3}}, {{"Y", {0.1, 1}}, {"A", {0.05, 1}}}}},
    {"image_warping", {{{"W", 6}, {"H", 5}}, {{"Mask", {0, 0.8}}, {"Constraints", {-0.5, 2}}}}},
    {"intrinsic_image_decomposition", {{}, {{"p_norm", {0.8, 0.8}}}}},
    {"poisson_image_editing", {{{"W", 6}, {"H", 5}}, {}}},
    {"printed", {{{"W", 6}, {"H", 5}, {"N", 7}, {"Edges", 9}}, {}}},
    {"shape_from_shading",
     {{{"W", 5}, {"H", 5}},
      {{"X", {0.05, 0.06}}, {"D", {0.05, 0.06}}, {"edgeMaskR", {1, 1}}, {"edgeMaskC", {1, 1}}}}},
    {"smoothing", {{{"W", 7}, {"H", 5}}, {}}},
    {"volumetric_mesh_deformation", {{{"W", 3}, {"H", 2}, {"D", 3}}, {}}},
};

std::vector<fs::path> texts_of_opt() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(fs::path(THALLO_SOURCE_DIR) / "tests/language/opt"))
    if (entry.path().extension() == ".t") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

fs::path twin_of(const fs::path& text) {
  const fs::path beside = fs::path(text).replace_extension(".lua");
  if (fs::exists(beside)) return beside;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(THALLO_SOURCE_DIR) / "problems"))
    if (entry.path().filename() == beside.filename()) return entry.path();
  return {};
}

// The same data for a twin, whose dims and maps have other names and the same order. Constant views
// and extents of dims that one of them does not have are left out.
Binding with_names_of(const Energy& twin, const Energy& energy, const Binding& binding) {
  Binding result(twin);
  const auto expect = [](const Expected<void>& done) {
    if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
  };
  if (twin.dims().size() != energy.dims().size() || twin.maps().size() != energy.maps().size())
    throw InternalError("the twin has other dims or maps", __FILE__, __LINE__);
  for (std::size_t i = 0; i < twin.dims().size(); ++i)
    expect(result.set_extent(twin.dims()[i].name, binding.extent(DimId(i))));
  for (std::size_t i = 0; i < twin.maps().size(); ++i)
    expect(result.set_map(twin.maps()[i].name, binding.map(MapId(i))));
  for (const Field& field : twin.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    const FieldId own = energy.find_field(field.name);
    if (!own.valid()) throw InternalError("no field " + field.name, __FILE__, __LINE__);
    if (field.kind == FieldKind::Param) {
      expect(result.set_param(field.name, binding.param(own)));
    } else {
      expect(result.set_field(field.name, binding.field(own)));
    }
  }
  expect(result.validate(twin));
  return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 1e-30;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * largest) << "entry " << i;
}

// The costs of five steps.
std::vector<double> five_steps(const Energy& energy, const Binding& binding) {
  const auto executable = test::interpreted(
      energy, default_plan(energy), {SolverKind::LevenbergMarquardt, jacobi_preconditioner()});
  EXPECT_TRUE(executable->bind(binding));
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.preconditioner = "jacobi";
  options.num_iterations = 5;
  options.trust_region_radius = 1e-2;
  std::vector<double> costs;
  const auto summary = solve(*executable, options, [&](const IterationRecord& record) {
    costs.push_back(record.cost);
    return AfterIteration::GoOn;
  });
  EXPECT_TRUE(summary) << summary.error().message();
  return costs;
}

void expect_equal_meaning(const Energy& a, const Binding& of_a, const Energy& b,
                          const Binding& of_b) {
  EnergyEvaluator evaluator_a(a, of_a), evaluator_b(b, of_b);
  const Linearization linear_a = evaluator_a.linearize(), linear_b = evaluator_b.linearize();
  EXPECT_NEAR(linear_a.cost(), linear_b.cost(), 1e-12 * linear_a.cost());
  EXPECT_EQ(evaluator_a.excluded(), evaluator_b.excluded());
  const std::vector<double> jtf = linear_a.jtf();
  expect_near(jtf, linear_b.jtf(), 1e-11);
  std::vector<double> p(jtf.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::sin(1.0 + static_cast<double>(i));
  expect_near(linear_a.jtjp(p), linear_b.jtjp(p), 1e-11);
  expect_near(five_steps(a, of_a), five_steps(b, of_b), 1e-8);
}

class OptDialect : public testing::TestWithParam<fs::path> {};

TEST_P(OptDialect, MeansWhatItsTwinMeans) {
  const auto file = load_energy(GetParam());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->schedule_name, "opt");
  const auto data = OptData.find(file->energy.name());
  const Binding binding =
      test::draw_data(file->energy, data == OptData.end() ? test::RandomData{} : data->second);
  EXPECT_GT(EnergyEvaluator(file->energy, binding).cost(), 0);

  const CheckResult check = check_derivatives(file->energy, binding, {.max_points_per_group = 6});
  EXPECT_LT(check.worst_relative_error, 1e-6) << check.brief();

  const auto twin = load_energy(twin_of(GetParam()));
  ASSERT_TRUE(twin) << twin.error().message();
  EXPECT_EQ(file->defaults.use_preconditioner, twin->defaults.use_preconditioner);
  expect_equal_meaning(file->energy, binding, twin->energy,
                       with_names_of(twin->energy, file->energy, binding));
}

TEST_P(OptDialect, MeansTheSameAfterItWasMigrated) {
  const auto file = load_energy(GetParam());
  ASSERT_TRUE(file) << file.error().message();
  const auto text = energy_text(file->energy, file->defaults);
  ASSERT_TRUE(text) << text.error().message();
  const auto migrated = load_energy_text(*text, file->energy.name() + ".lua");
  ASSERT_TRUE(migrated) << migrated.error().message() << "\n" << *text;
  EXPECT_EQ(migrated->schedule_name, "");
  EXPECT_EQ(file->defaults.use_preconditioner, migrated->defaults.use_preconditioner);
  for (const Field& field : migrated->energy.fields())
    if (field.kind != FieldKind::Intermediate) {
      const FieldId own = file->energy.find_field(field.name);
      ASSERT_TRUE(own.valid()) << field.name;
      EXPECT_EQ(field.slot, file->energy.field(own).slot) << field.name;
    }
  const auto data = OptData.find(file->energy.name());
  const Binding binding =
      test::draw_data(file->energy, data == OptData.end() ? test::RandomData{} : data->second);
  expect_equal_meaning(file->energy, binding, migrated->energy,
                       with_names_of(migrated->energy, file->energy, binding));
}

INSTANTIATE_TEST_SUITE_P(Texts, OptDialect, testing::ValuesIn(texts_of_opt()),
                         [](const auto& tested) { return tested.param.stem().string(); });

// The cost of smoothing.t from its meaning: a residual of a pixel is left out where its box leaves
// the image or the pixel is excluded, and what is read outside is 0 where InBounds is mentioned.
TEST(OptDialectSemantics, BoundsAndExclusionsAreThoseOfADirectEvaluation) {
  const auto file = load_energy(fs::path(THALLO_SOURCE_DIR) / "tests/language/opt/smoothing.t");
  ASSERT_TRUE(file) << file.error().message();
  const Energy& energy = file->energy;
  constexpr int W = 7, H = 5;
  const Binding binding = test::draw_data(energy, {{{"W", W}, {"H", H}}, {}});
  const auto read = [&](const char* name, int x, int y) {
    if (x < 0 || y < 0 || x >= W || y >= H) return 0.0;
    return binding.field(energy.find_field(name)).value(static_cast<std::size_t>(x + W * y));
  };
  const auto X = [&](int x, int y) { return read("X", x, y); };
  const auto L = [&](int x, int y) { return X(x - 1, y) + X(x + 1, y) - 2 * X(x, y); };
  const double w = binding.param(energy.find_field("w"));
  double sum = 0;
  int num_excluded = 0;
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W; ++x) {
      if (read("Mask", x, y) == 1) {
        ++num_excluded;
        continue;
      }
      sum += std::pow(w * (X(x, y) - read("A", x, y)), 2);
      if (x + 1 < W) sum += std::pow(X(x, y) - X(x + 1, y), 2);
      if (y + 2 < H) sum += std::pow(X(x, y) - X(x, y + 2), 2);
      if (x >= 1 && x + 1 < W && y + 1 < H) sum += std::pow(L(x, y + 1) - L(x, y), 2);
      sum += std::pow(X(x, y) - X(x, y - 1), 2);
    }
  }
  EXPECT_GT(num_excluded, 0);
  EXPECT_LT(num_excluded, W * H);
  EnergyEvaluator evaluator(energy, binding);
  EXPECT_NEAR(evaluator.cost(), sum / 2, 1e-12 * sum);
  const std::vector<std::uint8_t> excluded = evaluator.excluded();
  EXPECT_EQ(std::ranges::count(excluded, 1), num_excluded);
}

// Published data mark missing constraints by -infinity. What reads one is masked, entry by entry,
// and no product of the compiled solver may let it through.
TEST(OptDialectSemantics, MissingDataStayBehindTheirMasks) {
  const auto file =
      load_energy(fs::path(THALLO_SOURCE_DIR) / "tests/language/opt/robust_nonrigid_alignment.t");
  ASSERT_TRUE(file) << file.error().message();
  const Energy& energy = file->energy;
  Binding binding = test::draw_data(energy, {});
  HostArray& constraints = binding.field(energy.find_field("Constraints"));
  for (std::size_t i = 3; i < 6; ++i)
    constraints.set_value(i, -std::numeric_limits<double>::infinity());
  ASSERT_TRUE(std::isfinite(EnergyEvaluator(energy, binding).cost()));
  const auto executable = test::interpreted(
      energy, default_plan(energy), {SolverKind::LevenbergMarquardt, jacobi_preconditioner()});
  const auto errors = OperatorTruth(energy, binding).errors_of(*executable, 1);
  EXPECT_LT(errors.worst(), 1e-11) << errors.text();
  const std::vector<double> costs = five_steps(energy, binding);
  ASSERT_EQ(costs.size(), 6u);
  EXPECT_LT(costs.back(), costs.front());
}

// The blocks of docs/migrating.md: a text of Opt, what it migrates to, and one that means the same.
// THALLO_UPDATE_GOLDEN=1 writes the second.
TEST(OptDialectPage, ItsExampleIsTrue) {
  const fs::path path = fs::path(THALLO_SOURCE_DIR) / "docs/migrating.md";
  std::string page = *read_file(path);
  const auto block_of = [&](const std::string& kind) {
    const std::size_t begin = page.find("```lua " + kind + "\n") + kind.size() + 8;
    return std::pair(begin, page.find("```\n", begin) - begin);
  };
  const auto text_of = [&](const std::string& kind) {
    const auto [begin, size] = block_of(kind);
    return page.substr(begin, size);
  };
  const auto opt = load_energy_text(text_of("opt"), "smooth.t");
  ASSERT_TRUE(opt) << opt.error().message();
  const std::string migrated = *energy_text(opt->energy, opt->defaults);
  if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
    const auto [begin, size] = block_of("migrated");
    page.replace(begin, size, migrated);
    ASSERT_TRUE(write_file(path, page));
  }
  EXPECT_EQ(text_of("migrated"), migrated);
  const auto own = load_energy_text(text_of("energy"), "smooth.lua");
  ASSERT_TRUE(own) << own.error().message();
  const Binding binding = test::draw_data(opt->energy, {});
  expect_equal_meaning(opt->energy, binding, own->energy,
                       with_names_of(own->energy, opt->energy, binding));
}

// The dialect is shown by the text, wherever its first sign stands.
TEST(OptDialectSigns, DecideTheFrontEnd) {
  FrontEndRegistry front_ends("front end");
  add_front_ends(front_ends);
  const auto reads = [&](const char* path, const std::string& text) {
    const auto found = find_front_end(front_ends, path, text);
    return found ? std::string((*found)->name()) : found.error().message();
  };
  EXPECT_EQ(reads("a.t", "Energy(X(0))"), "opt");
  EXPECT_EQ(reads("a.lua", "local w = Param('w', float, 0)"), "opt");
  EXPECT_EQ(reads("a.t", "local W = opt.Dim(\"W\", 0)"), "opt");
  EXPECT_EQ(reads("a.t", "local t = opt_float3"), "opt");
  EXPECT_EQ(reads("a.t", "local W = Dims 'W' Energy(1)"), "lua");
  EXPECT_EQ(reads("a.t", "Inputs { X = Unknown(float, {W}, 0) } X:Exclude(c)"), "lua");
  EXPECT_EQ(reads("a.t", "-- Energy(X(0))\nlocal s = 'Graph(1)'"), "lua");
  EXPECT_EQ(reads("a.t", "local function Energy(x) return x end\nResiduals { r = Energy(X(i)) }"),
            "lua");
  EXPECT_EQ(reads("a.t", ""), "lua");
}

}  // namespace
}  // namespace thallo
