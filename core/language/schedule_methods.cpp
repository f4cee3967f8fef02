#include "core/language/schedule_methods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/base/suggest.h"
#include "core/language/operators.h"

namespace thallo::language {
namespace {

using Kind = ScheduleName::Kind;

constexpr std::array Products = {"J", "JtJ", "Jp", "JtF", "JtJp", "Jt"};

const ScheduleName& expect_name(Call& call, int i, Kind kind, std::string_view expected) {
  const auto* name = call.find<ScheduleName>(i);
  if (name == nullptr || name->kind != kind) call.fault_expected(i, expected);
  return *name;
}

std::string expect_part(Call& call, int i) {
  return expect_name(call, i, Kind::Part, "a part such as r.fit").name;
}

// The only argument of a method, true or false.
bool flag(Call& call) {
  if (lua_type(call.lua(), 2) != LUA_TBOOLEAN) call.fault_expected(2, "true or false");
  call.expect_last(2);
  return lua_toboolean(call.lua(), 2) != 0;
}

// Reads the arguments of a statement. Tables are unpacked: reorder{h, w} is reorder(h, w).
class ArgumentReader {
 public:
  ArgumentReader(Call& call, std::string statement)
      : call_(call), statement_(std::move(statement)) {}

  void read(int i) {
    if (call_.is_table(i)) return read_table(i);
    add("", num_positions_ + 1, i);
    ++num_positions_;
  }

  std::vector<ScheduleArgument> take() && { return std::move(arguments_); }

 private:
  void read_table(int i) {
    lua_State* state = call_.lua();
    std::vector<std::int64_t> numbers;
    for (lua_pushnil(state); lua_next(state, i) != 0; lua_pop(state, 1)) {
      if (lua_type(state, -2) == LUA_TSTRING) continue;
      if (lua_isinteger(state, -2) == 0) {
        call_.fault("{}: the keys of a list are names and integers, found {}", statement_,
                    call_.describe(lua_gettop(state) - 1));
      }
      numbers.push_back(lua_tointeger(state, -2));
      require_few(numbers.size());
    }
    std::ranges::sort(numbers);
    for (const std::int64_t number : numbers) {
      lua_rawgeti(state, i, number);
      add("", num_positions_ + number, lua_gettop(state));
      lua_pop(state, 1);
    }
    if (!numbers.empty()) num_positions_ += std::max<std::int64_t>(numbers.back(), 0);
    for (const std::string& key : text_keys(state, i).names) {
      lua_getfield(state, i, key.c_str());
      add(key, 0, lua_gettop(state));
      lua_pop(state, 1);
    }
  }

  void add(std::string key, std::int64_t position, int i) {
    require_few(arguments_.size());
    arguments_.push_back({std::move(key), position, value(i)});
  }

  ScheduleValue value(int i) {
    lua_State* state = call_.lua();
    if (lua_type(state, i) == LUA_TBOOLEAN) return lua_toboolean(state, i) != 0;
    if (lua_type(state, i) == LUA_TSTRING) return std::string(lua_tostring(state, i));
    if (call_.is_number(i)) return number(i);
    if (const auto* name = call_.find<ScheduleName>(i)) return *name;
    if (const auto* index = call_.find<IndexTuple>(i)) return domain(*index);
    if (const auto* dim = call_.find<DimRef>(i)) {
      const std::string& name = call_.load().data().dims[dim->id.index()].name;
      call_.fault("{}: expected a loop variable, found the dim {}; {}() makes one", statement_,
                  name, name);
    }
    if (call_.find<Poison>(i) != nullptr) throw AlreadyReported{};
    if (call_.find<LossRef>(i) != nullptr)
      call_.fault("{} takes no loss; r.fit:loss(huber(0.5)) gives one to the group fit",
                  statement_);
    call_.fault(
        "{} takes true and false, numbers, texts, parts such as r.fit, loop variables and lists of "
        "these; found {}",
        statement_, call_.describe(i));
  }

