#include "core/explore/dag/overview.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>

#include "core/base/error.h"
#include "core/energy/print.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

constexpr const char* Params = "params";

std::string dims_text(const Energy& energy, const std::vector<DimId>& dims) {
  std::vector<std::string> names;
  for (const DimId dim : dims) names.push_back(energy.dim(dim).name);
  return fmt::format("{}", fmt::join(names, " x "));
}

DagKind kind_of(FieldKind kind) {
  return kind == FieldKind::Unknown ? DagKind::Unknown
         : kind == FieldKind::Array ? DagKind::Array
                                    : DagKind::Param;
}

// Adds the lines of places to lines.
std::vector<int> lines_with(std::vector<int> lines, const std::vector<SourceLocation>& places) {
  std::set<int> all(lines.begin(), lines.end());
  for (const SourceLocation& place : places)
    if (place.line > 0) all.insert(place.line);
  return {all.begin(), all.end()};
}

// Returns the product with p that a schedule decides about; null if there is none.
const char* scheduled_product(const Part& part) {
  if (part.strategy == Strategy::JtJp) return "JtJp";
  return stores_jp(part.strategy) && !multiplies_by_library(part) ? "Jt" : nullptr;
}

}  // namespace

DagNode& DagViewBuilder::add(DagNode node) {
  const std::string id = node.id;
  const auto [added, is_new] = nodes_.emplace(id, std::move(node));
  THALLO_ASSERT(is_new, "two nodes are called {}", id);
  ids_.push_back(id);
  return added->second;
}

void DagViewBuilder::connect(const std::string& from, const std::string& to, bool is_cut,
                             const std::string& label) {
  Edge& edge = edges_[{from, to}];
  edge.is_cut = edge.is_cut || is_cut;
  if (!label.empty()) edge.labels.insert(label);
}

// Boost's topological order is reversed. Vertices are numbered in reverse too, so that nodes that
// do not depend on each other stay in the order in which they were added.
std::vector<std::string> DagViewBuilder::ordered_ids() const {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(ids_.size());
  std::map<std::string_view, std::size_t> vertices;
  for (std::size_t i = 0; i < ids_.size(); ++i) vertices[ids_[i]] = ids_.size() - 1 - i;
  for (const auto& [ends, edge] : edges_)
    add_edge(vertices.at(ends.first), vertices.at(ends.second), graph);
  std::vector<std::size_t> backwards;
  boost::topological_sort(graph, std::back_inserter(backwards));
  std::vector<std::string> ordered;
  for (auto vertex = backwards.rbegin(); vertex != backwards.rend(); ++vertex)
    ordered.push_back(ids_[ids_.size() - 1 - *vertex]);
  return ordered;
}

DagView DagViewBuilder::finish(std::string name) && {
  DagView view{.name = std::move(name)};
  std::map<std::string, std::size_t> places;
  for (const std::string& id : ordered_ids()) {
    places[id] = view.nodes.size();
    view.nodes.push_back(std::move(nodes_.at(id)));
  }
  for (const auto& [ends, edge] : edges_) {
    view.edges.push_back({places.at(ends.first), places.at(ends.second), edge.is_cut,
                          fmt::format("{}", fmt::join(edge.labels, ", "))});
  }
  std::ranges::sort(view.edges, {},
                    [](const DagEdge& edge) { return std::tuple(edge.from, edge.to); });
  return view;
}

DagOverview::DagOverview(DagViewBuilder& builder, const DagSubject& subject, const Plan& plan,
                         const std::vector<DagComputation>& computations,
                         const Recomputation& again, const DagFigures& figures,
                         const std::set<std::string>& expanded)
    : builder_(builder),
      subject_(subject),
      plan_(plan),
      shown_(subject.energy(), plan),
      computations_(computations),
      again_(again),
      figures_(figures),
      expands_params_(expanded.contains(Params)) {
  int num_params = 0;
  for (const DagComputation& computation : computations) {
    std::vector<ExprId> all = computation.values;
    all.insert(all.end(), computation.derivatives.begin(), computation.derivatives.end());
    for (const auto& [field, places] : subject.reads(all)) {
      if (!subject.node_of(field).starts_with("field:") || !fields_.insert(field).second) continue;
      num_params += subject.field(field).kind == FieldKind::Param;
    }
  }
  folds_params_ = num_params > 1;
}

