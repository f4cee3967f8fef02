#include "core/cli/commands/problem_skeleton.h"

namespace thallo::cli {
namespace {

// After SkeletonCMakeHead.
constexpr const char* ProblemCMake =
    R"(# Makes build/lib/thallo/problems/@NAME@.thallo.so and copies the energy beside it.
thallo_add_problem(@NAME@ SOURCES @NAME@.cpp ENERGIES @NAME@.lua)

# The problem reaches what it promises (see report()), and its derivatives are right.
enable_testing()
set(thallo thallo::thallo --plugin-path $<TARGET_FILE_DIR:problem_@NAME@>)
add_test(NAME solve COMMAND ${thallo} solve @NAME@ --backend cpu)
add_test(NAME check COMMAND ${thallo} check @NAME@ --size 8)
)";

constexpr const char* ProblemEnergy = R"(-- @NAME@: the picture that is near to A and smooth.
--
--   E(X) = 1/2 sum_p |X(p) - A(p)|^2 + 1/2 sum_p sum_q w^2 |X(p) - X(q)|^2
--
-- p runs over the pixels, q over the neighbors of p to the right and below.

local W, H = Dims("W", "H")

Inputs {
  X = Unknown(float, {W, H}),  -- the picture that is solved for
  A = Array(float, {W, H}),    -- the one that is given
  w = Param(float),            -- how smooth
}

local x, y = W(), H()

local function difference(dx, dy)
  return Select(InBounds(x + dx, y + dy), w * (X(x, y) - X(x + dx, y + dy)), 0)
end

Residuals {
  fit    = X(x, y) - A(x, y),
  smooth = {difference(1, 0), difference(0, 1)},
}
)";

constexpr const char* ProblemSource =
    R"text(// @NAME@: makes a noisy picture smooth. The energy is @NAME@.lua.
//
//   option      default  what
//   file        ""       a picture; "" = a drawn disc with noise
//   size        64       drawn disc: pixels in width and height
//   smoothness  0.5      the w of the energy
//
// The report has the picture before and after. For the drawn disc, whose true values are
// known, it also says how far both are from them; a run that does not come nearer falls
// short.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/language/load_energy.h"
#include "core/plugin/abi.h"
#include "core/problem/problem.h"

namespace {

struct Pictures : thallo::InstanceData {
  thallo::Image given;
  thallo::Image truth;  // empty when it is not known
  thallo::FieldId unknown;
};

void draw_disc(int size, Pictures& pictures) {
  pictures.truth = thallo::Image(size, size, 1);
  pictures.given = thallo::Image(size, size, 1);
  std::mt19937 random(1);  // the same picture in every run
  std::normal_distribution<float> noise(0, 0.1f);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const bool inside = std::hypot(2 * x - size, 2 * y - size) < 0.7 * size;
      pictures.truth.at(x, y) = inside ? 0.8f : 0.2f;
      pictures.given.at(x, y) = pictures.truth.at(x, y) + noise(random);
    }
  }
}

double rms_difference(const thallo::Image& a, const thallo::Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) sum += std::pow(a.data[i] - b.data[i], 2);
  return std::sqrt(sum / static_cast<double>(a.data.size()));
}

class @CLASS@Problem : public thallo::Problem {
 public:
  explicit @CLASS@Problem(std::filesystem::path energy_file)
      : energy_file_(std::move(energy_file)) {}

  thallo::ProblemInfo info() const override {
    return {"@NAME@", "Smoothing of a picture", "", "a stencil over one image"};
  }

  // Each becomes an option of `thallo solve @NAME@`.
  std::vector<thallo::OptionSpec> options() const override {
    return {{.name = "file",
             .default_value = std::string(),
             .doc = "A picture; without it a disc is drawn.",
             .is_file = true},
            {.name = "size",
             .default_value = std::int64_t{64},
             .doc = "Drawn disc: pixels in width and height.",
             .minimum = 2,
             .maximum = 16384},
            {.name = "smoothness",
             .default_value = 0.5,
             .doc = "Weight of the differences of neighbors.",
             .minimum = 0}};
  }

