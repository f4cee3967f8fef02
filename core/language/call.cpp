#include "core/language/call.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace thallo::language {
namespace {

// How deep tables may nest; deeper ones are a mistake (a table that contains itself).
constexpr int MaxTableDepth = 8;

void require_few_entries(const Elements& elements) {
  if (elements.size() > MaxEntries)
    throw Stop{fmt::format("a vector or list has more than {} entries", MaxEntries)};
}

std::size_t owned_bytes(const Value& value) {
  if (const auto* vector = std::get_if<Vector>(&value))
    return vector->entries.capacity() * sizeof(ExprId);
  if (const auto* name = std::get_if<ScheduleName>(&value)) return name->name.capacity();
  if (const auto* method = std::get_if<ScheduleMethod>(&value))
    return method->on.name.capacity() + method->method.capacity();
  return 0;
}

bool has_poison(const Call& call) {
  for (int i = 1; i <= call.num_arguments(); ++i)
    if (call.find<Poison>(i) != nullptr) return true;
  return false;
}

std::string describe_name(const ScheduleName& name) {
  switch (name.kind) {
    case ScheduleName::Kind::Energy: return "the energy";
    case ScheduleName::Kind::Part: return fmt::format("the part r.{}", name.name);
    case ScheduleName::Kind::Product: return "the product " + name.text();
    case ScheduleName::Kind::Bare: return fmt::format("the name {}", name.name);
  }
  THALLO_UNREACHABLE();
}

void report(Call& call, const Fault& fault) {
  const CallSite site = find_call_site(call.lua());
  std::string_view prefix = site.helper.empty() ? call.name() : std::string_view(site.helper);
  if (prefix.starts_with("__")) prefix = {};
  const std::string what = prefix.empty() ? fault.what : fmt::format("{}: {}", prefix, fault.what);
  call.load().report({what, call.load().location(site.line), fault.alternatives});
}

// Runs the function and says how many results it pushed, or -1 when the run ends with the error
// object on the top of the stack. All C++ objects of the call are gone when it returns.
int run_function(lua_State* state, const HostFunction& function) {
  TextLoad& load = TextLoad::of(state);
  const LuaState::HostSection section(load.lua());
  const ExprGraph::LineScope scope(load.graph(), load.line(find_call_site(state).line));
  Call call(state, load, function.name);
  const auto stop = [&](const std::string& message) {
    lua_pushlstring(state, message.data(), message.size());
    return -1;
  };
  int num_results = 0;
  try {
    num_results = has_poison(call) && !function.takes_poison ? call.push(Value(Poison{}))
                                                             : function.run(call);
  } catch (const Fault& fault) {
    report(call, fault);
    num_results = call.push(Value(Poison{}));
  } catch (const AlreadyReported&) {
    num_results = call.push(Value(Poison{}));
  } catch (const Stop& reason) {
    return stop(reason.what);
  } catch (...) {
    load.keep_exception(std::current_exception());
    return stop("internal error");
  }
  if (const auto passed = load.find_passed_limit()) return stop(*passed);
  return num_results;
}

int trampoline(lua_State* state) {
  return call_host(state,
                   *static_cast<const HostFunction*>(lua_touserdata(state, lua_upvalueindex(1))));
}

}  // namespace

const Value* Call::find_value(int i) const {
  if (lua_type(state_, i) != LUA_TUSERDATA) return nullptr;
  return static_cast<const Value*>(lua_touserdata(state_, i));
}

std::int64_t Call::integer(int i, std::string_view expected) {
  int is_integer = 0;
  const lua_Integer value = is_number(i) ? lua_tointegerx(state_, i, &is_integer) : lua_Integer{0};
  if (is_integer == 0 || value < -MaxInteger || value > MaxInteger) fault_expected(i, expected);
  return value;
}

std::string Call::text(int i, std::string_view expected) {
  if (lua_type(state_, i) != LUA_TSTRING) fault_expected(i, expected);
  std::size_t length = 0;
  const char* text = lua_tolstring(state_, i, &length);
  return {text, length};
}

std::string Call::identifier(int i, std::string_view expected) {
  std::string name = text(i, expected);
  if (!is_identifier(name))
    fault("expected {} (letters, digits and _), found '{}'", expected, name);
  return name;
}

Elements Call::elements(int i, std::string_view expected) { return elements(i, i, expected); }

Elements Call::elements(int first, int last, std::string_view expected) {
  Elements result;
  for (int i = first; i <= last; ++i) {
    if (lua_isnoneornil(state_, i)) fault_expected(i, expected);
    append_elements(i, expected, 0, result);
  }
  require_few_entries(result);
  return result;
}

