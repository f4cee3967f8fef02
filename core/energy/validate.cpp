#include "core/energy/validate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/energy/dependence.h"
#include "core/energy/fault_finder.h"
#include "core/energy/validate_reads.h"

namespace thallo {
namespace {

class Validation : FaultFinder {
 public:
  Validation(const Energy::Data& data, std::vector<Diagnostic>& faults)
      : FaultFinder(data, faults) {}

  void run(bool only_structure) {
    check_dims();
    check_fields();
    check_maps();
    check_field_and_map_names();
    check_intermediates();
    ReadValidation reads(data_, faults_);
    reads.check_accesses();
    check_exclusions();
    check_bounds();
    const bool circular = reads.has_circle();
    if (!circular) reads.check_samples();
    if (!circular && faults_.empty() && !only_structure) check_residuals();
    if (!circular && faults_.empty() && !only_structure) check_members();
  }

 private:
  void check_dims() {
    std::set<std::string> names;
    std::map<int, std::string> slots;
    for (const Dim& dim : data_.dims) {
      if (dim.name.empty()) fault({}, "a dim has no name");
      if (!names.insert(dim.name).second) fault({}, "dim '{}' is declared twice", dim.name);
      if (dim.slot < 0) continue;
      const auto [other, is_new] = slots.try_emplace(dim.slot, dim.name);
      if (!is_new)
        fault({}, "dims '{}' and '{}' are both on slot {}", other->second, dim.name, dim.slot);
    }
  }

  void check_dim_list(const std::vector<DimId>& dims, const std::string& owner,
                      const SourceLocation& where) {
    for (const DimId dim : dims)
      if (!has(dim)) fault(where, "{} is declared over a dim that is not of this energy", owner);
  }

  void check_fields() {
    for (const Field& f : data_.fields) {
      const std::string who = fmt::format("{} '{}'", to_string(f.kind), f.name);
      check_dim_list(f.dims, who, f.where);
      if (f.channels < 1)
        fault(f.where, "{} has {} channels; at least 1 is needed", who, f.channels);
      switch (f.kind) {
        case FieldKind::Unknown:
          if (f.manifold != Manifold::Euclidean && f.channels != stored_channels(f.manifold))
            fault(f.where, "{} is an {} of {} channels; needed are {}", who, to_string(f.manifold),
                  f.channels, stored_channels(f.manifold));
          if (f.type != ScalarType::Working)
            fault(f.where,
                  "{} must have the working scalar type: it is solved for in float or "
                  "double as the solve asks",
                  who);
          if (f.dims.empty())
            fault(f.where, "{} has no dims; a single value is an unknown over a dim of extent 1",
                  who);
          break;
        case FieldKind::Param:
          if (!f.dims.empty() || f.channels != 1)
            fault(f.where, "{} must be one scalar, found {} channels over {}", who, f.channels,
                  dim_list(f.dims));
          break;
        case FieldKind::Array:
        case FieldKind::Intermediate: break;
        case FieldKind::Buffer: fault(f.where, "{} cannot be part of an energy", who); break;
      }
    }
  }

  void check_maps() {
    for (const SparseMap& map : data_.maps) {
      const std::string who = fmt::format("sparse map '{}'", map.name);
      check_dim_list(map.in, who, map.where);
      check_dim_list(map.out, who, map.where);
      if (map.in.empty() || map.out.empty())
        fault(map.where, "{} must go from at least one dim to at least one dim, found {} -> {}",
              who, dim_list(map.in), dim_list(map.out));
    }
  }

  struct Declaration {
    std::string who;
    const SourceLocation* where;
    const Field* field;  // null for a map
  };

  // A field declared a second time under another kind, so that it can be read without derivative.
  static bool is_constant_view(const Declaration& a, const Declaration& b) {
    if (!a.field || !b.field) return false;
    const auto kinds = std::minmax(a.field->kind, b.field->kind);
    return kinds.first == FieldKind::Unknown && kinds.second == FieldKind::Array &&
           a.field->dims == b.field->dims && a.field->channels == b.field->channels;
  }

