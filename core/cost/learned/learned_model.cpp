#include "core/cost/learned/learned_model.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "core/base/json_fields.h"
#include "core/base/log.h"
#include "core/cost/learned/step_inputs.h"
#include "core/cost/model/analytic.h"

namespace thallo {
namespace {

constexpr std::int64_t ModelVersion = 1;

// A property counts as (property - mean) / deviation, but no more than this.
constexpr float MostDeviations = 4;
// The logarithms of a network's coefficients lie between -LargestLog and LargestLog.
constexpr float LargestLog = 2;
// The slope of the activation below zero.
constexpr float Leak = 0.01F;

// The file.
struct ModelFields {
  struct Family {
    std::string family;
    std::vector<double> coefficients;  // of the terms
  };
  struct Layer {
    std::vector<std::vector<double>> weights;  // a row for each output
    std::vector<double> biases;
  };

  std::int64_t thallo_model = ModelVersion;
  std::string kind;
  std::string device;     // the name of the device that it was fitted on: "NVIDIA H200"
  std::string fitted_to;  // "11610 times of steps of 15 problems"
  std::vector<std::string> terms, properties;
  std::vector<Family> families;           // of a linear model
  std::vector<double> means, deviations;  // of a network, of the properties
  std::vector<Layer> layers;              // the last one has an output for each term
};

THALLO_FIELDS(ModelFields::Family, family, coefficients)
THALLO_FIELDS(ModelFields::Layer, weights, biases)
THALLO_FIELDS(ModelFields, thallo_model, kind, device, fitted_to, terms, properties, families,
              means, deviations, layers)

std::vector<std::string> names_of_terms() {
  std::vector<std::string> names;
  for (const Term term : AllTerms) names.emplace_back(to_string(term));
  return names;
}

Expected<void> check_linear(const ModelFields& fields) {
  if (fields.families.size() != AllFamilies.size())
    return fail("it has coefficients of {} families, and there are {}", fields.families.size(),
                AllFamilies.size());
  for (const StepFamily family : AllFamilies) {
    const ModelFields::Family& its = fields.families[static_cast<std::size_t>(family)];
    if (its.family != to_string(family) || its.coefficients.size() != AllTerms.size())
      return fail("the coefficients of family {} are missing", to_string(family));
  }
  return {};
}

Expected<void> check_network(const ModelFields& fields) {
  std::size_t inputs = fields.properties.size();
  if (fields.means.size() != inputs || fields.deviations.size() != inputs)
    return fail("it has no mean and deviation for each of its {} properties", inputs);
  for (std::size_t i = 0; i < fields.layers.size(); ++i) {
    const ModelFields::Layer& its = fields.layers[i];
    const bool fits = its.weights.size() == its.biases.size() &&
                      std::ranges::all_of(its.weights, [&](const std::vector<double>& row) {
                        return row.size() == inputs;
                      });
    if (!fits) return fail("the sizes of its layer {} do not fit", i + 1);
    inputs = its.biases.size();
  }
  if (inputs != AllTerms.size())
    return fail("it has {} coefficients of {} terms", inputs, AllTerms.size());
  return {};
}

// Returns the coefficients of the terms. Without weights each is one, so that a network which
// learned little predicts as the analytic model does.
StepTerms network_coefficients(const ModelFields& network, const std::vector<double>& properties) {
  std::vector<float> values;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const auto deviation = static_cast<float>(network.deviations[i]);
    const float distance = static_cast<float>(properties[i]) - static_cast<float>(network.means[i]);
    values.push_back(std::clamp(distance / deviation, -MostDeviations, MostDeviations));
  }
  for (const ModelFields::Layer& layer : network.layers) {
    std::vector<float> sums;
    for (std::size_t row = 0; row < layer.biases.size(); ++row) {
      float sum = static_cast<float>(layer.biases[row]);
      for (std::size_t i = 0; i < values.size(); ++i)
        sum += static_cast<float>(layer.weights[row][i]) * values[i];
      sums.push_back(&layer == &network.layers.back() ? sum : std::max(sum, Leak * sum));
    }
    values = std::move(sums);
  }
  StepTerms coefficients;
  for (std::size_t i = 0; i < AllTerms.size(); ++i)
    coefficients[AllTerms[i]] =
        std::exp(static_cast<double>(LargestLog * std::tanh(values[i] / LargestLog)));
  return coefficients;
}

class Learned final : public CostModel {
 public:
  Learned(std::string name, ModelFields fields)
      : name_(std::move(name)),
        doc_(fmt::format("Fitted to {} on {}.", fields.fitted_to, fields.device)),
        fields_(std::move(fields)),
        is_linear_(fields_.kind == "linear") {}

  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return doc_; }
  bool is_fitted() const override { return true; }
  std::string caveat(const DeviceSpec& device) const override {
    if (device.name == fields_.device) return {};
    return fmt::format("the cost model {} was fitted on {}, not on {}", name_, fields_.device,
                       device.name);
  }
  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    const StepTerms terms = corrected(step, program, device);
    if (!is_linear_) return StepTimes::of(terms).total();
    double sum = 0;
    for (const Term term : AllTerms) sum += terms[term];
    return sum;
  }
  TimeParts parts(const StepWork& step, const ProgramWork& program,
                  const DeviceSpec& device) const override {
    const StepTerms terms = corrected(step, program, device);
    return is_linear_ ? parts_of_sum(terms) : StepTimes::of(terms).parts();
  }

 private:
  // Returns the terms with their coefficients.
  StepTerms corrected(const StepWork& step, const ProgramWork& program,
                      const DeviceSpec& device) const {
    const StepInputs inputs = inputs_of(step, program, device);
    StepTerms terms = inputs.terms;
    if (is_linear_) {
      const auto& its = fields_.families[static_cast<std::size_t>(family_of(step))].coefficients;
      for (std::size_t i = 0; i < AllTerms.size(); ++i) terms[AllTerms[i]] *= its[i];
    } else {
      const StepTerms its = network_coefficients(fields_, inputs.properties);
      for (const Term term : AllTerms) terms[term] *= its[term];
    }
    return terms;
  }

  std::string name_, doc_;
  ModelFields fields_;
  bool is_linear_;
};

}  // namespace

