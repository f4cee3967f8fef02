#pragma once

// One call of a host function by Lua: its arguments, its results, and how it fails. A host function
// is `int name(Call&)` and returns the number of results it pushed. To fail it throws:
//
//   call.fault("the condition has {} entries", n)   a fault of the text: reported with the place of
//                                                   the call, the result is Poison, the run goes on
//   throw Stop{"..."}                               ends the run
//
// A call with a Poison argument does not reach its host function (unless the function has
// takes_poison): the result is Poison at once.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/language/text_load.h"
#include "core/language/value.h"

namespace thallo::language {

class Call;

// `name` is what the user calls the function. Messages begin with it, unless it is the name of a
// metamethod ("__add").
struct HostFunction {
  const char* name;
  int (*run)(Call&);
  bool takes_poison = false;
};

// Thrown by host functions and caught by the trampoline.
struct Fault {
  std::string what;
  std::vector<std::string> alternatives;
};
struct Stop {
  std::string what;
};
struct AlreadyReported {};

// The largest magnitude of an integer, which keeps arithmetic on indices far from overflow.
inline constexpr std::int64_t MaxInteger = 1'000'000'000;

// The most entries of a vector or list; published models have at most a few hundred.
inline constexpr std::size_t MaxEntries = 10'000;

// A list of scalars from a number, an expression, a vector or a table of these.
struct Elements {
  std::vector<ExprId> ids;
  bool is_vector = false;
  Manifold manifold = Manifold::Euclidean;  // of a result (Vector::manifold)
  std::size_t size() const { return ids.size(); }
  // Scalars and vectors of size 1 stretch to any size.
  ExprId at(std::size_t i) const { return ids.size() == 1 ? ids[0] : ids[i]; }
};

class Call {
 public:
  Call(lua_State* state, TextLoad& load, const char* name)
      : state_(state), load_(load), name_(name), num_arguments_(lua_gettop(state)) {}

  TextLoad& load() { return load_; }
  EnergyBuilder& builder() { return load_.builder(); }
  ExprGraph& graph() { return load_.graph(); }
  lua_State* lua() { return state_; }

  // Arguments count from 1; one beyond the last reads as nil.
  int num_arguments() const { return num_arguments_; }
  bool has(int i) const { return i <= num_arguments_ && !lua_isnil(state_, i); }
  bool is_number(int i) const { return lua_type(state_, i) == LUA_TNUMBER; }
  bool is_text(int i) const { return lua_type(state_, i) == LUA_TSTRING; }
  bool is_table(int i) const { return lua_type(state_, i) == LUA_TTABLE; }
  double number(int i) const { return lua_tonumber(state_, i); }

  // Return the value at a stack position. find_value returns null for Lua's own types, find also
  // for values of another kind.
  const Value* find_value(int i) const;
  template <class T>
  const T* find(int i) const {
    const Value* value = find_value(i);
    return value != nullptr ? std::get_if<T>(value) : nullptr;
  }

  // Return typed arguments; the magnitude of integers is at most MaxInteger. A fault says what was
  // expected and what was found.
  template <class T>
  const T& expect(int i, std::string_view expected) {
    if (const T* value = find<T>(i)) return *value;
    fault_expected(i, expected);
  }
  std::int64_t integer(int i, std::string_view expected);
  std::string text(int i, std::string_view expected);
  std::string identifier(int i, std::string_view expected);  // a text that Lua takes for a name
  Elements elements(int i, std::string_view expected = "an expression");
  Elements elements(int first, int last, std::string_view expected);  // of all, in order
  ExprId scalar(int i, std::string_view expected = "a scalar expression");
  void expect_last(int i);  // a fault if arguments follow argument i
  // Returns the components of a multi-index, from indices, integers and tables of these.
  std::vector<Affine> components(int first, int last);
  // Returns the entries of a table argument, which must be of one kind.
  template <class T>
  std::vector<T> list(int i, std::string_view expected_entry);

  // Returns the common size of operands: their sizes must be equal, or 1, which stretches. `names`
  // names them in messages.
  std::size_t common_size(std::initializer_list<const Elements*> operands, std::string_view names);

