#include "core/energy/found/shown_names.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thallo {
namespace {

constexpr std::size_t MaxNameLength = 24;  // without what makes a name unique

// Continuation bytes of UTF-8 are no characters.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// What the values of an intermediate are made of.
class Contents {
 public:
  Contents(const ExprGraph& graph, const Energy& energy, const std::vector<ExprId>& values)
      : graph_(graph), energy_(energy) {
    visit(values);
    for (const ExprId id : graph.reachable(values)) {
      const Op op = graph[id].op;
      if (op == Op::Sin || op == Op::Cos) turns_.insert(graph.operands(id)[0]);
    }
  }

  std::string name() const {
    const std::vector<std::string> rotated = rotated_fields();
    std::vector<std::string> fields;
    for (const auto& [field, is_free] : fields_) {
      const std::string name = (is_free ? "" : "fixed ") + energy_.field(field).name;
      if (std::ranges::find(rotated, name) == rotated.end()) fields.push_back(name);
    }
    const std::vector<std::string> functions = this->functions(!rotated.empty());
    if (rotated.empty()) {
      if (functions.empty()) return call("f", fields);
      return call(fmt::format("{}", fmt::join(functions, ", ")), fields);
    }
    std::string name;
    for (const std::string& field : rotated)
      name += fmt::format("{}R({})", name.empty() ? "" : "·", field);
    if (!functions.empty())
      return call(fmt::format("{}", fmt::join(functions, ", ")), joined(name, fields));
    for (const std::string& field : fields) {
      if (length_of(name) + 1 + length_of(field) > MaxNameLength) return name + "·…";
      name += "·" + field;
    }
    return name;
  }

 private:
  void visit(const std::vector<ExprId>& values) {
    using Visit = std::pair<ExprId, bool>;  // and whether it is below a Freeze
    std::set<Visit> met;
    std::vector<Visit> open;
    for (const ExprId value : values) open.emplace_back(value, false);
    while (!open.empty()) {
      const auto [id, is_fixed] = open.back();
      open.pop_back();
      if (!met.insert({id, is_fixed}).second) continue;
      const Op op = graph_[id].op;
      if (op == Op::Access) add(graph_.field(id), is_fixed);
      if (op == Op::Sample) add(graph_.sampler(id).image, is_fixed);
      if (op == Op::SampleLayer) add(graph_.layers(id), is_fixed);
      ops_.insert(op);
      for (const ExprId operand : graph_.operands(id))
        open.emplace_back(operand, is_fixed || op == Op::Freeze);
    }
  }

  // Parameters are scale and units, not what a value is about.
  void add(FieldId field, bool is_fixed) {
    if (energy_.field(field).kind == FieldKind::Param) return;
    bool& is_free = fields_.try_emplace(field, false).first->second;
    is_free = is_free || !is_fixed;
  }

  // The fields of which sines and cosines read three channels or more.
  std::vector<std::string> rotated_fields() const {
    if (!ops_.contains(Op::Sin) || !ops_.contains(Op::Cos)) return {};
    std::map<FieldId, std::set<int>> channels;
    const std::vector<ExprId> turns(turns_.begin(), turns_.end());
    for (const ExprId access : graph_.accesses(turns))
      channels[graph_.field(access)].insert(graph_.channel(access));
    std::vector<std::string> names;
    for (const auto& [field, read] : channels) {
      const auto known = fields_.find(field);
      if (read.size() < 3 || known == fields_.end()) continue;
      names.push_back((known->second ? "" : "fixed ") + energy_.field(field).name);
    }
    return names;
  }

