// curve_fit: nonlinear regression
// ===============================
//
// Fits the parameters b of a formula f to observations: ½ Σ (y_i - f(b, x_i))². Without a file it
// fits a generated spectrum, two peaks on a decaying background; with --nist it takes one of the 27
// nonlinear data sets of the NIST Statistical Reference Datasets, whose certified answers tell how
// many digits of the solution are right.
//
// The solver is Levenberg-Marquardt with a dense linear solver; NIST's data sets run in double
// until nothing moves any more. The report has the parameters beside the certified ones with the
// number of correct digits, and a plot. A NIST run falls short when a parameter has fewer than four
// correct digits.
//
// This problem is also the example of an energy written in C++: energy.cpp explains it step by
// step, models.cpp has the formulas.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/option_kinds.h"
#include "core/base/option_text.h"
#include "core/plugin/abi.h"
#include "core/problem/problem.h"
#include "problems/curve_fit/energy.h"
#include "problems/curve_fit/fit_data.h"
#include "problems/curve_fit/nist_data.h"
#include "problems/curve_fit/plot.h"

namespace thallo::curve_fit {
namespace {

constexpr double PromisedDigits = 4;

struct FitInstance : InstanceData {
  FitInstance(FitData fit_data, FieldId unknown) : fit(std::move(fit_data)), b(unknown) {}
  FitData fit;
  FieldId b;
};

Expected<std::filesystem::path> nist_path(const std::string& name, const std::string& folder) {
  if (!find_nist_set(name)) {
    Diagnostic unknown{fmt::format("NIST has no data set '{}'", name), {}, {}};
    for (const NistSet& set : nist_sets()) unknown.alternatives.emplace_back(set.name);
    return fail(std::move(unknown));
  }
  if (!folder.empty()) return std::filesystem::path(folder) / (name + ".dat");
  const char* data = std::getenv("THALLO_DATA_DIR");
  if (!data) {
    return fail(
        "where is {}.dat? Give its folder with {}, or set THALLO_DATA_DIR to a folder that has it "
        "in nist/",
        name, option_text("nist_dir"));
  }
  return std::filesystem::path(data) / "nist" / (name + ".dat");
}

// The fit depends on the options alone, so that energy() and instantiate() agree.
Expected<FitData> make_fit(const Options& options) {
  const auto nist = text_in(options, "nist");
  const auto file = text_in(options, "file");
  const auto folder = text_in(options, "nist_dir");
  const auto start = count_in(options, "start");
  if (!nist.empty() && !file.empty()) {
    return fail("{} and {} both name a data set; give one", option_text("nist", nist),
                option_text("file", file));
  }
  if (!file.empty()) return load_nist_fit(file, start);
  if (!nist.empty()) {
    THALLO_TRY(const auto path, nist_path(nist, folder));
    return load_nist_fit(path, start);
  }
  SpectrumOptions spectrum;
  spectrum.num_points = count_in(options, "points");
  spectrum.noise = number_in(options, "noise");
  spectrum.seed = count_in<std::uint64_t>(options, "seed");
  return generate_spectrum(spectrum);
}

SolverOptions solver_options(const FitData& fit) {
  SolverOptions solver;
  solver.solver = SolverKind::LevenbergMarquardt;
  solver.linear_solver = "dense";
  if (fit.certified) {
    // The hard sets creep along curved valleys for hundreds of steps with hardly any decrease, so
    // only a step that changes no digit ends the solve.
    solver.num_iterations = 1000;
    solver.function_tolerance = 0;
    solver.parameter_tolerance = 1e-12;
  } else {
    solver.num_iterations = 50;
    solver.parameter_tolerance = 1e-6;
  }
  return solver;
}

Series curve(const FitData& fit, const std::vector<double>& parameters, const Rgb& color) {
  constexpr int Steps = 600;
  const auto [low, high] = std::ranges::minmax(fit.predictors[0]);
  Series series{{}, {}, color, true};
  for (int k = 0; k <= Steps; ++k) {
    const std::vector<double> x = {low + (high - low) * k / Steps};
    series.x.push_back(x[0]);
    series.y.push_back(fit.model->value(Numbered<double>(parameters), Numbered<double>(x)));
  }
  return series;
}

ReportImage make_plot(const FitData& fit, const std::vector<double>& parameters) {
  constexpr Rgb Data = {51, 89, 153};
  constexpr Rgb Start = {184, 184, 184};
  constexpr Rgb Fit = {217, 51, 26};
  Series observed{{}, {}, Data, false};
  for (int i = 0; i < fit.num_observations(); ++i) observed.y.push_back(fit.observed(i));
  if (fit.predictors.size() == 1) {
    observed.x = fit.predictors[0];
    return {"fit", "Observations (dots), the start (gray) and the fitted curve (red) over x",
            plot({curve(fit, fit.start, Start), observed, curve(fit, parameters, Fit)})};
  }
  // With several predictors there is no curve: the observed values are plotted over the fitted
  // ones, with the diagonal.
  Series diagonal{{}, {}, Fit, true};
  for (int i = 0; i < fit.num_observations(); ++i) {
    observed.x.push_back(fit.fitted(parameters, i));
    diagonal.x.push_back(observed.x.back());
  }
  std::ranges::sort(diagonal.x);
  diagonal.y = diagonal.x;
  return {"fit", "Observed over fitted values (dots); a perfect fit lies on the red line",
          plot({observed, diagonal})};
}

class CurveFit : public Problem {
 public:
  explicit CurveFit(std::filesystem::path folder) : folder_(std::move(folder)) {}

