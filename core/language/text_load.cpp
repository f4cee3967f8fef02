#include "core/language/text_load.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/energy/access.h"
#include "core/energy/print.h"
#include "core/language/lua_conditions.h"
#include "core/language/opt/opt_energy.h"

namespace thallo::language {

namespace {

// Lua's compiler takes time for a chain of elseif, and for the jumps out of a block, that grows
// with the square of their number, and nothing can stop it meanwhile: a second for so many.
constexpr std::size_t MaxJumps = 20'000;

// Returns the token with which there are too many.
std::optional<std::size_t> find_jump_too_many(const TokenLines& lines) {
  std::size_t num_jumps = 0;
  for (std::size_t i = 0; i < lines.num_tokens(); ++i) {
    const std::string_view token = lines.token(i);
    if ((token == "elseif" || token == "break" || token == "goto") && ++num_jumps > MaxJumps)
      return i;
  }
  return {};
}

}  // namespace

TextLoad::TextLoad(Kind kind, std::string file, std::string energy_name, const LoadLimits& limits)
    : kind_(kind),
      file_(std::move(file)),
      limits_(limits),
      builder_(std::move(energy_name)),
      lua_(limits) {
  if (kind == Kind::OptEnergy) opt = std::make_unique<OptEnergy>(builder_);
  *static_cast<TextLoad**>(lua_getextraspace(lua_.raw())) = this;
}

TextLoad::~TextLoad() = default;

TextLoad& TextLoad::of(lua_State* state) {
  return **static_cast<TextLoad**>(lua_getextraspace(state));
}

void TextLoad::run(std::string_view text) {
  lines_ =
      TokenLines(std::string(text), kind_ == Kind::Schedule ? TokenLines::Hashes::AreNames
                                                            : TokenLines::Hashes::AreOperators);
  if (const auto jump = find_jump_too_many(lines_)) {
    const int lua_line = static_cast<int>(*jump) + 1;  // each token has a line of its own
    return report({fmt::format("a text has at most {} of elseif, break and goto together; what is "
                               "looked up in a table takes none",
                               MaxJumps),
                   location(lua_line)});
  }
  if (kind_ != Kind::Schedule) dialect_sign_ = find_dialect_sign(lines_);
  const auto failure =
      lua_.run(lines_.lua_text(), UserChunk, [&] { return with_checked_conditions(lines_); });
  if (exception_) std::rethrow_exception(exception_);
  if (failure) {
    report({failure->is_syntax ? lines_.with_user_lines(failure->message) : failure->message,
            location(failure->line)});
  }
  if (!failure) check_depth();
  if (!failure) schedule.name_values(*this);
}

SourceLocation TextLoad::location(int lua_line) const {
  SourceLocation place = lines_.place(lua_line);
  place.file = file_;
  if (kind_ != Kind::Schedule) place.column = 0;
  return place;
}

SourceRange TextLoad::call_range(int lua_line, std::string_view method) {
  const std::vector<TokenLines::Call> calls = lines_.calls(lua_line);
  SourceRange range{lines_.place(lua_line), {}};
  const auto [last, is_first] = last_calls_.try_emplace(lua_line, calls.size() - 1);
  for (std::size_t turn = 1; turn <= calls.size(); ++turn) {
    const std::size_t next = (last->second + turn) % calls.size();
    if (calls[next].method != method) continue;
    range = calls[next].range;
    last->second = next;
    break;
  }
  range.begin.file = range.end.file = file_;
  return range;
}

void TextLoad::check_depth() {
  const ExprGraph& graph = builder_.graph();
  std::vector<int> depths;  // operands come before their users
  for (std::size_t i = 0; i < graph.size(); ++i) {
    int depth = 0;
    for (const ExprId operand : graph.operands(ExprId(i)))
      depth = std::max(depth, depths[operand.index()] + 1);
    depths.push_back(depth);
  }
  if (!depths.empty() && std::ranges::max(depths) > MaxDepth)
    report(
        {fmt::format("an expression is nested more than {} deep; does a loop build it?", MaxDepth),
         location(0)});
}

void TextLoad::report(Diagnostic fault) {
  if (std::ranges::find(faults(), fault) == faults().end()) builder_.report(std::move(fault));
}

Manifold TextLoad::manifold_of(FieldId field) const {
  const auto array = array_manifolds.find(field);
  return array == array_manifolds.end() ? data().fields[field.index()].manifold : array->second;
}

std::optional<std::string> TextLoad::find_passed_limit() {
  if (faults().size() >= MaxFaults)
    return "too many faults; the rest of the text was not looked at";
  if (builder_.graph().size() > limits_.expressions)
    return fmt::format(
        "the text built more than {} expressions; does a loop build expressions without end?",
        limits_.expressions);
  if (builder_.graph().num_operands() > limits_.operands)
    return fmt::format(
        "the text built sums and products of more than {} operands together, since one that grows "
        "in a loop has all its operands anew each time; to add many terms at once, write "
        "Vector(terms):sum()",
        limits_.operands);
  return lua_.find_passed_limit();
}

void TextLoad::remember_name(const std::vector<ExprId>& entries, const std::string& name) {
  if (names_.try_emplace(entries, name).second) name_sums(entries, name);
}

// The Sums in a vector are numbered as its entries are: name_0, name_1.
void TextLoad::name_sums(const std::vector<ExprId>& entries, const std::string& name) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (graph()[entries[i]].op == Op::Sum)
      builder_.name_sum(entries[i], entries.size() == 1 ? name : fmt::format("{}_{}", name, i));
  }
}

