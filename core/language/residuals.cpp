// Residuals { fit = ..., reg = ... }, and losses. The methods of a group, r.fit:loss(huber(0.5)),
// are in schedule_methods.cpp.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/language/functions.h"

namespace thallo::language {
namespace {

// Residuals { name = e, name = {e1, e2} }: adds the groups sorted by name. A faulty group is left
// out, so that faults of the others are still found.
int state_residuals(Call& call) {
  TextLoad& load = call.load();
  auto& stated = load.residuals_statement;
  if (stated)
    call.fault(
        "residuals were stated at {} already; write all groups into one table, Residuals {{ fit = "
        "..., reg = ... }}",
        stated->text());
  stated = call.where();
  if (!call.is_table(1)) call.fault_expected(1, "a table, Residuals { fit = ..., reg = ... }");
  const TextKeys keys = text_keys(call.lua(), 1);
  if (!keys.are_all)
    load.report(
        {"Residuals: groups have names, Residuals { fit = ... }; found one without", *stated, {}});
  for (const std::string& name : keys.names) {
    load.faulty_groups.insert(name);
    try {
      if (!is_identifier(name))
        call.fault("a group is named with letters, digits and _, found '{}'", name);
      lua_getfield(call.lua(), 1, name.c_str());
      const Elements residuals = call.elements(
          lua_gettop(call.lua()), fmt::format("an expression for the residual '{}'", name));
      call.builder().residual(name, call.to_vec(residuals.ids), *stated);
      load.faulty_groups.erase(name);
    } catch (const AlreadyReported&) {
    } catch (const Fault& fault) {
      load.report({"Residuals: " + fault.what, *stated, fault.alternatives});
    }
    lua_settop(call.lua(), 1);  // a fault inside of a list leaves entries of it on the stack
  }
  return call.push(Value(ScheduleName{ScheduleName::Kind::Energy, "", ""}));
}

// huber(a): a residual whose norm is at most a is no outlier.
int make_loss(Call& call) {
  return call.push(Value(LossRef{find_known_loss(call.name()),
                                 call.scalar(1, "the scale of the loss, a number or a Param")}));
}

// What Lua calls lives as long as the program.
std::vector<HostFunction> residual_functions() {
  std::vector<HostFunction> functions = {{"Residuals", &state_residuals}};
  for (const KnownLoss& loss : known_losses()) functions.push_back({loss.name.data(), &make_loss});
  return functions;
}

}  // namespace

void add_residuals(lua_State* state) {
  static const std::vector<HostFunction> Functions = residual_functions();
  add_functions(state, Functions);
}

}  // namespace thallo::language