  void check_field_and_map_names() {
    std::map<std::string, Declaration> names;
    std::map<int, Declaration> slots;
    const auto take_slot = [&](int slot, const Declaration& here) {
      if (slot < 0) return;
      const auto [same_slot, new_slot] = slots.try_emplace(slot, here);
      if (!new_slot && !is_constant_view(same_slot->second, here))
        fault(*here.where,
              "{} is on slot {}, which {} already has{} (only an array with the dims and channels "
              "of an unknown may share its slot, as a constant view)",
              here.who, slot, same_slot->second.who, elsewhere(*same_slot->second.where));
    };
    const auto declare = [&](const std::string& declared, int slot, const Declaration& here) {
      if (declared.empty()) fault(*here.where, "{} has no name", here.who);
      const auto [same_name, new_name] = names.try_emplace(declared, here);
      if (!new_name)
        fault(*here.where, "{} is declared twice{}", here.who, elsewhere(*same_name->second.where));
      take_slot(slot, here);
    };
    for (const Field& f : data_.fields)
      declare(f.name, f.slot, {fmt::format("{} '{}'", to_string(f.kind), f.name), &f.where, &f});
    for (const Dim& dim : data_.dims)
      take_slot(dim.count_slot, {fmt::format("number of '{}'", dim.name), &dim.where, nullptr});
    for (const SparseMap& map : data_.maps)
      declare(map.name, map.slot, {fmt::format("sparse map '{}'", map.name), &map.where, nullptr});

    std::map<std::string, const ResidualGroup*> groups;
    for (const ResidualGroup& group : data_.groups) {
      if (group.name.empty()) fault(group.where, "a residual group has no name");
      const auto [other, is_new] = groups.try_emplace(group.name, &group);
      if (!is_new)
        fault(group.where, "residual group '{}' is declared twice{}", group.name,
              elsewhere(other->second->where));
    }
  }

  static std::string elsewhere(const SourceLocation& where) {
    return where.known() ? fmt::format(", first at {}", where.text()) : "";
  }

  // Checks the domains of an intermediate or an exclusion: there is one for each dim of the field
  // and over that dim, they are distinct, and the values depend on no others.
  void check_own_domains(const std::string& who, const Field& of, const SourceLocation& where,
                         const std::vector<DomainId>& domains, const std::vector<ExprId>& values) {
    bool fits = domains.size() == of.dims.size();
    for (std::size_t i = 0; fits && i < domains.size(); ++i)
      fits = dim_of(domains[i]) == of.dims[i] &&
             std::find(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(i),
                       domains[i]) == domains.begin() + static_cast<std::ptrdiff_t>(i);
    if (!fits)
      fault(where, "{} is over the domains {}, which must be one for each of its dims {}", who,
            domain_list(domains), dim_list(of.dims));
    for (const ExprId value : values) {
      for (const DomainId domain : graph_.free_domains(value)) {
        if (std::ranges::find(domains, domain) != domains.end()) continue;
        fault(where, "{} depends on the domain '{}', which is none of its own {}", who,
              name(domain), domain_list(domains));
      }
    }
  }

  void check_intermediates() {
    std::map<FieldId, int> definitions;
    for (const Intermediate& intermediate : data_.intermediates) {
      const Field& f = field(intermediate.field);
      const std::string who = fmt::format("intermediate '{}'", f.name);
      ++definitions[intermediate.field];
      if (f.kind != FieldKind::Intermediate)
        fault(f.where, "{} '{}' is given values; only an intermediate can", to_string(f.kind),
              f.name);
      if (static_cast<int>(intermediate.values.size()) != f.channels)
        fault(f.where, "{} has {} channels but {} values", who, f.channels,
              intermediate.values.size());
      check_own_domains(who, f, f.where, intermediate.domains, intermediate.values);
    }
    for (std::size_t i = 0; i < data_.fields.size(); ++i) {
      const Field& f = data_.fields[i];
      if (f.kind == FieldKind::Intermediate && definitions[FieldId(i)] != 1)
        fault(f.where, "intermediate '{}' is defined {} times", f.name, definitions[FieldId(i)]);
    }
  }