std::vector<int> DagOverview::lines_of(const DagComputation& computation) const {
  return subject_.graph().lines(computation.values);
}

std::string DagOverview::node_of(FieldId field) const {
  const bool is_folded = folds_params_ && !expands_params_;
  return is_folded && subject_.field(field).kind == FieldKind::Param ? Params
                                                                     : subject_.node_of(field);
}

bool DagOverview::is_cut(const std::string& reader, FieldId field) const {
  return again_.loads(reader, field) && !again_.is_far(subject_.node_of(field));
}

void DagOverview::add_nodes() {
  for (const FieldId field : fields_) add_field(field);
  auto computation = computations_.begin();
  for (const Intermediate& intermediate : subject_.energy().intermediates())
    add_intermediate(*computation++, intermediate.field);
  for (const SumAnatomy& sum : subject_.anatomy().sums()) add_sum(*computation++, sum.values);
  for (const Part& part : plan_.parts) add_part(*computation++, part);
  for (const Part& part : plan_.parts) add_products(part);
  add_product("", "JtF", "the gradient of all parts", Frequency::NonlinearIteration, true);
  add_product("", "JtJp", "the product of all parts with p", Frequency::LinearIteration, true);
  for (const Part& part : plan_.parts) {
    for (const char* product : {"JtF", "JtJp"})
      connect_product(fmt::format("product:{}.{}", part.name, product),
                      fmt::format("product:{}", product));
  }
}

void DagOverview::add_field(FieldId field) {
  const Field& declared = subject_.field(field);
  const std::string id = node_of(field);
  const std::string text = declaration_text(subject_.energy(), declared);
  if (builder_.contains(id)) {  // one of the folded params
    builder_[id].text += "\n" + text;
    builder_[id].lines = lines_with(std::move(builder_[id].lines), {declared.where});
    return;
  }
  const bool is_folded = id == Params;
  DagNode& node = builder_.add({.id = id,
                                .kind = kind_of(declared.kind),
                                .name = is_folded ? id : declared.name,
                                .text = text,
                                .domains = dims_text(subject_.energy(), declared.dims),
                                .lines = lines_with({}, {declared.where}),
                                .stores_value = true});
  node.can_expand = is_folded;
  node.frequency =
      declared.kind == FieldKind::Unknown ? Frequency::NonlinearIteration : Frequency::Solve;
  if (folds_params_ && expands_params_ && declared.kind == FieldKind::Param) node.cluster = Params;
  if (declared.kind != FieldKind::Param) node.bytes = figures_.bytes_of(field);
}

void DagOverview::add_intermediate(const DagComputation& computation, FieldId field) {
  const Field& declared = subject_.field(field);
  DagNode& node = builder_.add({.id = computation.id,
                                .kind = DagKind::Intermediate,
                                .name = shown_.of(declared.name),
                                .text = subject_.text_of(computation.values, declared.name),
                                .domains = dims_text(subject_.energy(), declared.dims),
                                .lines = lines_with(lines_of(computation), {declared.where}),
                                .site = Site{SiteKind::Intermediate, declared.name},
                                .stores_value = computation.stores_value,
                                .stores_gradient = computation.stores_gradient,
                                .frequency = again_.frequency_of(computation.id)});
  node.flops = figures_.flops_of(computation);
  node.bytes = figures_.bytes_of(computation, field);
  node.can_expand = true;
}

void DagOverview::add_sum(const DagComputation& computation, FieldId field) {
  const Field& declared = subject_.field(field);
  DagNode& node = builder_.add({.id = computation.id,
                                .kind = DagKind::Sum,
                                .name = declared.name,
                                .text = subject_.text_of(computation.values, "summand"),
                                .domains = dims_text(subject_.energy(), declared.dims),
                                .lines = lines_of(computation),
                                .site = Site{SiteKind::Sum, declared.name},
                                .stores_value = computation.stores_value,
                                .frequency = again_.frequency_of(computation.id)});
  node.flops = figures_.flops_of(computation);
  node.bytes = figures_.bytes_of(computation, field);
  node.can_expand = true;
}

