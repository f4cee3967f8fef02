#include "core/problem/energy_problem.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/base/option_text.h"
#include "core/problem/files/field_values.h"
#include "core/problem/files/outputs.h"
#include "core/problem/unknown_pictures.h"

namespace thallo {
namespace {

struct EnergyInstance : InstanceData {
  EnergyInstance(Energy of, BoundInputs from, std::vector<OutputRequest> to)
      : energy(std::move(of)),
        inputs(std::move(from)),
        outputs(std::move(to)),
        before(unknown_pictures(energy, inputs.binding)) {}

  Energy energy;
  BoundInputs inputs;
  std::vector<OutputRequest> outputs;
  std::vector<UnknownPicture> before;  // of the unknowns as they were bound
};

// Adds the smallest and largest value of each unknown.
void add_ranges(const EnergyInstance& data, const Binding& solved, Report& report) {
  for (const FieldId id : data.energy.unknowns()) {
    const std::vector<double> values = solved.field(id).to_doubles();
    if (values.empty()) continue;
    const auto [min, max] = std::ranges::minmax(values);
    const std::string& name = data.energy.field(id).name;
    report.metrics.push_back({"smallest value of " + name, min, ""});
    report.metrics.push_back({"largest value of " + name, max, ""});
  }
}

// Reports values that were clamped because an image of integer samples cannot hold them.
void add_clamped(const ReportFile& file, Report& report) {
  const auto* raster = std::get_if<Raster>(&file.data->content);
  if (raster == nullptr || !holds_samples(file.data->suffix)) return;
  const Layer& layer = raster->layers.front();
  const auto& samples = std::get<std::vector<double>>(layer.samples);
  constexpr double Slack = 0.25;  // less than half a sample
  const auto outside = std::ranges::count_if(
      samples, [&](double sample) { return sample < -Slack || sample > layer.full_scale + Slack; });
  if (outside == 0) return;
  report.metrics.push_back(
      {fmt::format("of {} outside 0 ... 1, clamped in {}", file.caption, file.path.string()),
       100.0 * static_cast<double>(outside) / static_cast<double>(samples.size()), "%"});
}

}  // namespace

std::vector<OptionSpec> EnergyProblem::options() const {
  std::vector<OptionSpec> specs;
  for (const SourceText& binding : spec_.bindings) {
    specs.push_back({.name = binding.name,
                     .default_value = binding.source,
                     .doc = "A file, or a value; the help of `thallo run` has examples."});
  }
  return specs;
}

Expected<EnergyFile> EnergyProblem::energy(const Options& /*options*/) const {
  return load_energy_file(*spec_.front_ends, spec_.energy);
}

Expected<Instance> EnergyProblem::instantiate(const Energy& energy, const Options& options) const {
  std::vector<SourceText> bindings = spec_.bindings;
  for (SourceText& binding : bindings)
    binding.source = options.value_or<std::string>(binding.name, binding.source);
  auto inputs = bind_inputs(energy, bindings);
  if (!inputs && bindings.empty()) {
    return fail(
        "{}: its inputs are not bound; say {} or {} for each of\n"
        "{}(the help of `thallo run` has examples)",
        spec_.energy.string(), option_text("bind", "NAME=FILE"), option_text("bind", "NAME=VALUE"),
        inputs_help(energy));
  }
  if (!inputs) return fail(inputs.error());
  const std::vector<std::int64_t> extents = inputs->binding.extents();
  try {
    return make_instance(energy, *std::move(inputs));
  } catch (const std::bad_alloc&) {
    return fail("{}", out_of_memory_text(energy, extents));
  }
}

Expected<Instance> EnergyProblem::make_instance(const Energy& energy, BoundInputs inputs) const {
  THALLO_TRY(auto outputs, plan_outputs(energy, inputs, spec_.outputs, spec_.write_all));

  Instance instance(energy);
  instance.binding = inputs.binding;
  instance.precision = spec_.precision;
  instance.solver = SolverOptions::until_converged();
  for (const auto& [name, text] : spec_.solver) {
    if (auto set = instance.solver.set(name, text); !set) return fail(set.error());
  }
  instance.title = spec_.energy.filename().string();
  for (std::size_t i = 0; i < energy.dims().size(); ++i) {
    instance.labels.emplace_back(energy.dims()[i].name,
                                 std::to_string(inputs.binding.extent(DimId(i))));
  }
  if (!inputs.zero_unknowns.empty()) {
    instance.labels.emplace_back("starting at zero",
                                 fmt::format("{}", fmt::join(inputs.zero_unknowns, ", ")));
  }
  instance.data = std::make_shared<EnergyInstance>(energy, std::move(inputs), std::move(outputs));
  return instance;
}

Report EnergyProblem::report(const Instance& instance, const Solution& /*solution*/) const {
  const auto& data = dynamic_cast<const EnergyInstance&>(*instance.data);
  Report report;
  report.warnings = data.inputs.warnings;
  add_ranges(data, instance.binding, report);
  report.files = make_outputs(data.energy, data.inputs, instance.binding, data.outputs);
  for (const auto& [name, from] : data.inputs.files) report.inputs.push_back(from.file->path);
  for (const ReportFile& file : report.files) add_clamped(file, report);
  report.images =
      before_and_after(data.energy, data.before, unknown_pictures(data.energy, instance.binding));
  return report;
}

}  // namespace thallo