void Call::append_elements(int i, std::string_view expected, int depth, Elements& result) {
  require_few_entries(result);
  if (is_number(i)) {
    const double value = number(i);
    if (std::isnan(value)) fault("expected {}, found the number nan (0/0?)", expected);
    result.ids.push_back(graph().constant(value));
  } else if (lua_type(state_, i) == LUA_TBOOLEAN) {
    result.ids.push_back(graph().boolean(lua_toboolean(state_, i) != 0));
  } else if (const auto* scalar_value = find<Scalar>(i)) {
    result.ids.push_back(scalar_value->id);
  } else if (const auto* vector = find<Vector>(i)) {
    result.ids.insert(result.ids.end(), vector->entries.begin(), vector->entries.end());
    result.is_vector = true;
  } else if (is_table(i) && depth < MaxTableDepth && lua_checkstack(state_, LUA_MINSTACK) != 0) {
    result.is_vector = true;
    for_each_entry(state_, i,
                   [&](int entry) { append_elements(entry, expected, depth + 1, result); });
  } else if (const auto* field = find<FieldRef>(i)) {
    fault("expected {}, found the field {} without an index; read it as {}", expected,
          load_.data().fields[field->id.index()].name, example_read(*field));
  } else if (find<IndexTuple>(i) != nullptr) {
    fault("expected {}, found an index; the number of an index x is x:asvalue()", expected);
  } else if (find<DimRef>(i) != nullptr) {
    fault(
        "expected {}, found {}, which is no number; to compute with its extent, declare a Param "
        "and bind the extent to that, too",
        expected, describe(i));
  } else {
    fault_expected(i, expected);
  }
}

ExprId Call::scalar(int i, std::string_view expected) {
  const Elements found = elements(i, expected);
  if (found.size() != 1) fault_expected(i, expected);
  return found.ids[0];
}

void Call::expect_last(int i) {
  if (num_arguments() > i) fault("takes nothing more, found {}", describe(i + 1));
}

std::vector<Affine> Call::components(int first, int last) {
  std::vector<Affine> result;
  for (int i = first; i <= last; ++i) append_components(i, 0, result);
  return result;
}

void Call::append_components(int i, int depth, std::vector<Affine>& result) {
  if (const auto* index = find<IndexTuple>(i)) {
    result.insert(result.end(), index->components.begin(), index->components.end());
  } else if (is_table(i) && depth < MaxTableDepth && lua_checkstack(state_, LUA_MINSTACK) != 0) {
    for_each_entry(state_, i, [&](int entry) { append_components(entry, depth + 1, result); });
  } else if (const auto* dim = find<DimRef>(i)) {
    const std::string& dim_name = load_.data().dims[dim->id.index()].name;
    fault("expected an index, found the dim {0}; {0}() makes an index that runs over it", dim_name);
  } else if (find<Scalar>(i) != nullptr) {
    fault(
        "expected an index, found an expression; indices are made of loop variables, integers and "
        "sparse maps, never of values");
  } else {
    result.push_back(IndexTable::component(integer(i, "an index or an integer")));
  }
}

std::size_t Call::common_size(std::initializer_list<const Elements*> operands,
                              std::string_view names) {
  std::size_t size = 1;
  for (const Elements* operand : operands)
    if (operand->size() != 1) size = operand->size();
  for (const Elements* operand : operands) {
    if (operand->size() == 1 || operand->size() == size) continue;
    std::string sizes;
    for (const Elements* each : operands)
      sizes +=
          fmt::format("{}{}", sizes.empty() ? "" : (each == *(operands.end() - 1) ? " and " : ", "),
                      each->size());
    fault("{} have {} entries; their sizes must be equal, or 1", names, sizes);
  }
  return size;
}

Vec Call::to_vec(const std::vector<ExprId>& ids) {
  std::vector<Expr> result;
  for (const ExprId id : ids) result.emplace_back(&builder(), id);
  return result;
}

int Call::push(Value value) {
  push_value(state_, std::move(value));
  return 1;
}

int Call::push(double value) {
  lua_pushnumber(state_, value);
  return 1;
}

int Call::push(const Elements& elements) {
  return elements.is_vector ? push(Value(Vector{elements.ids, elements.manifold}))
                            : push_scalar(elements.ids.at(0));
}

void Call::fault_expected(int i, std::string_view expected) {
  if (find<Poison>(i) != nullptr) throw AlreadyReported{};
  fault("expected {}, found {}", expected, describe(i));
}

void Call::fault_unknown(std::string_view what, std::string_view name,
                         std::vector<std::string> legal) {
  Diagnostic fault = unknown_name(what, name, std::move(legal));
  throw Fault{std::move(fault.what), std::move(fault.alternatives)};
}

