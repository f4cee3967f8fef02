#include "core/language/energy_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/print.h"
#include "core/language/expression_text.h"
#include "core/language/mentioned.h"

namespace thallo {
namespace language {
namespace {

// Lua has room for 200 local variables.
constexpr std::size_t MaxLocals = 150;
constexpr std::size_t MaxLineLength = 100;

// Words that no local variable may have as its name: Lua's own, and what a written text calls.
constexpr std::string_view Words[] = {
    "and",  "break", "do",     "else",     "elseif", "end",   "false",  "for",    "goto",
    "if",   "in",    "local",  "function", "nil",    "not",   "or",     "repeat", "return",
    "then", "true",  "until",  "while",    "inf",    "less",  "lesseq", "eq",     "identity",
    "pow",  "sqrt",  "sin",    "cos",      "tan",    "asin",  "acos",   "atan",   "atan2",
    "sinh", "cosh",  "tanh",   "asinh",    "acosh",  "atanh", "exp",    "log",    "log10",
    "abs",  "float", "double", "uint8",    "int",    "int32"};

// "float3", "thallo_mat4f"; absent if the language has no such type.
std::optional<std::string> type_name(const Field& field) {
  if (field.manifold != Manifold::Euclidean) return std::string(to_string(field.manifold));
  const int n = field.channels;
  const ScalarType scalar = field.kind == FieldKind::Unknown ? ScalarType::Float : field.type;
  const bool is_double = scalar == ScalarType::Double;
  const std::string prefix = scalar == ScalarType::Working ? "thallo_" : "";
  switch (scalar) {
    case ScalarType::Int32: return n == 1 ? std::optional<std::string>("int") : std::nullopt;
    case ScalarType::UInt8: return n == 1 ? std::optional<std::string>("uint8") : std::nullopt;
    case ScalarType::Half: return std::nullopt;
    default: break;
  }
  if (n <= 12)
    return fmt::format("{}{}{}", prefix, is_double ? "double" : "float",
                       n == 1 ? "" : std::to_string(n));
  for (const int rows : {4, 5, 6})
    if (n == rows * rows) return fmt::format("{}mat{}{}", prefix, rows, is_double ? "d" : "f");
  return std::nullopt;
}

// The type of a Param matters where it is handed over by position.
std::string_view host_type_name(const Field& param) {
  switch (param.host_type) {
    case ScalarType::Double: return "double";
    case ScalarType::Int32: return "int";
    case ScalarType::UInt8: return "uint8";
    case ScalarType::Working: return param.slot < 0 ? "float" : "thallo_float";
    case ScalarType::Float:
    case ScalarType::Half: break;
  }
  return "float";
}

// Returns the blank at which a line is best broken: in its second half, within as few parentheses
// as possible, after a comma rather than before an operator. Returns npos if there is none.
std::size_t best_break(const std::string& line) {
  std::size_t best = std::string::npos;
  int depth = 0, best_rank = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    const bool is_late = i >= MaxLineLength / 2;
    if (c != ' ' || !is_late || std::string_view("+-*/= ").find(line[i - 1]) != std::string::npos)
      continue;
    if (i > MaxLineLength && best != std::string::npos) break;
    const int rank = 2 * depth + (line[i - 1] == ',' ? 0 : 1);
    if (best != std::string::npos && rank > best_rank) continue;
    best = i;
    best_rank = rank;
  }
  return best;
}

// Returns the lines of a statement.
std::string wrapped(std::string line) {
  const std::string next(line.find_first_not_of(' ') + 4, ' ');
  std::string text;
  while (line.size() > MaxLineLength) {
    const std::size_t blank = best_break(line);
    if (blank == std::string::npos) break;
    text += line.substr(0, blank) + "\n";
    line = next + line.substr(blank + 1);
  }
  return text + line + "\n";
}

// k' is the twin of a loop variable k, which nested Sums need.
std::string identifier(std::string name) {
  std::ranges::replace(name, '\'', '_');
  return name;
}

class EnergyWriter {
 public:
  EnergyWriter(const Energy& energy, const SolverDefaults& defaults, WrittenInputs inputs)
      : energy_(energy),
        defaults_(defaults),
        mentioned_(energy, inputs),
        expressions_(energy, domain_names_) {}

