#include "core/cost/learned/learned_model.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "core/base/json_fields.h"
#include "core/base/log.h"
#include "core/base/overloaded.h"
#include "core/cost/learned/network.h"
#include "core/cost/model/analytic.h"

namespace thallo {
namespace {

constexpr std::int64_t ModelVersion = 1;

// The file. Matrices are lists of rows.
struct ModelFields {
  struct Family {
    std::string family;
    std::vector<double> coefficients;  // of the terms
  };
  struct Layer {
    std::vector<std::vector<double>> weights;
    std::vector<double> biases;
  };

  std::int64_t thallo_model = ModelVersion;
  std::string kind;
  std::string device, fitted_to;
  std::vector<std::string> terms, properties;
  std::vector<Family> families;
  std::vector<double> means, deviations;
  std::vector<Layer> layers;
};

template <class Fields>
void visit_fields(ModelFields::Family& r, Fields&& fields) {
  fields("family", r.family);
  fields("coefficients", r.coefficients);
}
template <class Fields>
void visit_fields(ModelFields::Layer& r, Fields&& fields) {
  fields("weights", r.weights);
  fields("biases", r.biases);
}
template <class Fields>
void visit_fields(ModelFields& r, Fields&& fields) {
  fields("thallo_model", r.thallo_model);
  fields("kind", r.kind);
  fields("device", r.device);
  fields("fitted_to", r.fitted_to);
  fields("terms", r.terms);
  fields("properties", r.properties);
  fields("families", r.families);
  fields("means", r.means);
  fields("deviations", r.deviations);
  fields("layers", r.layers);
}

// Six digits are more than a coefficient has, and keep the file short.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

std::vector<double> list_of(std::span<const float> vector) {
  std::vector<double> list;
  for (const float value : vector) list.push_back(rounded(static_cast<double>(value)));
  return list;
}
std::vector<float> vector_of(std::span<const double> list) {
  std::vector<float> vector;
  for (const double value : list) vector.push_back(static_cast<float>(value));
  return vector;
}

std::vector<std::string> names_of_terms() {
  std::vector<std::string> names;
  for (const Term term : AllTerms) names.emplace_back(to_string(term));
  return names;
}
std::vector<std::string> names_of_properties() {
  return {property_names().begin(), property_names().end()};
}

void write_coefficients(const LinearCoefficients& linear, ModelFields& fields) {
  fields.kind = "linear";
  for (const StepFamily family : AllFamilies) {
    ModelFields::Family& its = fields.families.emplace_back();
    its.family = to_string(family);
    for (const Term term : AllTerms)
      its.coefficients.push_back(rounded(linear.of_family[static_cast<std::size_t>(family)][term]));
  }
}
void write_coefficients(const std::shared_ptr<const TermNetwork>& network, ModelFields& fields) {
  fields.kind = "network";
  fields.means = list_of(network->means);
  fields.deviations = list_of(network->deviations);
  for (const TermNetwork::Layer& layer : network->layers) {
    ModelFields::Layer& its = fields.layers.emplace_back();
    its.biases = list_of(layer.biases);
    for (std::size_t row = 0; row < layer.weights.rows; ++row) {
      std::vector<double>& list = its.weights.emplace_back();
      for (std::size_t column = 0; column < layer.weights.columns; ++column)
        list.push_back(rounded(static_cast<double>(layer.weights(row, column))));
    }
  }
}

Expected<LinearCoefficients> read_linear(const ModelFields& fields) {
  LinearCoefficients linear;
  if (fields.families.size() != AllFamilies.size())
    return fail("it has coefficients of {} families, and there are {}", fields.families.size(),
                AllFamilies.size());
  for (const StepFamily family : AllFamilies) {
    const auto index = static_cast<std::size_t>(family);
    const ModelFields::Family& its = fields.families[index];
    if (its.family != to_string(family) || its.coefficients.size() != AllTerms.size())
      return fail("the coefficients of family {} are missing", to_string(family));
    for (const Term term : AllTerms)
      linear.of_family[index][term] = its.coefficients[static_cast<std::size_t>(term)];
  }
  return linear;
}

Expected<std::shared_ptr<const TermNetwork>> read_network(const ModelFields& fields) {
  TermNetwork network{
      .means = vector_of(fields.means), .deviations = vector_of(fields.deviations), .layers = {}};
  std::size_t inputs = fields.properties.size();
  if (fields.means.size() != inputs || fields.deviations.size() != inputs)
    return fail("it has no mean and deviation for each of its {} properties", inputs);
  if (fields.layers.size() != network.layers.size())
    return fail("it has {} layers, not {}", fields.layers.size(), network.layers.size());
  for (std::size_t i = 0; i < fields.layers.size(); ++i) {
    const ModelFields::Layer& its = fields.layers[i];
    const std::size_t outputs = its.biases.size();
    const bool fits = its.weights.size() == outputs &&
                      std::ranges::all_of(its.weights, [&](const std::vector<double>& row) {
                        return row.size() == inputs;
                      });
    const bool is_last = i + 1 == fields.layers.size();
    if (!fits || (is_last && outputs != AllTerms.size()))
      return fail("the sizes of its layer {} do not fit", i + 1);
    TermNetwork::Layer& layer = network.layers[i];
    layer.biases = vector_of(its.biases);
    layer.weights = FloatMatrix(outputs, inputs);
    for (std::size_t row = 0; row < outputs; ++row)
      for (std::size_t column = 0; column < inputs; ++column)
        layer.weights(row, column) = static_cast<float>(its.weights[row][column]);
    inputs = outputs;
  }
  return std::make_shared<const TermNetwork>(std::move(network));
}

// Return the terms with their coefficients.
StepTerms corrected(const LinearCoefficients& linear, StepFamily family, const StepInputs& inputs) {
  StepTerms terms = linear.of_family[static_cast<std::size_t>(family)];
  for (const Term term : AllTerms) terms[term] *= inputs.terms[term];
  return terms;
}
StepTerms corrected(const TermNetwork& network, const StepInputs& inputs) {
  FloatMatrix properties(inputs.properties.size(), 1);
  properties.values = vector_of(inputs.properties);
  const TermNetwork::Pass pass = network.forward(properties);
  StepTerms terms = inputs.terms;
  for (std::size_t i = 0; i < AllTerms.size(); ++i)
    terms[AllTerms[i]] *= std::exp(static_cast<double>(pass.log_coefficients(i, 0)));
  return terms;
}

class Learned final : public CostModel {
 public:
  Learned(std::string name, LearnedModel model)
      : name_(std::move(name)),
        doc_(fmt::format("Fitted to {} on {}.", model.fitted_to, model.device)),
        model_(std::move(model)) {}

  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return doc_; }
  bool is_fitted() const override { return true; }
  std::string caveat(const DeviceSpec& device) const override {
    if (device.name == model_.device) return {};
    return fmt::format("the cost model {} was fitted on {}, not on {}", name_, model_.device,
                       device.name);
  }
  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    return model_.seconds(family_of(step), inputs_of(step, program, device));
  }
  TimeParts parts(const StepWork& step, const ProgramWork& program,
                  const DeviceSpec& device) const override {
    return model_.parts(family_of(step), inputs_of(step, program, device));
  }