std::vector<Diagnostic> TextLoad::find_other_bounds(const Energy& energy) const {
  if (unnamed_bounds.empty()) return {};
  std::vector<Diagnostic> faults;
  const ExprGraph& graph = energy.graph();
  const IndexTable& indices = graph.indices();
  const ExprPrinter printer(graph, names_of(energy));
  const auto look_at = [&](const std::vector<ExprId>& values) {
    std::set<std::pair<FieldId, IndexId>> reads;
    for (const ExprId access : graph.accesses(values))
      reads.emplace(graph.field(access), graph.index(access));
    const std::vector<ExprId> nodes = graph.reachable(values);
    for (const auto& [field, index] : reads) {
      const Field& read = energy.field(field);
      for (const BoundsTest& needed : bounds_tests(indices, energy.maps(), read.dims, index)) {
        for (const auto& [test, where] : unnamed_bounds) {
          const DimId own = graph.bound_dim(test);
          if (own == needed.dim || indices[graph.index(test)].front() != needed.component ||
              !std::ranges::binary_search(nodes, test))
            continue;
          faults.push_back(
              {fmt::format("InBounds: {0} is tested against its own dim {1}, but '{2}' "
                           "is read at it over {3}; name the dim after it, "
                           "InBounds({0}, {3})",
                           printer.text(needed.component), energy.dim(own).name, read.name,
                           energy.dim(needed.dim).name),
               where,
               {}});
        }
      }
    }
  };
  for (const ResidualGroup& group : energy.groups()) look_at(group.residuals);
  for (const Intermediate& intermediate : energy.intermediates()) look_at(intermediate.values);
  return faults;
}

FieldId TextLoad::store(const std::string& name, const std::vector<DomainId>& domains,
                        const std::vector<ExprId>& values, const SourceLocation& where) {
  const auto found = stored_.find({values, domains});
  if (found != stored_.end()) return found->second;
  // If the name is taken (by an input, mostly; r is the energy in schedules), the intermediate gets
  // its content hash as name.
  const auto has_name = [&](const auto& declared) { return declared.name == name; };
  const bool taken = name == "r" || std::ranges::any_of(data().fields, has_name) ||
                     std::ranges::any_of(data().maps, has_name);
  std::vector<Expr> channels;
  for (const ExprId value : values) channels.emplace_back(&builder_, value);
  const FieldId field =
      builder_.intermediate(taken ? "" : name, domains, Vec(std::move(channels)), where).id();
  stored_.emplace(StoredKey{values, domains}, field);
  return field;
}

std::string TextLoad::find_intermediate(const std::vector<ExprId>& entries) const {
  for (const auto& [key, field] : stored_) {
    if (key.first == entries) return data().fields[field.index()].name;
  }
  std::string name;
  for (const ExprId entry : entries) {
    const ExprGraph& graph = data().graph;
    if (graph[entry].op != Op::Access) return "";
    const Field& field = data().fields[graph.field(entry).index()];
    if (field.kind != FieldKind::Intermediate || (!name.empty() && name != field.name)) return "";
    name = field.name;
  }
  return name;
}

std::string TextLoad::store_written(const std::vector<ExprId>& values,
                                    const SourceLocation& where) {
  std::vector<DomainId> domains;
  for (const ExprId value : values) domains = merge_domains(domains, graph().access_domains(value));
  if (domains.empty()) return "";
  const FieldId field = store(find_name(values), domains, values, where);
  return builder_.read_in_place_of_values(field) ? data().fields[field.index()].name : "";
}

std::string TextLoad::find_name(const std::vector<ExprId>& entries) const {
  const auto found = names_.find(entries);
  return found == names_.end() ? "" : found->second;
}

}  // namespace thallo::language
