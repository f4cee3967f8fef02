#include "core/language/declarations.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/language/dialect.h"
#include "core/language/environment.h"
#include "core/language/reads.h"

namespace thallo::language {
namespace {

DimRef add_dim(Call& call, const std::string& name, int slot) {
  require_new_dim(call, name);
  return {call.builder().dim(name, slot)};
}

int next_slot(Call& call) { return static_cast<int>(call.load().data().dims.size()); }

// Dims("W", "H") numbers its dims from 0.
int declare_dims(Call& call) {
  if (call.num_arguments() == 0) call.fault("expected the names of dims, e.g. Dims(\"W\", \"H\")");
  for (int i = 1; i <= call.num_arguments(); ++i) {
    const std::string name = call.identifier(i, "the name of a dim");
    call.push(Value(add_dim(call, name, next_slot(call))));
  }
  return call.num_arguments();
}

// Batch("B"): a dim of members that are solved each by itself.
int declare_batch(Call& call) {
  const std::string name = call.identifier(1, "the name of a batch");
  call.expect_last(1);
  require_new_dim(call, name);
  for (const Dim& dim : call.load().data().dims)
    if (dim.is_batch)
      call.fault("'{}' is a batch, and an energy has one at most; write {} = Dims(\"{}\")",
                 dim.name, name, name);
  return call.push(Value(DimRef{call.builder().batch(name, next_slot(call))}));
}

int declare_dim(Call& call) {
  const std::string name = call.identifier(1, "the name of a dim");
  call.expect_last(2);
  const int slot =
      call.has(2) ? static_cast<int>(call.integer(2, "the position of the dim")) : next_slot(call);
  return call.push(Value(add_dim(call, name, slot)));
}

Declaration start_declaration(Call& call, Declaration::Kind kind) {
  Declaration declaration;
  declaration.kind = kind;
  declaration.order = call.load().num_declarations++;
  declaration.where = call.where();
  return declaration;
}

int declare_unknown(Call& call) {
  refuse_opt_declaration(call, "Unknown");
  return call.push(Value(field_declaration(call, 1, Declaration::Kind::Unknown)));
}
int declare_array(Call& call) {
  refuse_opt_declaration(call, "Array");
  return call.push(Value(field_declaration(call, 1, Declaration::Kind::Array)));
}
int declare_param(Call& call) {
  refuse_opt_declaration(call, "Param");
  return call.push(Value(param_declaration(call, 1)));
}

// Sparse({E}, {N} [, slot] [, {optional = true}])
int declare_sparse(Call& call) {
  Declaration declaration = start_declaration(call, Declaration::Kind::Sparse);
  declaration.dims = dim_list(call, 1, "the dims it maps from");
  declaration.out = dim_list(call, 2, "the dims it maps to");
  int next = 3;
  if (call.has(next) && !call.is_table(next)) declaration.slot = optional_slot(call, next++);
  if (call.has(next)) {
    if (!call.is_table(next)) call.fault_expected(next, "options, {optional = true}");
    for (const std::string& option : text_keys(call.lua(), next).names) {
      if (option != "optional")
        call.fault("there is no option '{}'; a sparse map has the option 'optional'", option);
      lua_getfield(call.lua(), next, option.c_str());
      declaration.optional = lua_toboolean(call.lua(), -1) != 0;
    }
    call.expect_last(next);
  }
  return call.push(Value(std::move(declaration)));
}

// Inputs { X = Unknown(...), ... }: declares the inputs in source order, whatever order the table
// keeps, and returns a table of them. A faulty entry poisons its own name only.
int declare_inputs(Call& call) {
  if (!call.is_table(1)) call.fault_expected(1, "a table, Inputs { X = Unknown(...), ... }");
  const SourceLocation statement = call.where();
  const auto report = [&](const SourceLocation& where, const std::string& what) {
    call.load().report({"Inputs: " + what, where, {}});
  };
  std::vector<std::pair<std::string, Declaration>> inputs;
  std::vector<std::string> faulty;
  const TextKeys keys = text_keys(call.lua(), 1);
  if (!keys.are_all) report(statement, "inputs have names, Inputs { X = ... }; found one without");
  for (const std::string& name : keys.names) {
    lua_settop(call.lua(), 1);
    lua_getfield(call.lua(), 1, name.c_str());
    const int value = 2;
    const auto* declaration = call.find<Declaration>(value);
    if (declaration != nullptr) {
      if (is_language_name(call.lua(), name))  // published texts call the lights L_1 to L_9
        logger("language")
            .warn("{}: the input '{}' hides what the language calls so", declaration->where.text(),
                  name);
      inputs.emplace_back(name, *declaration);
      continue;
    }
    faulty.push_back(name);
    if (call.find<Poison>(value) == nullptr) {
      report(statement, fmt::format("'{}' must be Unknown, Array, Param or Sparse, found {}", name,
                                    call.describe(value)));
    }
  }
  lua_newtable(call.lua());
  const auto set = [&](const std::string& name, Value value) {
    call.push(std::move(value));
    lua_pushvalue(call.lua(), -1);
    lua_setfield(call.lua(), -3, name.c_str());
    set_input(call.lua(), name.c_str());
  };
  for (const std::string& name : faulty) set(name, Poison{});
  std::ranges::sort(inputs, {}, [](const auto& input) { return input.second.order; });
  for (const auto& [name, declaration] : inputs) set(name, declare_input(call, name, declaration));
  return 1;
}

constexpr HostFunction Declarations[] = {
    {"Array", &declare_array}, {"Batch", &declare_batch},   {"Dim", &declare_dim},
    {"Dims", &declare_dims},   {"Image", &declare_array},   {"Inputs", &declare_inputs},
    {"Param", &declare_param}, {"Sparse", &declare_sparse}, {"Unknown", &declare_unknown},
};

}  // namespace

void require_new_dim(Call& call, const std::string& name) {
  for (const Dim& dim : call.load().data().dims)
    if (dim.name == name) call.fault("the dim '{}' is already declared", name);
}

// The usual mistake is a loop variable, W(), in place of the dim W.
std::vector<DimId> dim_list(Call& call, int i, const char* meaning) {
  if (const auto* dim = call.find<DimRef>(i)) return {dim->id};
  if (!call.is_table(i)) call.fault_expected(i, fmt::format("{}, e.g. {{W, H}}", meaning));
  std::vector<DimId> result;
  for_each_entry(call.lua(), i, [&](int entry) {
    if (call.find<IndexTuple>(entry) != nullptr)
      call.fault("expected a dim such as W, found an index; W() is a loop variable, W the dim");
    if (call.is_number(entry))
      call.fault(
          "expected a dim such as W, found {}; sizes are given when the energy is solved, a text "
          "only names them: W, H = Dims(\"W\", \"H\")",
          call.describe(entry));
    result.push_back(call.expect<DimRef>(entry, "a dim").id);
  });
  if (result.empty()) call.fault("the list of dims is empty; a field has at least one dim");
  return result;
}

int optional_slot(Call& call, int i) {
  if (!call.has(i)) return -1;
  const std::int64_t slot = call.integer(i, "a slot (integer)");
  if (slot < 0 || slot > 1'000'000) call.fault("slot {} is out of range; slots count from 0", slot);
  return static_cast<int>(slot);
}

Declaration field_declaration(Call& call, int first, Declaration::Kind kind, int num_bare_dims) {
  Declaration declaration = start_declaration(call, kind);
  int next = first;
  if (const auto* type = call.find<Type>(next)) {
    declaration.type = *type;
    ++next;
  } else if (!call.is_table(next) && call.find<DimRef>(next) == nullptr) {
    call.fault_expected(next, "a type such as float2, or the list of dims");
  }
  if (num_bare_dims == 0) declaration.dims = dim_list(call, next++, "the list of dims");
  for (int d = 0; d < num_bare_dims; ++d)
    declaration.dims.push_back(call.expect<DimRef>(next++, "a dim").id);
  declaration.slot = optional_slot(call, next);
  call.expect_last(next);
  if (kind == Declaration::Kind::Unknown) {
    const ScalarType scalar = declaration.type.scalar;
    if (scalar == ScalarType::Int32 || scalar == ScalarType::UInt8)
      call.fault("an unknown is real, found the type {}; integers cannot be solved for",
                 declaration.type.name);
    declaration.type.scalar = ScalarType::Working;  // its precision is the solver's
  }
  return declaration;
}

Declaration param_declaration(Call& call, int first) {
  Declaration declaration = start_declaration(call, Declaration::Kind::Param);
  int next = first;
  if (const auto* type = call.find<Type>(next)) {
    declaration.type = *type;
    ++next;
  }
  if (call.is_table(next) || call.find<DimRef>(next) != nullptr)
    call.fault(
        "a param is one value for all points and has no dims; an input with a value for each point "
        "is an array, Array({}, {{W, H}})",
        declaration.type.name);
  declaration.slot = optional_slot(call, next);
  call.expect_last(next);
  return declaration;
}

// A Param of several numbers is an array without dims.
Value declare_input(Call& call, const std::string& name, const Declaration& d) {
  EnergyBuilder& builder = call.builder();
  switch (d.kind) {
    case Declaration::Kind::Unknown:
      if (d.type.manifold != Manifold::Euclidean)
        return FieldRef{builder.unknown(name, d.dims, d.type.manifold, d.slot, d.where).id()};
      return FieldRef{
          builder.unknown(name, d.dims, d.type.channels, d.slot, d.type.scalar, d.where).id()};
    case Declaration::Kind::Array: {
      const FieldId array =
          builder.array(name, d.dims, d.type.channels, d.slot, d.type.scalar, d.where).id();
      if (d.type.manifold != Manifold::Euclidean)
        call.load().array_manifolds.emplace(array, d.type.manifold);
      return FieldRef{array};
    }
    case Declaration::Kind::Param:
      if (d.type.channels == 1)
        return Scalar{builder.param(name, d.slot, d.type.scalar, d.where).id()};
      return Vector{
          read(call, builder.array(name, {}, d.type.channels, d.slot, d.type.scalar, d.where).id(),
               {})
              .ids,
          d.type.manifold};
    case Declaration::Kind::Sparse: break;
  }
  return MapRef{builder.map(name, d.dims, d.out, d.slot, d.optional, d.where).id()};
}

void add_types(lua_State* state) {
  const auto add = [&](const std::string& name, ScalarType scalar, int channels) {
    push_value(state, Type{name, scalar, channels});
    lua_setfield(state, -2, name.c_str());
  };
  constexpr int MaxVector = 12;
  constexpr int MaxMatrix = 6;
  struct Family {
    const char* scalar;  // + N for vectors
    const char* matrix;  // + N + suffix
    const char* matrix_suffix;
    ScalarType type;
  };
  constexpr Family Families[] = {
      {"float", "mat", "f", ScalarType::Float},
      {"double", "mat", "d", ScalarType::Double},
      {"thallo_float", "thallo_mat", "f", ScalarType::Working},
  };
  for (const Family& family : Families) {
    add(family.scalar, family.type, 1);
    for (int n = 2; n <= MaxVector; ++n) add(fmt::format("{}{}", family.scalar, n), family.type, n);
    for (int n = 2; n <= MaxMatrix; ++n)
      add(fmt::format("{}{}{}", family.matrix, n, family.matrix_suffix), family.type, n * n);
  }
  for (const Manifold pose : {Manifold::SE2, Manifold::SE3, Manifold::SO3, Manifold::S2}) {
    const std::string name(to_string(pose));
    push_value(state, Type{name, ScalarType::Working, stored_channels(pose), pose});
    lua_setfield(state, -2, name.c_str());
  }
  add("uint8", ScalarType::UInt8, 1);
  add("int", ScalarType::Int32, 1);
  add("int32", ScalarType::Int32, 1);
}

void add_declarations(lua_State* state) { add_functions(state, Declarations); }

}  // namespace thallo::language
