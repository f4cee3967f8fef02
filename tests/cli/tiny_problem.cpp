// The problem 'tiny': 1/2 sum (x(i) - target)^2, with an option of every type and a fault of every
// kind, so that the command line can be tested without a real problem.
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/energy/builder.h"
#include "core/plugin/abi.h"
#include "core/problem/problem.h"

namespace {

using namespace thallo;

class Tiny final : public Problem {
 public:
  ProblemInfo info() const override {
    return {"tiny", "A tiny problem", "nobody, nowhere", "the command line"};
  }

  std::vector<OptionSpec> options() const override {
    return {{.name = "entries",
             .default_value = std::int64_t{3},
             .doc = "Number of unknowns.",
             .minimum = 1,
             .maximum = 1000},
            {.name = "target_value", .default_value = 2.0, .doc = "What they should become."},
            {.name = "show_start", .default_value = false, .doc = "Also report the start."},
            {.name = "fault",
             .default_value = std::string("none"),
             .doc = "What goes wrong.",
             .choices = {"none", "nan", "data", "goal", "device", "internal", "assertion",
                         "endless_picture"}},
            {.name = "file",
             .default_value = std::string(),
             .doc = "Written when an endless picture begins.",
             .is_file = true}};
  }

  Expected<EnergyFile> energy(const Options&) const override {
    EnergyBuilder builder("tiny");
    const DimId n = builder.dim("N");
    const FieldHandle x = builder.unknown("x", {n});
    const FieldHandle target = builder.array("target", {n});
    const IndexExpr i = builder.domain(n, "i");
    builder.residual("fit", {x(i)[0] - target(i)[0]});
    auto energy = std::move(builder).build();
    if (!energy) return fail(energy.error());
    return EnergyFile{*std::move(energy)};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const std::string fault = *options.require<std::string>("fault");
    if (fault == "data") return fail("the data of tiny are broken");
    if (fault == "device") throw DeviceError("tinyLaunch", "TINY_ERROR_LOST (7)", "apply");
    if (fault == "internal") throw std::runtime_error("nobody expected this");
    THALLO_ASSERT(fault != "assertion", "as it was told");

    const auto count = *options.require<std::int64_t>("entries");
    std::vector<double> target(static_cast<std::size_t>(count),
                               *options.require<double>("target_value"));
    if (fault == "nan") target.back() = std::numeric_limits<double>::quiet_NaN();
    Instance instance(energy);
    instance.title = "tiny data";
    instance.labels.emplace_back("entries", std::to_string(count));
    if (auto set = instance.binding.set_extent("N", count); !set) return fail(set.error());
    if (auto set =
            instance.binding.set_field("x", std::vector<double>(static_cast<std::size_t>(count)));
        !set) {
      return fail(set.error());
    }
    if (auto set = instance.binding.set_field("target", target); !set) return fail(set.error());
    fault_ = fault;
    file_ = *options.require<std::string>("file");
    show_start_ = *options.require<bool>("show_start");
    return instance;
  }

  Report report(const Instance&, const Solution& solution) const override {
    Report report;
    report.metrics.push_back({"distance", std::sqrt(2 * solution.final_cost()), "m"});
    if (show_start_) report.metrics.push_back({"start cost", solution.initial_cost(), ""});
    report.tables.push_back({"solution", "What came out", {"name", "value"}, {{"x", "2"}}});
    report.images.push_back({"black", "Nothing to see", Image(2, 2, 1)});
    if (fault_ == "endless_picture") {
      report.images.push_back({"endless", "Nobody has seen it", [file = file_]() -> Image {
                                 std::ofstream(file) << "begun";
                                 while (true) check_stop();
                               }});
    }
    if (fault_ == "goal") {
      report.warnings.emplace_back("the goal is far away");
      report.shortfall = "The goal was missed, as it was told.";
    }
    return report;
  }

 private:
  // One run a process.
  mutable std::string fault_, file_;
  mutable bool show_start_ = false;
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Problem>("tiny", std::make_unique<Tiny>());
}

}  // namespace

THALLO_PLUGIN("tiny", "0.1.0", "", register_into);