  thallo::Expected<thallo::EnergyFile> energy(const thallo::Options& /*options*/) const override {
    return thallo::load_energy(energy_file_);
  }

  thallo::Expected<thallo::Instance> instantiate(
      const thallo::Energy& energy, const thallo::Options& options) const override {
    auto pictures = std::make_shared<Pictures>();
    const auto file = options.value_or<std::string>("file", "");
    if (file.empty()) {
      draw_disc(static_cast<int>(options.value_or<std::int64_t>("size", 64)), *pictures);
    } else {
      const auto image = thallo::read_image(file);
      if (!image) return fail(image.error());
      pictures->given = thallo::to_gray(*image);
    }
    pictures->unknown = energy.find_field("X");

    const thallo::Image& given = pictures->given;
    thallo::Instance instance(energy);
    auto bound = instance.binding.set_extent("W", given.width);
    if (bound) bound = instance.binding.set_extent("H", given.height);
    if (bound) bound = instance.binding.set_field("X", given.data);  // the start
    if (bound) bound = instance.binding.set_field("A", given.data);
    if (bound)
      bound = instance.binding.set_param("w", options.value_or<double>("smoothness", 0.5));
    if (!bound) return fail(bound.error());

    instance.solver.num_iterations = 1;  // the energy is quadratic
    instance.solver.num_linear_iterations = 100;
    instance.title = file.empty() ? "drawn disc" : std::filesystem::path(file).filename().string();
    instance.data = std::move(pictures);
    return instance;
  }

  thallo::Report report(const thallo::Instance& instance,
                        const thallo::Solution& /*solution*/) const override {
    const auto& pictures = dynamic_cast<const Pictures&>(*instance.data);
    const std::vector<double> values = instance.binding.field(pictures.unknown).to_doubles();
    thallo::Image solved(pictures.given.width, pictures.given.height, 1);
    solved.data.assign(values.begin(), values.end());

    thallo::Report report;
    report.images.push_back({"before", "The picture that was given", pictures.given});
    report.images.push_back({"after", "The smooth picture", solved});
    if (!pictures.truth.data.empty()) {
      const double before = rms_difference(pictures.given, pictures.truth);
      const double after = rms_difference(solved, pictures.truth);
      report.metrics = {{"RMS error before", before, ""}, {"RMS error after", after, ""}};
      if (after >= before)
        report.shortfall = "the picture is no nearer to the true one than before";
    }
    return report;
  }

 private:
  std::filesystem::path energy_file_;
};

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<thallo::Problem>(
      "@NAME@", std::make_unique<@CLASS@Problem>(registrar.folder() / "@NAME@.lua"));
}

}  // namespace

THALLO_PLUGIN("@NAME@", "1.0.0", "", register_into);
)text";

constexpr const char* ProblemReadme = R"(# @NAME@

A problem for Thallo @VERSION@. As written by `thallo new problem` it makes a noisy picture smooth; put
your own energy in its place.

| file | what is in it |
|---|---|
| `@NAME@.lua` | the energy |
| `@NAME@.cpp` | options, input, solver defaults and report |
| `CMakeLists.txt` | the build, and two tests |

    cmake -B build -DCMAKE_PREFIX_PATH=DIR      # DIR: where Thallo is installed
    cmake --build build
    ctest --test-dir build

    thallo --plugin-path build/lib/thallo/problems problems
    thallo --plugin-path build/lib/thallo/problems solve @NAME@ --out result

`THALLO_PLUGIN_PATH=build/lib/thallo/problems` saves the flag; `cmake --install build --prefix DIR` puts
the problem where that Thallo looks by itself. A changed Thallo needs a new build of the problem:
`thallo plugins` says so.
)";

}  // namespace

std::vector<SkeletonFile> problem_skeleton(std::string_view name, std::string_view version) {
  const std::string stem(name);
  return filled_skeleton({{"CMakeLists.txt", std::string(SkeletonCMakeHead) + ProblemCMake},
                          {stem + ".cpp", ProblemSource},
                          {stem + ".lua", ProblemEnergy},
                          {"README.md", ProblemReadme}},
                         name, version);
}

}  // namespace thallo::cli