  ScheduleValue number(int i) {
    const double value = call_.number(i);
    if (std::floor(value) == value && std::abs(value) <= static_cast<double>(MaxInteger)) {
      return static_cast<std::int64_t>(value);
    }
    if (!std::isfinite(value)) {
      call_.fault("{}: expected a finite number, found {}", statement_, call_.describe(i));
    }
    return value;
  }

  ScheduleValue domain(const IndexTuple& index) {
    const IndexTable& indices = call_.graph().indices();
    const DomainId id =
        index.components.size() == 1 ? indices.as_domain(index.components[0]) : DomainId();
    if (!id.valid())
      call_.fault("{}: expected a loop variable, found a computed index", statement_);
    return ScheduleDomain{id, indices.domain(id).name};
  }

  static void require_few(std::size_t count) {
    if (count > MaxEntries)
      throw Stop{fmt::format("a vector or list has more than {} entries", MaxEntries)};
  }

  Call& call_;
  std::string statement_;  // "r.fit:reorder", for messages
  std::vector<ScheduleArgument> arguments_;
  std::int64_t num_positions_ = 0;
};

// The statement with the arguments from `first` on. Messages call a statement on a value, which has
// no name yet, by its method alone.
ScheduleStatement read_statement(Call& call, const ScheduleName& on, const std::string& method,
                                 int first) {
  ArgumentReader reader(call, on.kind == Kind::Bare && on.name.empty()
                                  ? method
                                  : fmt::format("{}:{}", on.text(), method));
  for (int i = first; i <= call.num_arguments(); ++i) reader.read(i);
  const SourceRange range = call.range(method);
  return {.on = on,
          .method = method,
          .arguments = std::move(reader).take(),
          .where = range.begin,
          .end = range.end};
}

// Returns an argument, the receiver, so that statements chain:
// r.fit:compute_at_output(true):reorder{h, w}.
int push_argument(Call& call, int i) {
  lua_pushvalue(call.lua(), i);
  return 1;
}

int record_method(Call& call, const ScheduleName& on, const std::string& method) {
  call.load().schedule.record(read_statement(call, on, method, 3));
  return push_argument(call, 2);
}

bool is_group(Call& call, const std::string& name) {
  const auto& groups = call.load().data().groups;
  return std::ranges::find(groups, name, &ResidualGroup::name) != groups.end();
}

// __index of a schedule name: r.fit, r.fit.JtF, r["%4a43"], and methods, r.fit.reorder.
int find_member(Call& call) {
  const ScheduleName on = *call.find<ScheduleName>(1);
  const std::string name = call.text(2, "the name of a part, of a product or of a method");
  const bool on_energy = on.kind == Kind::Energy;
  if (on_energy && call.load().faulty_groups.contains(name)) return call.push(Value(Poison{}));
  if (on_energy && name.starts_with('%'))
    return call.push(Value(ScheduleName{Kind::Bare, name, ""}));
  if (!on_energy || !is_group(call, name)) {
    push_methods(call.lua(), kind_name(Value(on)));
    if (lua_getfield(call.lua(), -1, name.c_str()) != LUA_TNIL) return 1;
    lua_pop(call.lua(), 2);
  }
  if (on_energy) return call.push(Value(ScheduleName{Kind::Part, name, ""}));
  if (on.kind == Kind::Part && std::ranges::find(Products, name) != Products.end())
    return call.push(Value(ScheduleName{Kind::Product, on.name, name}));
  return call.push(Value(ScheduleMethod{on, name}));
}

// r:full_split(r.fit): a method that the language does not know is first taken for a part.
int call_name(Call& call) {
  const ScheduleName name = *call.find<ScheduleName>(1);
  if (name.kind == Kind::Bare) {
    call.fault(
        "'{}' cannot be called; a schedule has the energy r, its parts r.NAME, and names of "
        "intermediates, Sums and loop variables",
        name.name);
  }
  const auto* receiver = call.find<ScheduleName>(2);
  if (name.kind != Kind::Part || receiver == nullptr || receiver->kind != Kind::Energy) {
    call.fault(
        "{} cannot be called; methods are called with a colon, r:merge(...), r.fit:reorder(...)",
        call.describe(1));
  }
  return record_method(call, ScheduleName{Kind::Energy, "", ""}, name.name);
}

int call_method(Call& call) {
  const ScheduleMethod method = *call.find<ScheduleMethod>(1);
  const auto* receiver = call.find<ScheduleName>(2);
  if (receiver == nullptr || receiver->text() != method.on.text()) {
    call.fault("a method is called with a colon, {}:{}(...)", method.on.text(), method.method);
  }
  return record_method(call, method.on, method.method);
}

// __index of a method, r.fit.JTJ:materialize(): a misspelled product was taken for a method.
int refuse_member(Call& call) {
  const ScheduleMethod method = *call.find<ScheduleMethod>(1);
  if (method.on.kind != Kind::Part) {
    call.fault("{} has no '{}'; methods are called, {}:{}(...)", method.on.text(), method.method,
               method.on.text(), method.method);
  }
  call.fault_unknown(method.on.text() + " has no product", method.method,
                     {Products.begin(), Products.end()});
}

int refuse_arithmetic(Call& call) {
  const bool is_first =
      call.find<ScheduleName>(1) != nullptr || call.find<ScheduleMethod>(1) != nullptr;
  call.fault("{} is no value; a schedule says how an energy is computed, it computes nothing",
             call.describe(is_first ? 1 : 2));
}

// r.fit:loss(huber(a))
int set_loss(Call& call) {
  const std::string name = expect_part(call, 1);
  const LossRef loss =
      call.expect<LossRef>(2, "a loss such as huber(0.5), or function(s) return ... end");
  call.expect_last(2);
  if (!is_group(call, name)) {
    std::vector<std::string> known, legal;
    for (const ResidualGroup& group : call.load().data().groups) {
      known.push_back(group.name);
      legal.push_back("r." + group.name);
    }
    throw Fault{fmt::format("there is no residual group '{}'{}", name, did_you_mean(name, known)),
                legal};
  }
  const std::size_t before = call.num_faults();
  const Expr written(&call.builder(), loss.written);
  if (loss.known != nullptr) {
    call.builder().loss(name, loss.known->name, written, call.where());
  } else {
    call.builder().loss(
        name, [&](Expr) { return written; }, call.where());
  }
  call.require_no_fault_since(before);
  return push_argument(call, 1);
}

// r:merge(r.a, r.b): returns the part, which is called a_b from here on.
int merge(Call& call) {
  const ScheduleName energy = expect_name(call, 1, Kind::Energy, "r:merge(r.fit, r.reg)");
  const std::string first = expect_part(call, 2);
  const std::string second = expect_part(call, 3);
  const std::string name = fmt::format("{}_{}", first, second);
  call.load().schedule.record(read_statement(call, energy, "merge", 2));
  return call.push(Value(ScheduleName{Kind::Part, name, ""}));
}

// new, old = r:split(r.a, i, j): the residuals i to j leave a and take copies of the statements
// about a so far with them.
int split(Call& call) {
  const ScheduleName energy = expect_name(call, 1, Kind::Energy, "r:split(r.fit, 1, 2)");
  const std::string old = expect_part(call, 2);
  const std::int64_t first = call.integer(3, "the number of a residual");
  const std::int64_t last = call.has(4) ? call.integer(4, "the number of a residual") : first;
  const std::string part =
      first == last ? fmt::format("{}_{}", old, first) : fmt::format("{}_{}_{}", old, first, last);
  ScheduleRecorder& schedule = call.load().schedule;
  schedule.record(read_statement(call, energy, "split", 2));
  schedule.repeat(old, part);
  call.push(Value(ScheduleName{Kind::Part, part, ""}));
  call.push(Value(ScheduleName{Kind::Part, old, ""}));
  return 2;
}

// r.a:assume_schedule(r.b)
int assume_schedule(Call& call) {
  const std::string to = expect_part(call, 1);
  const std::string from = expect_part(call, 2);
  if (to != from) {
    const ScheduleName on{Kind::Part, to, ""};
    call.load().schedule.record(read_statement(call, on, std::string(AssumeSchedule), 2));
    call.load().schedule.repeat(from, to);
  }
  return push_argument(call, 1);
}

int set_direct_solve(Call& call) {
  expect_name(call, 1, Kind::Energy, "r:set_direct_solve(true)");
  if (flag(call)) {
    logger("language")
        .warn("{}: r:set_direct_solve is no matter of the schedule; solve with {} or {}",
              call.where().text(), option_text("linear_solver", "dense"),
              option_text("linear_solver", "sparse_cholesky"));
  }
  return push_argument(call, 1);
}

constexpr HostFunction NameOperators[] = {{"__index", &find_member}, {"__call", &call_name}};
constexpr HostFunction MethodOperators[] = {{"__index", &refuse_member}, {"__call", &call_method}};
constexpr HostFunction Arithmetics[] = {
    {"__add", &refuse_arithmetic}, {"__sub", &refuse_arithmetic}, {"__mul", &refuse_arithmetic},
    {"__div", &refuse_arithmetic}, {"__pow", &refuse_arithmetic}, {"__mod", &refuse_arithmetic},
    {"__unm", &refuse_arithmetic}, {"__idiv", &refuse_arithmetic}};
constexpr HostFunction NameMethods[] = {{"assume_schedule", &assume_schedule},
                                        {"loss", &set_loss},
                                        {"merge", &merge},
                                        {"set_direct_solve", &set_direct_solve},
                                        {"split", &split}};

}  // namespace

// The intermediate is identified by its values or, if ComputedArray made it, by its field.
int record_for_intermediate(Call& call) {
  ScheduleRecorder& schedule = call.load().schedule;
  ScheduleName on;
  if (const auto* field = call.find<FieldRef>(1)) {
    const Field& declared = call.load().data().fields[field->id.index()];
    if (declared.kind != FieldKind::Intermediate)
      call.fault("{} is no intermediate; ComputedArray and v:get(i, ...) make them",
                 call.describe(1));
    on.name = declared.name;
    schedule.record(read_statement(call, on, call.name(), 2));
  } else {
    std::vector<ExprId> entries = call.elements(1).ids;
    schedule.record_for_value(read_statement(call, on, call.name(), 2), std::move(entries));
  }
  return push_argument(call, 1);
}

// Every entry of a vector must be a Sum.
int parallelize(Call& call) {
  const ScheduleStatement statement = read_statement(call, {}, "parallelize", 2);
  for (const ExprId id : call.elements(1).ids) {
    if (call.graph()[id].op != Op::Sum)
      call.fault("expected what Sum(...) gives, found {}", call.describe(1));
    call.load().schedule.record_for_sum(statement, call.builder().name_sum(id, ""));
  }
  return push_argument(call, 1);
}

int set_coherent(Call& call) {
  call.expect<MapRef>(1, "a sparse map");
  if (flag(call)) {
    logger("language")
        .info(
            "{}: set_coherent is not needed, which accesses are coherent is known from the energy",
            call.where().text());
  }
  return push_argument(call, 1);
}

void add_schedule_methods(lua_State* state) {
  const char* name = kind_name(Value(ScheduleName{}));
  const char* method = kind_name(Value(ScheduleMethod{}));
  push_methods(state, name);
  add_functions(state, NameMethods);
  lua_pop(state, 1);
  luaL_getmetatable(state, name);
  add_functions(state, NameOperators);
  add_functions(state, Arithmetics);
  luaL_getmetatable(state, method);
  add_functions(state, MethodOperators);
  add_functions(state, Arithmetics);
  lua_pop(state, 2);
}

}  // namespace thallo::language
