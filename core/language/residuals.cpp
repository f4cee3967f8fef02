// Residuals { fit = ..., reg = ... }, and what is said about a group afterwards:
//
//   local r = Residuals { fit = X(i) - A(i) }
//   r.fit:loss(huber(0.5))

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/language/functions.h"
#include "core/language/operators.h"

namespace thallo::language {
namespace {

// Residuals { name = e, name = {e1, e2} }: groups sorted by name. A group that is faulty is left
// out, so that the others are still looked at.
int state_residuals(Call& call) {
  Session& session = call.session();
  auto& stated = session.residuals_statement;
  if (stated)
    call.fault(
        "residuals were stated at {} already; write all groups into one table, Residuals {{ fit = "
        "..., reg = ... }}",
        stated->text());
  stated = call.where();
  if (!call.is_table(1)) call.fault_expected(1, "a table, Residuals { fit = ..., reg = ... }");
  const TextKeys keys = text_keys(call.lua(), 1);
  if (!keys.are_all)
    session.report(
        {"Residuals: groups have names, Residuals { fit = ... }; found one without", *stated, {}});
  for (const std::string& name : keys.names) {
    session.faulty_groups.insert(name);
    try {
      lua_getfield(call.lua(), 1, name.c_str());
      const Elements residuals = call.elements(
          lua_gettop(call.lua()), fmt::format("an expression for the residual '{}'", name));
      call.builder().residual(name, call.to_vec(residuals.ids), *stated);
      session.faulty_groups.erase(name);
    } catch (const AlreadyReported&) {
    } catch (const Fault& fault) {
      session.report({"Residuals: " + fault.what, *stated, fault.alternatives});
    }
    lua_settop(call.lua(), 1);  // a fault inside of a list leaves entries of it on the stack
  }
  return call.push(Value(EnergyRef{}));
}

// r.fit
int find_group(Call& call) {
  const std::string name = call.text(2, "the name of a residual group");
  std::vector<std::string> names;
  for (const ResidualGroup& group : call.session().data().groups) {
    if (group.name == name) return call.push(Value(GroupRef{name}));
    names.push_back(group.name);
  }
  if (call.session().faulty_groups.contains(name)) return call.push(Value(Poison{}));
  throw Fault{fmt::format("there is no residual group '{}'{}", name, did_you_mean(name, names)),
              names};
}

// huber(a): what is no outlier has a norm up to a.
template <LossKind kind>
int make_loss(Call& call) {
  return call.push(
      Value(LossRef{{kind, call.scalar(1, "the scale of the loss, a number or a Param"), {}}}));
}

// r.fit:loss(huber(a))
int set_loss(Call& call) {
  const std::string name = call.expect<GroupRef>(1, "a residual group").name;
  const Loss loss = call.expect<LossRef>(2, "a loss such as huber(0.5)").loss;
  const std::size_t before = call.num_faults();
  call.builder().loss(name, loss.kind, Expr(&call.builder(), loss.scale), call.where());
  call.require_no_fault_since(before);
  lua_settop(call.lua(), 1);
  return 1;
}

constexpr HostFunction ResidualFunctions[] = {
    {"Residuals", &state_residuals},
    {"cauchy", &make_loss<LossKind::Cauchy>},
    {"geman_mcclure", &make_loss<LossKind::GemanMcClure>},
    {"huber", &make_loss<LossKind::Huber>},
};
constexpr HostFunction GroupMethods[] = {{"loss", &set_loss}};
constexpr HostFunction EnergyOperators[] = {{"__index", &find_group}};

}  // namespace

void add_residuals(lua_State* state) { add_functions(state, ResidualFunctions); }

void add_residual_methods(lua_State* state) {
  push_methods(state, KindNames[Value(GroupRef{}).index()]);
  add_functions(state, GroupMethods);
  lua_pop(state, 1);
  luaL_getmetatable(state, KindNames[Value(EnergyRef{}).index()]);
  add_functions(state, EnergyOperators);
  lua_pop(state, 1);
}

}  // namespace thallo::language