 private:
  std::string name_, doc_;
  LearnedModel model_;
};

}  // namespace

double LearnedModel::seconds(StepFamily family, const StepInputs& inputs) const {
  return std::visit(Overloaded{[&](const LinearCoefficients& linear) {
                                 const StepTerms terms = corrected(linear, family, inputs);
                                 double sum = 0;
                                 for (const Term term : AllTerms) sum += terms[term];
                                 return sum;
                               },
                               [&](const std::shared_ptr<const TermNetwork>& network) {
                                 return StepTimes::of(corrected(*network, inputs)).total();
                               }},
                    coefficients);
}

TimeParts LearnedModel::parts(StepFamily family, const StepInputs& inputs) const {
  return std::visit(Overloaded{[&](const LinearCoefficients& linear) {
                                 return parts_of_sum(corrected(linear, family, inputs));
                               },
                               [&](const std::shared_ptr<const TermNetwork>& network) {
                                 return StepTimes::of(corrected(*network, inputs)).parts();
                               }},
                    coefficients);
}

std::string model_text(const LearnedModel& model) {
  ModelFields fields{.device = model.device,
                     .fitted_to = model.fitted_to,
                     .terms = names_of_terms(),
                     .properties = names_of_properties()};
  std::visit([&](const auto& its) { write_coefficients(its, fields); }, model.coefficients);
  return json_fields::write(fields, Fidelity::Exact).dump() + "\n";
}

Expected<LearnedModel> parse_model(const std::filesystem::path& name, const std::string& text) {
  const auto json = json_fields::Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("thallo_model"))
    return fail_at({name}, "this is no cost model; `thallo fit` writes them");
  if (const auto& version = json["thallo_model"]; version != ModelVersion) {
    return fail_at({name},
                   "the model is of version {}, and this Thallo knows version {}: fit it "
                   "anew with `thallo fit`",
                   version.dump(), ModelVersion);
  }
  ModelFields fields;
  if (const std::string fault = json_fields::read(json, fields); !fault.empty())
    return fail_at({name}, "the model is damaged: it {}", fault);
  if (fields.terms != names_of_terms() || fields.properties != names_of_properties()) {
    return fail_at({name},
                   "the model was fitted by a Thallo that knows other properties of steps: "
                   "fit it anew with `thallo fit`");
  }
  LearnedModel model{.device = fields.device, .fitted_to = fields.fitted_to, .coefficients = {}};
  const auto take = [&](auto coefficients) -> Expected<LearnedModel> {
    if (!coefficients)
      return fail_at({name}, "the model is damaged: {}", coefficients.error().message());
    model.coefficients = *std::move(coefficients);
    return std::move(model);
  };
  if (fields.kind == "linear") return take(read_linear(fields));
  if (fields.kind == "network") return take(read_network(fields));
  return fail_at({name}, "the model is of kind '{}', and linear and network are known",
                 fields.kind);
}

Expected<LearnedModel> read_model(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_model(path, *content);
}

void add_learned_models(CostModelRegistry& registry) {
  const auto folder = find_asset("models");
  if (!folder) return;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, error)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    auto model = read_model(entry.path());
    auto added = model ? registry.add(name, make_learned_model(name, *std::move(model)), "thallo")
                       : Expected<void>(fail(model.error()));
    if (!added) logger("cost").warn("{}", added.error().message());
  }
}

std::unique_ptr<const CostModel> make_learned_model(std::string name, LearnedModel model) {
  return std::make_unique<Learned>(std::move(name), std::move(model));
}

}  // namespace thallo