  void check_exclusions() {
    std::set<FieldId> seen;
    for (const Exclusion& exclusion : data_.exclusions) {
      const Field& f = field(exclusion.unknown);
      const std::string who = fmt::format("the exclusion of '{}'", f.name);
      if (f.kind != FieldKind::Unknown)
        fault(f.where, "{} '{}' is excluded; only unknowns can be", to_string(f.kind), f.name);
      if (!seen.insert(exclusion.unknown).second)
        fault(f.where, "'{}' has two exclusions; join their conditions", f.name);
      if (!graph_.is_boolean(exclusion.condition))
        fault(f.where, "{} is a number, not a condition", who);
      check_own_domains(who, f, f.where, exclusion.domains, {exclusion.condition});
    }
  }

  void check_bounds() {
    for (const Bounds& bounds : data_.bounds) {
      const Field& f = field(bounds.unknown);
      for (const auto* side : {&bounds.lower, &bounds.upper})
        check_own_domains(fmt::format("the bounds of '{}'", f.name), f, bounds.where,
                          bounds.domains, *side);
    }
  }

  void check_residuals() {
    const bool any_unknown = std::ranges::any_of(
        data_.fields, [](const Field& f) { return f.kind == FieldKind::Unknown; });
    if (!any_unknown) fault({}, "there is no unknown to solve for");
    if (data_.groups.empty()) fault({}, "there is no residual to minimize");
    UnknownDependence dependence(data_);
    for (const ResidualGroup& group : data_.groups) {
      const std::string who = fmt::format("residual group '{}'", group.name);
      if (group.residuals.empty()) {
        fault(group.where, "{} has no residual", who);
        continue;
      }
      if (group.domains.empty()) {
        fault(group.where,
              "{} exists at no point: none of its accesses uses a domain; write it over a loop "
              "variable, a(i) with local i = N(), and leave out other points by Select",
              who);
        continue;
      }
      check_residual_domains(group, who);
      if (group.loss) check_loss(group, who);
      if (any_unknown && std::ranges::none_of(group.residuals, [&](ExprId residual) {
            return dependence.value(residual);
          }))
        fault(group.where, "{} depends on no unknown", who);
    }
  }

  // The members of a batch have nothing to do with each other.
  void check_members() {
    const auto batch = std::ranges::find_if(data_.dims, &Dim::is_batch);
    if (batch == data_.dims.end()) return;
    if (const auto other =
            std::find_if(batch + 1, data_.dims.end(), [](const Dim& dim) { return dim.is_batch; });
        other != data_.dims.end())
      fault({},
            "'{}' and '{}' are both a batch; an energy has one batch at most, the other is a dim",
            batch->name, other->name);
    const DimId members(batch - data_.dims.begin());
    for (const ResidualGroup& group : data_.groups)
      check_one_member(members, fmt::format("residual group '{}'", group.name), group.domains,
                       group.residuals, group.where);
    for (const Intermediate& intermediate : data_.intermediates)
      check_one_member(members, fmt::format("intermediate '{}'", field(intermediate.field).name),
                       intermediate.domains, intermediate.values, field(intermediate.field).where);
  }

  void check_one_member(DimId members, const std::string& who, const std::vector<DomainId>& domains,
                        const std::vector<ExprId>& values, const SourceLocation& where) {
    UnknownDependence dependence(data_);
    DomainId member;
    for (const ExprId access : graph_.accesses(values)) {
      const Field& read = field(graph_.field(access));
      if (read.kind != FieldKind::Unknown && !dependence.value(access)) continue;
      const auto known = data_.places.find(access);
      const SourceLocation& place = known == data_.places.end() ? where : known->second;
      if (std::ranges::count(read.dims, members) != 1) {
        fault(place,
              "{} reads {} '{}', which is not over the batch {}, once: members of a batch share no "
              "unknowns; declare it over {}, or {} as a dim",
              who, to_string(read.kind), read.name, name(members), name(members), name(members));
        continue;
      }
      const auto position = std::ranges::find(read.dims, members) - read.dims.begin();
      const DomainId at = graph_.indices().as_domain(
          graph_.indices()[graph_.index(access)][static_cast<std::size_t>(position)]);
      const bool is_loop = at.valid() && std::ranges::find(domains, at) != domains.end();
      if (is_loop && (!member.valid() || at == member)) {
        member = at;
        continue;
      }
      fault(
          place,
          "{} reads '{}' at {}: what it reads of unknowns is of one member of the batch {}, at {}",
          who, read.name,
          is_loop ? fmt::format("the members '{}' and '{}'", name(member), name(at))
                  : "an index that is not its loop variable over the batch",
          name(members),
          member.valid() ? fmt::format("'{}'", name(member))
                         : fmt::format("a loop variable over {} of its own", name(members)));
    }
  }