  // Those that say most: of functions such as cos if there are any, else of roots and choices.
  std::vector<std::string> functions(bool has_rotation) const {
    std::vector<std::string> strong, weak;
    for (const Op op : ops_) {
      if (has_rotation && (op == Op::Sin || op == Op::Cos || op == Op::Sqrt || op == Op::Select))
        continue;
      const OpKind kind = info(op).kind;
      const std::string text(info(op).text);
      if (kind == OpKind::Transcendental) strong.push_back(text);
      if (op == Op::Sample || op == Op::SampleLayer) strong.emplace_back("sample");
      const bool is_condition = info(op).is_boolean || op == Op::Not || op == Op::Or;
      if (!has_rotation && (kind == OpKind::Root || kind == OpKind::Choice) && !is_condition)
        weak.push_back(text);
    }
    constexpr std::size_t MostFunctions = 3;
    std::vector<std::string> chosen = strong.empty() ? weak : strong;
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    if (chosen.size() > MostFunctions) {
      chosen.resize(MostFunctions - 1);
      chosen.emplace_back("…");
    }
    return chosen;
  }

  static std::vector<std::string> joined(const std::string& first,
                                         const std::vector<std::string>& others) {
    std::vector<std::string> all = {first};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  // "sin, cos(Angle)"; as many operands as there is room for.
  static std::string call(const std::string& function, const std::vector<std::string>& operands) {
    std::string inside;
    for (const std::string& operand : operands) {
      const bool fits =
          length_of(function) + length_of(inside) + length_of(operand) + 4 <= MaxNameLength;
      if (!inside.empty()) inside += ", ";
      inside += fits || inside.empty() ? operand : "…";
      if (!fits) break;
    }
    return fmt::format("{}({})", function, inside);
  }

  const ExprGraph& graph_;
  const Energy& energy_;
  std::map<FieldId, bool> fields_;  // true if one is read other than as a constant
  std::set<Op> ops_;
  std::set<ExprId> turns_;  // the operands of sines and cosines
};

std::string domains_text(const FoundIntermediates& found, const FoundIntermediate& one) {
  std::vector<std::string> names;
  for (const DomainId domain : one.domains)
    names.push_back(found.graph().indices().domain(domain).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::set<std::string> names_of_others(const FoundIntermediates& found) {
  const Energy::Data& data = found.energy().data();
  std::set<std::string> names;
  for (const Field& field : data.fields) names.insert(field.name);
  for (const SparseMap& map : data.maps) names.insert(map.name);
  for (const NamedSum& sum : data.sums) names.insert(sum.name);
  for (const FoundIntermediate& one : found.all()) names.insert(one.name);
  return names;
}

bool are_different(const std::vector<std::string>& names, const std::set<std::string>& taken) {
  const std::set<std::string> all(names.begin(), names.end());
  return all.size() == names.size() &&
         std::ranges::none_of(all, [&](const std::string& name) { return taken.contains(name); });
}

}  // namespace

std::map<std::string, std::string> shown_names(const FoundIntermediates& found) {
  std::map<std::string, std::vector<const FoundIntermediate*>> by_name;
  for (const FoundIntermediate& one : found.all()) {
    if (!one.name.starts_with('%')) continue;
    by_name[Contents(found.graph(), found.energy(), one.values).name()].push_back(&one);
  }
  std::set<std::string> taken = names_of_others(found);
  std::map<std::string, std::string> shown;
  for (const auto& [name, all] : by_name) {
    const auto details = [&](int level) {
      std::vector<std::string> names;
      for (const FoundIntermediate* one : all) {
        std::string longer = name;
        if (level == 1 || level == 3)
          longer += fmt::format(" over ({})", domains_text(found, *one));
        if (level == 2 || level == 3) longer += fmt::format(" ×{}", one->values.size());
        if (level == 4) longer += " " + one->name;
        names.push_back(std::move(longer));
      }
      return names;
    };
    std::vector<std::string> names;
    for (int level = 0; level <= 4; ++level) {
      names = details(level);
      if (are_different(names, taken)) break;
    }
    taken.insert(names.begin(), names.end());
    for (std::size_t i = 0; i < all.size(); ++i) shown.emplace(all[i]->name, names[i]);
  }
  return shown;
}

std::map<std::string, std::string> shown_names(const Energy& energy) {
  if (energy.found() == nullptr) return {};
  return shown_names(*energy.found());
}

}  // namespace thallo
