// Functions that state something besides residuals (UsePreconditioner, Exclude), functions that
// bind loop variables (Sum, and for stored intermediates e:get(...), ComputedArray and name), and
// the methods of values.

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/language/functions.h"
#include "core/language/reads.h"
#include "core/language/schedule_methods.h"

namespace thallo::language {
namespace {

std::vector<DomainId> access_domains(Call& call, const std::vector<ExprId>& ids) {
  std::vector<DomainId> result;
  for (const ExprId id : ids) result = merge_domains(result, call.graph().access_domains(id));
  return result;
}

std::string domain_names(Call& call, const std::vector<DomainId>& domains) {
  std::string result;
  for (const DomainId domain : domains)
    result += (result.empty() ? "" : ", ") + call.graph().indices().domain(domain).name;
  return result;
}

int use_preconditioner(Call& call) {
  if (lua_type(call.lua(), 1) != LUA_TBOOLEAN) call.fault_expected(1, "true or false");
  call.load().defaults.use_preconditioner = lua_toboolean(call.lua(), 1) != 0;
  return 0;
}

// Sum({k, l}, e), channel by channel.
int sum(Call& call) {
  const std::vector<DomainId> domains = domain_list(call, 1);
  Elements result = call.elements(2);
  for (const DomainId domain : domains) {
    const auto uses = [&](ExprId id) {
      return std::ranges::binary_search(call.graph().free_domains(id), domain);
    };
    if (std::ranges::none_of(result.ids, uses))
      logger("language")
          .warn("{}: Sum over '{}', which does not occur in the summand", call.where().text(),
                call.graph().indices().domain(domain).name);
  }
  for (ExprId& id : result.ids) id = call.graph().sum(domains, id);
  return call.push(result);
}

// e:get(i, j): e is stored over the loop variables of its reads, in the order in which they were
// made, and read at (i, j) in their place.
int read_stored(Call& call) {
  const Elements values = call.elements(1);
  const std::vector<DomainId> domains = access_domains(call, values.ids);
  if (domains.empty()) {
    call.fault(
        "the expression depends on no loop variable: it is one number, which "
        "ComputedArray(\"name\", {{}}, e) stores and e itself reads");
  }
  const std::vector<Affine> index = call.components(2, call.num_arguments());
  if (index.size() != domains.size())
    call.fault("the expression depends on ({}), so get takes {} indices, found {}",
               domain_names(call, domains), domains.size(), index.size());
  const std::string name = call.load().find_name(values.ids);
  Elements result = read(call, call.load().store(name, domains, values.ids, call.where()), index);
  result.is_vector = values.is_vector;
  return call.push(result);
}

// ComputedArray("name", {x, y}, e): a stored expression that is read like a field.
int make_computed_array(Call& call) {
  const std::string name = call.identifier(1, "a name");
  const std::vector<DomainId> domains = domain_list(call, 2);
  return call.push(
      Value(FieldRef{call.load().store(name, domains, call.elements(3).ids, call.where())}));
}

// name("pose", e) is e. It is stored under this name once e:get(...) is read, and has this name
// where it is found to be an intermediate.
int name_expression(Call& call) {
  const std::string name = call.identifier(1, "a name");
  const Elements value = call.elements(2);
  call.load().remember_name(value.ids, name);
  for (const ExprId id : value.ids) call.builder().name(id, name);
  return call.push(value);
}

// X:Exclude(condition [, channel, ...]): the loop variables of the condition are matched to the
// dims of X, in the order in which they were made.
int exclude(Call& call) {
  const FieldId id = call.expect<FieldRef>(1, "an unknown").id;
  const Field field = call.load().data().fields[id.index()];
  if (field.kind != FieldKind::Unknown)
    call.fault("{} is not an unknown; only unknowns can be excluded", call.describe(1));
  const ExprId condition = condition_argument(call, 2);
  std::vector<DomainId> rest = call.graph().free_domains(condition);
  const std::vector<DomainId> domains = call.builder().element_domains(id, rest);
  if (!rest.empty())
    call.fault(
        "the condition depends on ({}), which {} has no dim for; use one loop variable for "
        "each dim of it",
        domain_names(call, rest), call.describe(1));
  const Expr held(&call.builder(), condition);
  std::set<int> channels;
  for (int i = 3; i <= call.num_arguments(); ++i)
    channels.insert(static_cast<int>(call.integer(i, "a channel")));
  if (channels.empty()) {
    call.builder().exclude(id, domains, held, call.where());
  } else {
    call.builder().hold(id, std::move(channels), domains, held, call.where());
  }
  return 0;
}

// X:bounds(lo, hi), each nil, a scalar for all channels or a list of one for each.
int keep_in_bounds(Call& call) {
  const FieldId id = call.expect<FieldRef>(1, "an unknown").id;
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  const auto side = [&](int i, double none) -> Bound {
    return call.has(i) ? call.to_vec(call.elements(i, "a bound").ids) : Bound(none);
  };
  if (!call.has(2) && !call.has(3)) call.fault("expected a lower bound, an upper one or both");
  call.expect_last(3);
  call.builder().bounds(id, side(2, -Infinity), side(3, Infinity), call.where());
  return 0;
}

// x:asvalue(): the index as a number.
int index_value(Call& call) {
  const auto& index = call.expect<IndexTuple>(1, "an index");
  Elements result{{}, index.components.size() > 1};
  for (const Affine& component : index.components)
    result.ids.push_back(call.graph().index_value(component));
  return call.push(result);
}

int size(Call& call) {
  lua_pushinteger(call.lua(), static_cast<lua_Integer>(call.elements(1).size()));
  return 1;
}

// v:expressions(): the entries as a Lua table.
int push_entries(Call& call) {
  const Elements entries = call.elements(1);
  lua_createtable(call.lua(), static_cast<int>(entries.size()), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    call.push_scalar(entries.ids[i]);
    lua_rawseti(call.lua(), -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

int sum_of_entries(Call& call) {
  const Elements entries = call.elements(1);
  return call.push_scalar(call.graph().add(entries.ids));
}

// v:slice(first, last): entries first ... last - 1.
int slice(Call& call) {
  const Elements entries = call.elements(1);
  const std::int64_t first = call.integer(2, "the first entry");
  const std::int64_t last = call.integer(3, "the entry after the last");
  if (first < 0 || last <= first || last > static_cast<std::int64_t>(entries.size()))
    call.fault("slice({}, {}) of {}; it takes entries first to last - 1, counted from 0", first,
               last, call.describe(1));
  return call.push(Value(Vector{{entries.ids.begin() + first, entries.ids.begin() + last}}));
}

constexpr HostFunction StatementFunctions[] = {
    {"ComputedArray", &make_computed_array},          {"SampledImage", &make_sampled_image},
    {"SampledImageArray", &make_sampled_image_array}, {"Sum", &sum},
    {"UsePreconditioner", &use_preconditioner},       {"name", &name_expression},
};
constexpr HostFunction ValueMethods[] = {{"expressions", &push_entries},
                                         {"get", &read_stored},
                                         {"materialize", &record_for_intermediate},
                                         {"materializeJ", &record_for_intermediate},
                                         {"parallelize", &parallelize},
                                         {"set_gradient_materialize", &record_for_intermediate},
                                         {"set_materialize", &record_for_intermediate},
                                         {"size", &size},
                                         {"slice", &slice},
                                         {"sum", &sum_of_entries}};
constexpr HostFunction IndexMethods[] = {{"asvalue", &index_value}};
constexpr HostFunction FieldMethods[] = {{"Exclude", &exclude},
                                         {"bounds", &keep_in_bounds},
                                         {"materialize", &record_for_intermediate},
                                         {"materializeJ", &record_for_intermediate},
                                         {"set_gradient_materialize", &record_for_intermediate},
                                         {"set_materialize", &record_for_intermediate}};
constexpr HostFunction MapMethods[] = {{"set_coherent", &set_coherent}};

}  // namespace

ExprId condition_argument(Call& call, int i) {
  const ExprId condition = call.scalar(i, "a condition");
  if (!call.graph().is_boolean(condition)) {
    call.fault(
        "expected a condition such as eq(Mask({}), 0), found a number; write neq(e, 0) for \"e is "
        "not 0\"",
        call.load().kind() == TextLoad::Kind::OptEnergy ? "0, 0" : "x, y");
  }
  return condition;
}

std::vector<DomainId> domain_list(Call& call, int i) {
  std::vector<DomainId> result;
  for (const IndexTuple& index : call.list<IndexTuple>(i, "a loop variable such as k = K()")) {
    for (const Affine& component : index.components) {
      const DomainId domain = call.graph().indices().as_domain(component);
      if (!domain.valid()) call.fault("expected loop variables, found a computed index");
      result.push_back(domain);
    }
  }
  return result;
}

void add_statements(lua_State* state) { add_functions(state, StatementFunctions); }

void add_methods(lua_State* state) {
  const auto add = [&](std::size_t alternative, std::span<const HostFunction> methods) {
    luaL_getmetatable(state, KindNames[alternative]);
    lua_getfield(state, -1, "methods");
    add_functions(state, methods);
    lua_pop(state, 2);
  };
  add(Value(Scalar{}).index(), ValueMethods);
  add(Value(Vector{}).index(), ValueMethods);
  add(Value(IndexTuple{}).index(), IndexMethods);
  add(Value(FieldRef{}).index(), FieldMethods);
  add(Value(MapRef{}).index(), MapMethods);
}

}  // namespace thallo::language