  void check_loss(const ResidualGroup& group, const std::string& who) {
    const Loss& loss = *group.loss;
    const std::string what = loss.known != nullptr ? "the scale of " + loss.title() : loss.title();
    const std::string_view legal =
        loss.known != nullptr ? "it is a number or made of params"
                              : "it is a function of s, made of numbers, params and functions";
    const ExprId written = loss.written();
    for (const ExprId node : graph_.reachable(std::span(&written, 1))) {
      FieldId read;
      switch (graph_[node].op) {
        case Op::Access: read = graph_.field(node); break;
        case Op::Sample: read = graph_.sampler(node).image; break;
        case Op::SampleLayer: read = graph_.layers(node); break;
        case Op::InBounds:
        case Op::IndexValue:
          fault(loss.where, "{} of {} depends on the domains {}; {}", what, who,
                domain_list(graph_.free_domains(node)), legal);
          break;
        case Op::Freeze:
          fault(loss.where,
                "{} of {} has a part without derivative, Constant(...), but its derivative is what "
                "residuals are weighted by",
                what, who);
          break;
        default: break;
      }
      if (!read.valid()) continue;
      const Field& f = field(read);
      if (f.kind == FieldKind::Param || (f.kind == FieldKind::Array && f.dims.empty())) continue;
      fault(loss.where, "{} of {} reads the {} '{}'; {}", what, who, to_string(f.kind), f.name,
            legal);
    }
  }

  // All residuals of a group exist at the same points: a residual over fewer domains than the group
  // has would be counted once for every point of the others.
  void check_residual_domains(const ResidualGroup& group, const std::string& who) {
    std::vector<DomainId> all = group.domains;
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
      fault(group.where, "{} names a domain twice: {}", who, domain_list(group.domains));
    for (std::size_t i = 0; i < group.residuals.size(); ++i) {
      const ExprId residual = group.residuals[i];
      const std::vector<DomainId>& own = graph_.access_domains(residual);
      for (const DomainId domain : graph_.free_domains(residual))
        if (!std::ranges::binary_search(all, domain))
          fault(group.where,
                "residual {} of {} tests bounds of the domain '{}', over which it "
                "does not exist; it exists over {}",
                i, who, name(domain), domain_list(group.domains));
      if (!graph_.is_constant(residual) && own.size() < all.size())
        fault(group.where,
              "residual {} of {} exists over {}, but the group was given the domains {}", i, who,
              domain_list(own), domain_list(group.domains));
    }
  }
};

}  // namespace

std::vector<Diagnostic> find_faults(const Energy::Data& data, bool only_structure) {
  std::vector<Diagnostic> faults;
  Validation(data, faults).run(only_structure);
  return faults;
}

Diagnostic combine_faults(std::string_view subject, const std::vector<Diagnostic>& faults) {
  // A fault of a field is found again for each of its channels, but is listed once.
  std::vector<std::string> messages;
  for (const Diagnostic& fault : faults) {
    if (std::ranges::find(messages, fault.message()) == messages.end())
      messages.push_back(fault.message());
  }
  if (messages.size() == 1) return faults.front();
  return {fmt::format("{} has {} faults:\n  {}", subject, messages.size(),
                      fmt::join(messages, "\n  "))};
}

}  // namespace thallo