void DagOverview::add_part(const DagComputation& computation, const Part& part) {
  std::vector<std::string> members;
  std::vector<SourceLocation> statements;
  std::vector<DimId> dims;
  for (const ResidualRef residual : part.residuals) {
    members.push_back(residual_name(subject_.energy(), residual));
    statements.push_back(subject_.energy().groups()[residual.group].where);
  }
  for (const DomainId domain : declared_domains(subject_.energy(), part))
    dims.push_back(subject_.graph().indices().domain(domain).dim);
  DagNode& node = builder_.add({.id = computation.id,
                                .kind = DagKind::Part,
                                .name = shown_.of(part.name),
                                .text = fmt::format("{}\n{}", fmt::join(members, ", "),
                                                    subject_.text_of(computation.values, "r")),
                                .domains = dims_text(subject_.energy(), dims),
                                .lines = lines_with(lines_of(computation), statements),
                                .site = Site{SiteKind::Part, part.name},
                                .frequency = again_.frequency_of(computation.id)});
  node.flops = figures_.flops_of(computation);
  node.can_expand = true;
}

void DagOverview::add_product(const std::string& part, const std::string& name,
                              const std::string& text, Frequency frequency, bool is_kept) {
  const std::string full = part.empty() ? name : MemberName{part, name}.text();
  DagNode& node = builder_.add({.id = "product:" + full,
                                .kind = DagKind::Product,
                                .name = shown_.of(full),
                                .text = text,
                                .stores_value = is_kept,
                                .frequency = frequency});
  const auto figures = figures_.of_product(part, name);
  node.flops = figures.flops;
  node.bytes = figures.bytes;
}

void DagOverview::connect_product(const std::string& from, const std::string& to) {
  builder_.connect(from, to, !builder_[from].is_far() && builder_[to].is_far());
}

// Adds the products of a part, in the order in which its strategy computes them.
void DagOverview::add_products(const Part& part) {
  const std::string id = "part:" + part.name;
  const auto product = [&](const char* name) {
    return "product:" + MemberName{part.name, name}.text();
  };
  const auto site = [&](const char* name) {
    return Site{SiteKind::Product, MemberName{part.name, name}.text()};
  };
  add_product(part.name, "JtF", to_string(subject_.energy(), part.jtf),
              Frequency::NonlinearIteration, false);
  builder_[product("JtF")].site = site("JtF");
  connect_product(id, product("JtF"));
  std::string last = id;
  const auto then = [&](const char* name, std::string_view text, Frequency frequency) {
    add_product(part.name, name, std::string(text), frequency, true);
    builder_[product(name)].site = site(name);
    connect_product(std::exchange(last, product(name)), product(name));
  };
  if (stores_j(part.strategy)) then("J", to_string(part.j_format), Frequency::NonlinearIteration);
  const std::string derivatives = last;
  if (stores_jtj(part.strategy))
    then("JtJ", to_string(part.jtj_format), Frequency::NonlinearIteration);
  if (stores_jp(part.strategy)) then("Jp", "the product of J with p", Frequency::LinearIteration);
  const char* scheduled = scheduled_product(part);
  std::string text(to_string(part.strategy));
  if (scheduled != nullptr)
    text += ", " + to_string(subject_.energy(), stores_jp(part.strategy) ? part.jt : part.jtjp);
  add_product(part.name, "JtJp", text, Frequency::LinearIteration, false);
  if (scheduled != nullptr) builder_[product("JtJp")].site = site(scheduled);
  connect_product(last, product("JtJp"));
  if (stores_jp(part.strategy)) connect_product(derivatives, product("JtJp"));
}

std::vector<std::string> DagOverview::expandable() const {
  std::vector<std::string> ids;
  if (folds_params_) ids.emplace_back(Params);
  for (const DagComputation& computation : computations_) ids.push_back(computation.id);
  return ids;
}

void DagOverview::connect_derivatives(const DagComputation& computation) {
  const auto drawn = subject_.reads(computation.values);
  for (const auto& [field, places] : subject_.reads(computation.derivatives)) {
    if (drawn.contains(field) || subject_.is_gradient(field)) continue;
    for (const std::string& place : places)
      builder_.connect(node_of(field), computation.id, is_cut(computation.id, field), place);
  }
}

void DagOverview::connect(const DagComputation& computation) {
  std::vector<ExprId> all = computation.values;
  all.insert(all.end(), computation.derivatives.begin(), computation.derivatives.end());
  for (const auto& [field, places] : subject_.reads(all)) {
    const std::string from = node_of(field);
    for (const std::string& place : places)
      builder_.connect(from, computation.id, is_cut(computation.id, field), place);
  }
}

}  // namespace thallo