  // Returns what `rule` makes of the operands, entry by entry.
  template <class Rule>
  Elements combine(const Elements& a, const Elements& b, const Rule& rule,
                   std::string_view names = "the arguments") {
    Elements result{{}, a.is_vector || b.is_vector};
    const std::size_t size = common_size({&a, &b}, names);
    for (std::size_t i = 0; i < size; ++i) result.ids.push_back(rule(graph(), a.at(i), b.at(i)));
    return result;
  }

  // Converts the scalars to the form that EnergyBuilder takes.
  Vec to_vec(const std::vector<ExprId>& ids);

  // Results: each pushes one value and returns 1, the number of results.
  int push(Value value);
  int push(double number);
  int push(const Elements& elements);
  int push_scalar(ExprId id) { return push(Value(Scalar{id})); }

  // Failing.
  template <class... Args>
  [[noreturn]] void fault(fmt::format_string<Args...> format, Args&&... args) {
    throw Fault{fmt::vformat(format, fmt::make_format_args(args...)), {}};
  }
  [[noreturn]] void fault_expected(int i, std::string_view expected);
  // As unknown_name() says it.
  [[noreturn]] void fault_unknown(std::string_view what, std::string_view name,
                                  std::vector<std::string> legal);
  // Throws AlreadyReported if the builder found faults since `num_faults` was read.
  std::size_t num_faults() const { return load_.faults().size(); }
  void require_no_fault_since(std::size_t num_faults) const;

  // Describes an argument for messages: "an index", "the number 3", "a vector of 3".
  std::string describe(int i) const;
  std::string describe(const Value& value) const;

  // Returns the place of the call in the user's text.
  SourceLocation where() const { return load_.location(find_call_site(state_).line); }
  // Returns the range of the running call of this method.
  SourceRange range(std::string_view method) const {
    return load_.call_range(find_call_site(state_).line, method);
  }
  const char* name() const { return name_; }

 private:
  void append_elements(int i, std::string_view expected, int depth, Elements& result);
  std::string example_read(const FieldRef& field) const;  // "X(w, h)"
  void append_components(int i, int depth, std::vector<Affine>& result);

  lua_State* state_;
  TextLoad& load_;
  const char* name_;
  int num_arguments_;
};

// Visits t[1], t[2] ... of the table at position i, each on the top of the stack.
template <class Visit>
void for_each_entry(lua_State* state, int i, const Visit& visit) {
  i = lua_absindex(state, i);
  const auto count = static_cast<lua_Integer>(lua_rawlen(state, i));
  for (lua_Integer k = 1; k <= count; ++k) {
    lua_rawgeti(state, i, k);
    visit(lua_gettop(state));
    lua_pop(state, 1);
  }
}

template <class T>
std::vector<T> Call::list(int i, std::string_view expected_entry) {
  if (!is_table(i)) fault_expected(i, fmt::format("{{...}}, a list with {}", expected_entry));
  std::vector<T> result;
  for_each_entry(state_, i, [&](int entry) { result.push_back(expect<T>(entry, expected_entry)); });
  return result;
}

// The texts among the keys of the table at position i, ascending (Lua's own order changes from run
// to run), and whether all keys are texts.
struct TextKeys {
  std::vector<std::string> names;
  bool are_all = true;
};
TextKeys text_keys(lua_State* state, int i);

// True if the text is a name in Lua. The names in an energy must be, because schedules use them as
// such: r.fit:reorder{w}.
bool is_identifier(std::string_view text);

// Pushes a value on the Lua stack. collect_value is the __gc of its metatable (operators.cpp).
void push_value(lua_State* state, Value value);
int collect_value(lua_State* state);

// Calls the function with the arguments on the stack, for a function that Lua calls.
int call_host(lua_State* state, const HostFunction& function);

// The first pushes a function, the second adds functions to the table on the top of the stack.
void push_function(lua_State* state, const HostFunction& function);
void add_functions(lua_State* state, std::span<const HostFunction> functions);

}  // namespace thallo::language
