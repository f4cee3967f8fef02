#include "core/explore/dag/subject.h"

#include <sstream>

#include <fmt/format.h>

#include "core/energy/print.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// Returns the energy's data, with the fields that the anatomy introduced and with Sums as
// intermediates.
Energy::Data with_fields_of(const Anatomy& anatomy) {
  const Energy& energy = anatomy.energy();
  Energy::Data data = energy.data();
  data.graph = anatomy.graph();
  for (const Intermediate& intermediate : energy.intermediates()) {
    data.fields.push_back(energy.field(intermediate.field));
    data.fields.back().kind = FieldKind::Buffer;
  }
  const std::vector<PlannedSum>& planned = sums_of(energy);
  for (const SumAnatomy& sum : anatomy.sums()) {
    Field values{.name = planned[sum.planned].name, .kind = FieldKind::Intermediate};
    for (const DomainId domain : sum.domains)
      values.dims.push_back(data.graph.indices().domain(domain).dim);
    Field product = values;
    product.kind = FieldKind::Buffer;
    data.fields.push_back(std::move(values));
    data.fields.push_back(std::move(product));
    data.intermediates.push_back({sum.values, sum.domains, {sum.summand}});
  }
  return data;
}

void append(std::vector<ExprId>& values, std::set<FieldId>& products, const Anatomy& anatomy,
            const std::vector<Partial>& directions) {
  for (const Partial& partial : directions) {
    values.push_back(partial.value);
    if (const int sum = anatomy.sum_of(partial.unknown); sum >= 0)
      products.insert(anatomy.sums()[static_cast<std::size_t>(sum)].product);
  }
}

// The value of a node, or its derivatives.
struct Task {
  const DagComputation* of = nullptr;
  bool is_gradient = false;
};

std::set<FieldId> fields_for(const DagSubject& subject, const Task& task) {
  std::set<FieldId> fields;
  for (const auto& [field, places] :
       subject.reads(task.is_gradient ? task.of->derivatives : task.of->values))
    fields.insert(field);
  if (task.is_gradient) fields.insert(task.of->products.begin(), task.of->products.end());
  return fields;
}

}  // namespace

DagSubject::DagSubject(const Energy& energy)
    : energy_(energy),
      anatomy_(energy, std::vector<bool>(sums_of(energy).size(), true)),
      data_(with_fields_of(anatomy_)),
      names_(names_of(data_)),
      dependence_(data_) {}

std::string DagSubject::node_of(FieldId field) const {
  if (const int sum = anatomy_.sum_of(field); sum >= 0) return "sum:" + this->field(field).name;
  if (anatomy_.intermediate_of(field) >= 0) return "intermediate:" + this->field(field).name;
  return "field:" + this->field(field).name;
}

bool DagSubject::is_gradient(FieldId field) const {
  return this->field(field).kind == FieldKind::Buffer;
}

FieldId DagSubject::gradient_of(FieldId field) const {
  if (const int sum = anatomy_.sum_of(field); sum >= 0)
    return anatomy_.sums()[static_cast<std::size_t>(sum)].product;
  const int intermediate = anatomy_.intermediate_of(field);
  if (intermediate < 0) return {};
  return anatomy_.intermediates()[static_cast<std::size_t>(intermediate)].gradient;
}

std::string DagSubject::text_of(const std::vector<ExprId>& values, std::string_view name) const {
  // Removes the indentation.
  std::string text;
  std::istringstream lines(values_text(printer(), values, name));
  for (std::string line; std::getline(lines, line);)
    text += (text.empty() ? "" : "\n") + line.substr(line.find_first_not_of(' '));
  return text;
}

std::vector<DagComputation> DagSubject::computations(const Plan& plan) const {
  std::vector<DagComputation> all;
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i)
    all.push_back(intermediate(i, plan.intermediates[i]));
  for (std::size_t s = 0; s < anatomy_.sums().size(); ++s)
    all.push_back(sum(s, plan.sums[anatomy_.sums()[s].planned].is_parallel));
  for (const Part& one : plan.parts) all.push_back(part(one));
  return all;
}

DagComputation DagSubject::intermediate(std::size_t number, Materialization stored) const {
  const IntermediateAnatomy& anatomy = anatomy_.intermediates()[number];
  const FieldId own = energy_.intermediates()[number].field;
  return {.id = node_of(own),
          .domains = anatomy.domains,
          .values = anatomy.values,
          .derivatives = anatomy.derivatives,
          .stores_value = stored.value,
          .stores_gradient = stored.gradient};
}

DagComputation DagSubject::sum(std::size_t number, bool is_parallel) const {
  const SumAnatomy& anatomy = anatomy_.sums()[number];
  DagComputation computation{.id = node_of(anatomy.values),
                             .domains = anatomy.points,
                             .values = {anatomy.summand},
                             .stores_value = is_parallel};
  append(computation.derivatives, computation.products, anatomy_, anatomy.directions);
  return computation;
}

DagComputation DagSubject::part(const Part& part) const {
  DagComputation computation{.id = "part:" + part.name};
  for (const DomainId domain : declared_domains(energy_, part))
    computation.domains.push_back(anatomy_.own_domain(domain));
  for (const ResidualRef residual : part.residuals) {
    const ResidualAnatomy& anatomy = anatomy_.residual(residual.group, residual.residual);
    computation.values.push_back(anatomy.value);
    if (anatomy.weight.valid()) computation.derivatives.push_back(anatomy.weight);
    append(computation.derivatives, computation.products, anatomy_, anatomy.directions);
  }
  return computation;
}

FieldId DagSubject::field_read_by(ExprId expression) const {
  switch (graph()[expression].op) {
    case Op::Access: return graph().field(expression);
    case Op::Sample: return graph().sampler(expression).image;
    case Op::SampleLayer: return graph().layers(expression);
    default: return {};
  }
}

std::string DagSubject::place_of(ExprId read) const {
  if (graph()[read].op != Op::Access) return "sampled";
  const std::string place = printer().text(graph().index(read));
  return place.empty() ? place : fmt::format("({})", place);
}

std::map<FieldId, std::set<std::string>> DagSubject::reads(
    const std::vector<ExprId>& expressions) const {
  std::map<FieldId, std::set<std::string>> found;
  for (const ExprId node : graph().reachable(expressions)) {
    if (const FieldId field = field_read_by(node); field.valid())
      found[field].insert(place_of(node));
  }
  return found;
}

Recomputation::Recomputation(const DagSubject& subject, const Plan& plan,
                             const std::vector<DagComputation>& computations) {
  std::map<std::string, const DagComputation*> by_id;
  for (const DagComputation& computation : computations) by_id[computation.id] = &computation;
  std::vector<Task> waiting;
  const auto begin = [&](const Task& task) {
    if ((task.is_gradient ? gradients_ : values_).insert(task.of->id).second)
      waiting.push_back(task);
  };
  for (const Part& part : plan.parts) {
    if (!stores_j(part.strategy) && !stores_jtj(part.strategy))
      begin({by_id.at("part:" + part.name), true});
  }
  while (!waiting.empty()) {
    const Task task = waiting.back();
    waiting.pop_back();
    for (const FieldId field : fields_for(subject, task)) {
      const auto source = by_id.find(subject.node_of(field));
      const bool is_gradient = subject.is_gradient(field);
      if (source != by_id.end() &&
          !(is_gradient ? source->second->stores_gradient : source->second->stores_value)) {
        begin({source->second, is_gradient});
      } else {
        loads_.emplace(task.of->id, field);
      }
    }
  }
}

}  // namespace thallo