Expected<std::unique_ptr<const CostModel>> parse_learned_model(std::string name,
                                                               const std::filesystem::path& path,
                                                               const std::string& text) {
  const auto json = json_fields::Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("thallo_model"))
    return fail_at({path}, "this is no cost model; `thallo fit` writes them");
  if (const auto& version = json["thallo_model"]; version != ModelVersion) {
    return fail_at({path},
                   "the model is of version {}, and this Thallo knows version {}: fit it "
                   "anew with `thallo fit`",
                   version.dump(), ModelVersion);
  }
  ModelFields fields;
  if (const std::string fault = json_fields::read(json, fields); !fault.empty())
    return fail_at({path}, "the model is damaged: it {}", fault);
  if (fields.terms != names_of_terms() ||
      !std::ranges::equal(fields.properties, property_names())) {
    return fail_at({path},
                   "the model was fitted by a Thallo that knows other properties of steps: "
                   "fit it anew with `thallo fit`");
  }
  if (fields.kind != "linear" && fields.kind != "network")
    return fail_at({path}, "the model is of kind '{}', and linear and network are known",
                   fields.kind);
  if (auto fits = fields.kind == "linear" ? check_linear(fields) : check_network(fields); !fits)
    return fail_at({path}, "the model is damaged: {}", fits.error().message());
  return std::make_unique<const Learned>(std::move(name), std::move(fields));
}

Expected<std::unique_ptr<const CostModel>> read_learned_model(std::string name,
                                                              const std::filesystem::path& path) {
  THALLO_TRY(const auto content, read_file(path));
  return parse_learned_model(std::move(name), path, content);
}

void add_learned_models(CostModelRegistry& registry) {
  const auto folder = find_asset("models");
  if (!folder) return;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, error)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    auto model = read_learned_model(name, entry.path());
    auto added = model ? registry.add(name, *std::move(model), "thallo")
                       : Expected<void>(fail(model.error()));
    if (!added) logger("cost").warn("{}", added.error().message());
  }
}

}  // namespace thallo