  ProblemInfo info() const override {
    return {"curve_fit", "Nonlinear regression",
            "NIST Statistical Reference Datasets, nonlinear regression, "
            "https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml",
            "an energy written with the C++ builder, a handful of unknowns shared by every "
            "residual, the dense linear solver, certified answers",
            folder_ / "curve_fit.png"};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A NIST .dat file."),
        {.name = "nist",
         .default_value = std::string(),
         .doc = "Name of a NIST data set, e.g. Misra1a: NAME.dat in nist_dir."},
        {.name = "nist_dir",
         .default_value = std::string(),
         .doc = "Folder of the NIST files; empty: nist in the folder THALLO_DATA_DIR."},
        count_option("start", 1, "NIST's first start (far from the answer) or its second (near).",
                     {1, 2}),
        count_option("points", 250, "Generated spectrum: number of observations.", {8, 1e8}),
        number_option("noise", 2.5, "Generated spectrum: standard deviation of the noise.", {0}),
        count_option("seed", 1, "Generated spectrum: seed of the noise."),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"points", 20}};  // data of NIST are small
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    THALLO_TRY(const auto fit, make_fit(options));
    THALLO_TRY(auto energy, make_energy(*fit.model));
    return EnergyFile{std::move(energy)};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto fit, make_fit(options));
    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("N", fit.num_observations()));
    THALLO_CHECK(binding.set_extent("P", fit.model->num_parameters));
    THALLO_CHECK(binding.set_field("b", fit.start));
    THALLO_CHECK(binding.set_field("y", fit.response));
    for (std::size_t k = 0; k < fit.predictors.size(); ++k) {
      THALLO_CHECK(binding.set_field(fmt::format("x{}", k + 1), fit.predictors[k]));
    }
    instance.solver = solver_options(fit);
    instance.precision = Precision::Double;  // regression is about digits, and its data are few
    instance.title = fit.name;
    instance.labels = {{"observations", std::to_string(fit.num_observations())},
                       {"parameters", std::to_string(fit.model->num_parameters)}};
    instance.data = std::make_shared<FitInstance>(std::move(fit), energy.find_field("b"));
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& [fit, b] = dynamic_cast<const FitInstance&>(*instance.data);
    const std::vector<double> parameters = instance.binding.field(b).to_doubles();

    Report report;
    const std::string_view known = fit.certified ? "certified" : "true";
    ReportTable table{"parameters",
                      fmt::format("Fitted parameters of {}{} beside the {} ones",
                                  fit.model->log_response ? "" : "y = ", fit.model->formula, known),
                      {"parameter", "start", "fitted", std::string(known)},
                      {}};
    if (fit.certified) {
      table.columns.insert(table.columns.end(), {"standard deviation", "correct digits"});
    }
    double fewest_digits = std::numeric_limits<double>::infinity();
    std::string worst;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::string name = fmt::format("b{}", k + 1);
      std::vector<std::string> row = {name, fmt::format("{:g}", fit.start[k]),
                                      fmt::format("{:.10e}", parameters[k]),
                                      fmt::format("{:.10e}", fit.expected[k])};
      if (fit.certified) {
        const double digits = correct_digits(parameters[k], fit.expected[k]);
        if (digits < fewest_digits) fewest_digits = digits, worst = name;
        row.push_back(fmt::format("{:.4e}", fit.standard_deviations[k]));
        row.push_back(fmt::format("{:.1f}", digits));
      }
      table.rows.push_back(std::move(row));
    }
    report.tables.push_back(std::move(table));

    const double sum = fit.residual_sum_of_squares(parameters);
    const double freedom =
        std::max<double>(1.0, fit.num_observations() - static_cast<double>(parameters.size()));
    report.metrics = {{"residual sum of squares", sum, ""},
                      {"residual standard deviation", std::sqrt(sum / freedom), ""}};
    if (fit.certified) {
      report.metrics.push_back({"correct digits", fewest_digits, "digits"});
      if (fewest_digits < PromisedDigits) {
        report.shortfall =
            fmt::format("{} agrees with its certified value to {:.1f} digits; {} are promised",
                        worst, fewest_digits, PromisedDigits);
      }
    }
    report.images.push_back(make_plot(fit, parameters));
    return report;
  }

 private:
  std::filesystem::path folder_;
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Problem>("curve_fit", std::make_unique<CurveFit>(registrar.folder()));
}

}  // namespace
}  // namespace thallo::curve_fit

THALLO_PLUGIN("curve_fit", "1.0.0", "", thallo::curve_fit::register_into);