  Expected<std::string> run() && {
    for (const auto word : Words) taken_.emplace(word);
    for (const KnownLoss& loss : known_losses()) taken_.emplace(loss.name);
    for (const Dim& dim : energy_.dims()) taken_.insert(dim.name);
    for (const Field& field : energy_.fields()) taken_.insert(text_name(field));
    for (const SparseMap& map : energy_.maps()) taken_.insert(map.name);
    if (mentioned_.domains.size() + energy_.intermediates().size() > MaxLocals)
      return fail("energy '{}' has {} loop variables and {} intermediates; a text has room for {}",
                  energy_.name(), mentioned_.domains.size(), energy_.intermediates().size(),
                  MaxLocals);
    declare_dims();
    THALLO_CHECK(declare_inputs());
    if (defaults_.use_preconditioner) line("UsePreconditioner({})", *defaults_.use_preconditioner);
    THALLO_CHECK(check_groups());
    for (const Intermediate& intermediate : energy_.intermediates())
      if (mentioned_.fields.contains(intermediate.field)) write(intermediate);
    write_residuals();
    for (const Exclusion& exclusion : energy_.exclusions()) THALLO_CHECK(write(exclusion));
    for (const Bounds& bounds : energy_.bounds()) THALLO_CHECK(write(bounds));
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += wrapped(fmt::format(format, std::forward<Args>(args)...));
  }