void Call::require_no_fault_since(std::size_t num_faults) const {
  if (load_.faults().size() != num_faults) throw AlreadyReported{};
}

std::string Call::example_read(const FieldRef& field) const {
  const Field& declared = load_.data().fields[field.id.index()];
  const bool is_opt = load_.kind() == TextLoad::Kind::OptEnergy;
  std::string index;
  for (const DimId dim : declared.dims) {
    index += index.empty() ? "" : ", ";
    if (is_opt) {  // offsets from the pixel
      index += '0';
      continue;
    }
    for (const char c : load_.data().dims[dim.index()].name)
      index += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return fmt::format("{}({})", declared.name, index);
}

std::string Call::describe(int i) const {
  if (lua_isnone(state_, i)) return "nothing";
  switch (lua_type(state_, i)) {
    case LUA_TNIL: return "nil";
    case LUA_TBOOLEAN: return lua_toboolean(state_, i) != 0 ? "true" : "false";
    case LUA_TNUMBER:  // the sign of nan depends on the machine
      return std::isnan(number(i)) ? "the number nan" : fmt::format("the number {}", number(i));
    case LUA_TSTRING: return fmt::format("the text '{}'", lua_tostring(state_, i));
    case LUA_TUSERDATA: return describe(*find_value(i));
    default: return fmt::format("a {}", lua_typename(state_, lua_type(state_, i)));
  }
}

std::string Call::describe(const Value& value) const {
  const Energy::Data& data = load_.data();
  if (const auto* vector = std::get_if<Vector>(&value))
    return fmt::format("a vector of {}", vector->entries.size());
  if (const auto* dim = std::get_if<DimRef>(&value))
    return fmt::format("the dim {}", data.dims[dim->id.index()].name);
  if (const auto* field = std::get_if<FieldRef>(&value))
    return fmt::format("the field {}", data.fields[field->id.index()].name);
  if (const auto* map = std::get_if<MapRef>(&value))
    return fmt::format("the sparse map {}", data.maps[map->id.index()].name);
  if (const auto* name = std::get_if<ScheduleName>(&value)) return describe_name(*name);
  if (const auto* method = std::get_if<ScheduleMethod>(&value))
    return fmt::format("the method {}:{}", method->on.text(), method->method);
  if (const auto* loss = std::get_if<LossRef>(&value)) return Loss{.known = loss->known}.title();
  if (const auto* type = std::get_if<Type>(&value)) return fmt::format("the type {}", type->name);
  const std::string_view kind = kind_name(value);
  const bool vowel = std::string_view("aeiou").find(kind[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", kind);
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view reserved[] = {"and",   "break", "do",       "else", "elseif", "end",
                                           "false", "for",   "function", "goto", "if",     "in",
                                           "local", "nil",   "not",      "or",   "repeat", "return",
                                           "then",  "true",  "until",    "while"};
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_inner) &&
         std::ranges::find(reserved, text) == std::end(reserved);
}

TextKeys text_keys(lua_State* state, int i) {
  i = lua_absindex(state, i);
  TextKeys keys;
  for (lua_pushnil(state); lua_next(state, i) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) == LUA_TSTRING) {
      keys.names.emplace_back(lua_tostring(state, -2));
    } else {
      keys.are_all = false;
    }
  }
  std::ranges::sort(keys.names);
  return keys;
}

void push_value(lua_State* state, Value value) {
  TextLoad& load = TextLoad::of(state);
  if (lua_checkstack(state, LUA_MINSTACK) == 0) throw Stop{"too many values at once"};
  const char* kind = kind_name(value);
  load.lua().charge(owned_bytes(value));
  void* memory = lua_newuserdatauv(state, sizeof(Value), 0);
  new (memory) Value(std::move(value));
  luaL_setmetatable(state, kind);
}

int collect_value(lua_State* state) {
  auto* value = static_cast<Value*>(lua_touserdata(state, 1));
  TextLoad::of(state).lua().release(owned_bytes(*value));
  std::destroy_at(value);
  return 0;
}

int call_host(lua_State* state, const HostFunction& function) {
  const int num_results = run_function(state, function);
  return num_results >= 0 ? num_results : lua_error(state);
}

void push_function(lua_State* state, const HostFunction& function) {
  lua_pushlightuserdata(state, const_cast<HostFunction*>(&function));
  lua_pushcclosure(state, &trampoline, 1);
}

void add_functions(lua_State* state, std::span<const HostFunction> functions) {
  for (const HostFunction& function : functions) {
    push_function(state, function);
    lua_setfield(state, -2, function.name);
  }
}

}  // namespace thallo::language
