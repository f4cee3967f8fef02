#include "core/explore/dag/figures.h"

#include "core/cost/pricing/effort.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

// Returns the product of a part that a step computes; empty if it computes none.
std::string product_of(const StepWork& step) {
  const std::string role = step.label.substr(0, step.label.find(' '));
  if (step.phase == Phase::Apply) return role == "apply_jp" ? "Jp" : "JtJp";
  if (step.phase != Phase::Linearize) return {};
  if (role.find("jtf") != std::string::npos) return "JtF";
  return role == "fill_j" ? "J" : "JtJ";
}

}  // namespace

DagFigures::DagFigures(const DagSubject& subject, const Plan& plan, const DagSizes* sizes)
    : subject_(subject) {
  if (sizes == nullptr) return;
  extents_ = sizes->binding.extents();
  precision_ = sizes->precision;
  for (const Part& part : plan.parts) add_products(part, stored_values(plan), sizes->estimator);
  double bytes = 0;
  for (const FieldId unknown : subject.energy().unknowns()) {
    const Field& field = subject.field(unknown);
    bytes += *bytes_of(unknown) * field.tangent_channels() / field.channels;
  }
  for (const char* name : {"JtF", "JtJp"}) products_[name].bytes = bytes;
}

void DagFigures::add_products(const Part& part, const StoredValues& stored, Estimator& estimator) {
  const auto product = [&](const std::string& name) -> OfProduct& {
    return products_[MemberName{part.name, name}.text()];
  };
  const auto work = estimator.part(part, stored);
  for (const StepWork& step : work->steps) {
    const std::string name = product_of(step);
    if (name.empty()) continue;
    std::optional<double>& flops = product(name).flops;
    flops = flops.value_or(0) + step.features.flops.total();
  }
  const auto bytes_with = [&](Strategy strategy) {
    Part other = part;
    other.strategy = strategy;
    return estimator.part(other, stored)->product_bytes;
  };
  const bool has_library = multiplies_by_library(part);
  if (stores_jp(part.strategy) && !has_library)
    product("Jp").bytes = bytes_with(Strategy::StoredJp);
  if (stores_jtj(part.strategy)) product("JtJ").bytes = bytes_with(Strategy::StoredJtJ);
  if (stores_j(part.strategy))
    product("J").bytes = bytes_with(Strategy::StoredJ) - bytes_with(Strategy::StoredJp);
}

std::optional<double> DagFigures::flops_of(const std::vector<ExprId>& expressions,
                                           const std::vector<DomainId>& domains) const {
  if (extents_.empty()) return {};
  double points = 1;
  for (const DomainId domain : domains)
    points *= static_cast<double>(extents_[subject_.graph().indices().domain(domain).dim.index()]);
  return points * effort_of(subject_.anatomy(), expressions, domains, extents_).flops.total();
}

std::optional<double> DagFigures::flops_of(const DagComputation& computation) const {
  return flops_of(computation.values, computation.domains);
}

std::optional<double> DagFigures::flops_of(const DagComputation& computation,
                                           ExprId expression) const {
  return flops_of(std::vector{expression}, computation.domains);
}

std::optional<double> DagFigures::bytes_of(FieldId field) const {
  if (extents_.empty()) return {};
  const Field& declared = subject_.field(field);
  auto bytes = static_cast<double>(size_of(memory_type(declared.type, precision_)));
  for (const DimId dim : declared.dims) bytes *= static_cast<double>(extents_[dim.index()]);
  return bytes * declared.channels;
}

std::optional<double> DagFigures::bytes_of(const DagComputation& computation, FieldId field) const {
  const std::optional<double> values = bytes_of(field);
  if (!values || !computation.stores_gradient) return values;
  const double channels = subject_.field(field).channels;
  const double gradient = *values / channels * static_cast<double>(computation.derivatives.size());
  return gradient + (computation.stores_value ? *values : 0);
}

DagFigures::OfProduct DagFigures::of_product(const std::string& part,
                                             const std::string& name) const {
  const auto found = products_.find(part.empty() ? name : MemberName{part, name}.text());
  return found == products_.end() ? OfProduct{} : found->second;
}

}  // namespace thallo