  std::string free_name(const std::string& wish) {
    std::string name = wish;
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

  // Dims() numbers its dims from 0.
  void declare_dims() {
    std::vector<std::string> names, quoted, numbered;
    std::set<int> slots;
    bool are_in_order = true;
    for (const DimId dim : mentioned_.dims) {
      const int slot = energy_.dim(dim).slot;
      are_in_order = are_in_order && (slot < 0 || slot == static_cast<int>(names.size()));
      slots.insert(slot);
      names.push_back(energy_.dim(dim).name);
      quoted.push_back(fmt::format("\"{}\"", names.back()));
    }
    int free_slot = 0;
    for (const DimId dim : mentioned_.dims) {
      int slot = energy_.dim(dim).slot;
      while (slot < 0 && !slots.insert(free_slot).second) ++free_slot;
      if (slot < 0) slot = free_slot;
      numbered.push_back(fmt::format("Dim(\"{}\", {})", energy_.dim(dim).name, slot));
    }
    if (are_in_order) {
      line("local {} = Dims({})", fmt::join(names, ", "), fmt::join(quoted, ", "));
    } else {
      line("local {} = {}", fmt::join(names, ", "), fmt::join(numbered, ", "));
    }
  }

  std::string list(const std::vector<DimId>& dims) const {
    return fmt::format("{{{}}}", fmt::join(energy_.dim_names(dims), ", "));
  }

  static std::string slot_text(int slot) { return slot < 0 ? "" : fmt::format(", {}", slot); }

  Expected<void> declare_inputs() {
    line("Inputs {{");
    for (std::size_t i = 0; i < energy_.fields().size(); ++i) {
      const Field& field = energy_.fields()[i];
      if (field.kind == FieldKind::Intermediate || !mentioned_.fields.contains(FieldId(i)))
        continue;
      if (field.kind == FieldKind::Param) {
        line("  {} = Param({}{}),", field.name, host_type_name(field), slot_text(field.slot));
        continue;
      }
      const auto type = type_name(field);
      if (!type)
        return fail(
            "'{}' has {} channels of a type that has at most 12 (16, 25 or 36 in a matrix), "
            "or 1 if it is an integer",
            field.name, field.channels);
      if (field.dims.empty()) {
        line("  {} = Param({}{}),", field.name, *type, slot_text(field.slot));
        continue;
      }
      line("  {} = {}({}, {}{}),", field.name,
           field.kind == FieldKind::Unknown ? "Unknown" : "Array", *type, list(field.dims),
           slot_text(field.slot));
    }
    for (std::size_t i = 0; i < energy_.maps().size(); ++i) {
      const SparseMap& map = energy_.maps()[i];
      if (mentioned_.maps.contains(MapId(i)))
        line("  {} = Sparse({}, {}{}{}),", map.name, list(map.in), list(map.out),
             slot_text(map.slot), map.optional ? ", {optional = true}" : "");
    }
    line("}}");
    return {};
  }

  Expected<void> check_groups() const {
    for (const ResidualGroup& group : energy_.groups()) {
      std::vector<DomainId> read;
      for (const ExprId residual : group.residuals)
        read = merge_domains(read, energy_.graph().access_domains(residual));
      if (read.size() != group.domains.size())
        return fail("residual group '{}' is over {} loop variables, of which it reads {}",
                    group.name, group.domains.size(), read.size());
    }
    return {};
  }

  // Declares the loop variables up to the last one of these expressions and domains, in the order
  // in which they were made, which is the order of the loops of a residual. A name that is not made
  // of its dim's is stated.
  void declare_variables(const std::vector<ExprId>& values, const std::vector<DomainId>& domains) {
    const std::set<DomainId> used = Mentioned(energy_, values, domains).domains;
    if (used.empty()) return;
    std::vector<std::string> names, made;
    for (const DomainId id : mentioned_.domains) {
      if (*used.rbegin() < id || domain_names_.contains(id)) continue;
      const Domain& domain = energy_.graph().indices().domain(id);
      const std::string& dim = energy_.dim(domain.dim).name;
      const std::string name = identifier(domain.name);
      std::string lower = dim;
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      const bool is_usual = name.starts_with(lower) &&
                            name.find_first_not_of("0123456789", lower.size()) == std::string::npos;
      domain_names_[id] = free_name(name);
      names.push_back(domain_names_[id]);
      made.push_back(is_usual ? dim + "()" : fmt::format("{}(\"{}\")", dim, name));
    }
    if (!names.empty()) line("local {} = {}", fmt::join(names, ", "), fmt::join(made, ", "));
  }

  std::string variables(const std::vector<DomainId>& domains) const {
    std::vector<std::string> names;
    for (const DomainId domain : domains) names.push_back(domain_names_.at(domain));
    return fmt::format("{{{}}}", fmt::join(names, ", "));
  }

  std::vector<ExprId> shared_of(const std::vector<ExprId>& values) const {
    return ExprPrinter(energy_.graph(), {}).shared(values);
  }

  // Declares what the values share: as local variables, or where they are too many as a table.
  void write_shared(const std::vector<ExprId>& values) {
    const std::vector<ExprId> shared = shared_of(values);
    const bool in_table = shared.size() > MaxLocals;
    const std::string table = in_table ? free_name("t") : "";
    if (in_table) line("  local {} = {{}}", table);
    int count = 0;
    for (const ExprId one : shared) {
      const std::string name =
          in_table ? fmt::format("{}[{}]", table, count) : free_name(fmt::format("t{}", count));
      line("  {}{} = {}", in_table ? "" : "local ", name, expressions_.text(one));
      expressions_.name(one, name);
      ++count;
    }
  }

  // Writes an assignment of what `made_of` makes of the text of the values. What the values share
  // comes before it, in a block.
  template <class MadeOf>
  void write_block(const std::vector<ExprId>& values, std::string target, const MadeOf& made_of) {
    const bool has_shared = !shared_of(values).empty();
    const std::set<std::string> taken_outside = taken_;
    if (has_shared) {
      if (target.starts_with("local ")) {  // its value is needed outside of the block
        line("{}", target);
        target = target.substr(6);
      }
      line("do");
    }
    write_shared(values);
    std::vector<std::string> texts;
    for (const ExprId value : values) texts.push_back(expressions_.text(value));
    line(
        "{}{} = {}", has_shared ? "  " : "", target,
        made_of(texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "))));
    if (has_shared) line("end");
    expressions_.forget_names();
    taken_ = taken_outside;
  }

  void write(const Intermediate& intermediate) {
    const std::string name = text_name(energy_.field(intermediate.field));
    declare_variables(intermediate.values, intermediate.domains);
    write_block(intermediate.values, "local " + name, [&](const std::string& values) {
      return fmt::format("ComputedArray(\"{}\", {}, {})", name, variables(intermediate.domains),
                         values);
    });
  }

  void write_residuals() {
    const std::string residuals = free_name("residuals");
    line("local {} = {{}}", residuals);
    for (const ResidualGroup& group : energy_.groups()) {
      declare_variables(group.residuals, {});
      write_block(group.residuals, fmt::format("{}.{}", residuals, group.name),
                  [](const std::string& values) { return values; });
    }
    const bool has_loss = std::ranges::any_of(
        energy_.groups(), [](const auto& group) { return group.loss.has_value(); });
    if (!has_loss) return line("Residuals({})", residuals);
    const std::string result = free_name("r");
    line("local {} = Residuals({})", result, residuals);
    for (const ResidualGroup& group : energy_.groups()) {
      if (group.loss) write(*group.loss, fmt::format("{}.{}", result, group.name));
    }
  }

  void write(const Loss& loss, const std::string& part) {
    if (loss.known != nullptr)
      return line("{}:loss({}({}))", part, loss.known->name, expressions_.text(loss.scale));
    const std::set<std::string> taken_outside = taken_;
    const std::string s = free_name("s");
    for (const ExprId node : energy_.graph().reachable(std::span(&loss.rho, 1)))
      if (energy_.graph()[node].op == Op::Argument) expressions_.name(node, s);
    line("{}:loss(function({})", part, s);
    write_shared({loss.rho});
    line("  return {}", expressions_.text(loss.rho));
    line("end)");
    expressions_.forget_names();
    taken_ = taken_outside;
  }

  Expected<void> write(const Exclusion& exclusion) {
    const Field& unknown = energy_.field(exclusion.unknown);
    THALLO_CHECK(check_dims(unknown, "an exclusion"));
    declare_variables({exclusion.condition}, {});
    line("{}:Exclude({})", unknown.name, expressions_.text(exclusion.condition));
    return {};
  }

  Expected<void> write(const Bounds& bounds) {
    const Field& unknown = energy_.field(bounds.unknown);
    THALLO_CHECK(check_dims(unknown, "a bound"));
    const auto list = [&](const std::vector<ExprId>& side) {
      declare_variables(side, {});
      std::vector<std::string> texts;
      for (const ExprId bound : side) texts.push_back(expressions_.text(bound));
      return fmt::format("{{{}}}", fmt::join(texts, ", "));
    };
    const std::string lower = list(bounds.lower), upper = list(bounds.upper);
    line("{}:bounds({}, {})", unknown.name, lower, upper);
    return {};
  }

  // What is said of an unknown's entries names its dims by loop variables.
  Expected<void> check_dims(const Field& unknown, const char* what) const {
    for (auto dim = unknown.dims.begin(); dim != unknown.dims.end(); ++dim)
      if (std::find(std::next(dim), unknown.dims.end(), *dim) != unknown.dims.end())
        return fail("{} of '{}', which is over the dim '{}' twice, has no text", what, unknown.name,
                    energy_.dim(*dim).name);
    return {};
  }

  const Energy& energy_;
  const SolverDefaults& defaults_;
  const Mentioned mentioned_;
  std::map<DomainId, std::string> domain_names_;
  ExpressionText expressions_;
  std::set<std::string> taken_;
  std::string out_;
};

}  // namespace
}  // namespace language

Expected<std::string> energy_text(const Energy& energy, const SolverDefaults& defaults,
                                  WrittenInputs inputs) {
  return language::EnergyWriter(energy, defaults, inputs).run();
}

}  // namespace thallo
