#pragma once

// The state of one load: the interpreter, the builder that the text writes to, the faults found,
// and the little that declarations and statements share. Every host function reaches it through its
// Call.

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/builder.h"
#include "core/frontend/energy_file.h"
#include "core/language/dialect.h"
#include "core/language/lua_state.h"
#include "core/language/schedule_recorder.h"
#include "core/language/token_lines.h"

namespace thallo::language {

class OptEnergy;

class TextLoad {
 public:
  enum class Kind { Energy, OptEnergy, Schedule };  // the kind of text
  TextLoad(Kind kind, std::string file, std::string energy_name, const LoadLimits& limits);
  TextLoad(const TextLoad&) = delete;
  TextLoad& operator=(const TextLoad&) = delete;
  ~TextLoad();
  static TextLoad& of(lua_State* state);

  Kind kind() const { return kind_; }
  LuaState& lua() { return lua_; }
  EnergyBuilder& builder() { return builder_; }
  ExprGraph& graph() { return builder_.graph(); }
  const Energy::Data& data() const { return builder_.data(); }
  // Returns the place in the user's text of the token on a line of Lua's text (token_lines.h). For
  // an energy, whose expressions can stand for several places, it has no column.
  SourceLocation location(int lua_line) const;
  // Returns the line of that place.
  int line(int lua_line) const { return lines_.place(lua_line).line; }
  // Returns the range of the running call of a method, in the expression that begins on that line.
  // Must be called once for each running call, because the calls of a method in one expression take
  // turns.
  SourceRange call_range(int lua_line, std::string_view method);
  // What shows the dialect of the text that runs.
  const std::optional<DialectSign>& dialect_sign() const { return dialect_sign_; }

  // Runs the text in the environment that was opened; afterwards faults() contains every fault,
  // including a Lua error.
  void run(std::string_view text);

  // The faults of the text and of the builder. The same fault at the same place (in a loop) counts
  // once; after MaxFaults the run ends.
  static constexpr std::size_t MaxFaults = 20;
  void report(Diagnostic fault);
  const std::vector<Diagnostic>& faults() const { return builder_.faults(); }

  // Returns the exceeded limit of the sandbox or of the front end, as a message that ends the run.
  std::optional<std::string> find_passed_limit();

  // The deepest nesting of expressions and the most sparse lookups; they are limited because later
  // stages recurse over both. No model comes near.
  static constexpr int MaxDepth = 10'000;
  static constexpr int MaxLookups = 10'000;

  // Exceptions other than faults (our bugs) cannot cross Lua; they are stored, and run() throws
  // them.
  void keep_exception(std::exception_ptr exception) { exception_ = std::move(exception); }

  // Records the name of a value, for e:get(): the first global that held it, or the text of
  // name(...). Sums among the entries get the name, too.
  void remember_name(const std::vector<ExprId>& entries, const std::string& name);
  std::string find_name(const std::vector<ExprId>& entries) const;

  // Returns the intermediate that stores the values, one for each channel, over the domains. Equal
  // values over equal domains are stored once.
  FieldId store(const std::string& name, const std::vector<DomainId>& domains,
                const std::vector<ExprId>& values, const SourceLocation& where);
  // Returns the name of the intermediate whose values, or a read of which, the entries are; "" if
  // they are neither.
  std::string find_intermediate(const std::vector<ExprId>& entries) const;
  // Makes an intermediate of values that residuals are made of, over the loop variables of their
  // reads. Returns its name; "" if no residual is made of them.
  std::string store_written(const std::vector<ExprId>& values, const SourceLocation& where);

  // Returns a fault for each of unnamed_bounds whose index is read over another dim in a residual
  // or intermediate with the test.
  std::vector<Diagnostic> find_other_bounds(const Energy& energy) const;

  std::map<ExprId, SourceLocation> unnamed_bounds;  // tests against a dim that the text leaves out
  // The type of what is read of a field: of an array, too, which is otherwise plain numbers.
  Manifold manifold_of(FieldId field) const;
  std::map<FieldId, Manifold> array_manifolds;

  int num_lookups = 0;  // lookups of sparse maps
  int num_declarations = 0;
  std::optional<SourceLocation> residuals_statement;
  std::set<std::string> faulty_groups;  // of the current statement
  SolverDefaults defaults;
  ScheduleRecorder schedule{lua_};
  std::unique_ptr<OptEnergy> opt;  // of a text in Opt's dialect

 private:
  Kind kind_;
  std::string file_;
  TokenLines lines_;
  std::optional<DialectSign> dialect_sign_;
  std::map<int, std::size_t> last_calls_;  // the number of the last call that ran, by Lua's line
  LoadLimits limits_;
  EnergyBuilder builder_;
  LuaState lua_;
  using StoredKey = std::pair<std::vector<ExprId>, std::vector<DomainId>>;
  std::map<StoredKey, FieldId> stored_;
  void check_depth();
  void name_sums(const std::vector<ExprId>& entries, const std::string& name);

  std::map<std::vector<ExprId>, std::string> names_;
  std::exception_ptr exception_;
};

}  // namespace thallo::language
