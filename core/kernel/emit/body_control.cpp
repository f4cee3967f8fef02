// Branches and loops inside a body.

#include <fmt/format.h>

#include "core/kernel/emit/body.h"

namespace thallo {

std::string BodyWriter::zero_of(ValueType type) const {
  if (type == ValueType::Index) return "0";
  if (type == ValueType::Bool) return "false";
  return context_.literal(0, context_.is_double(type));
}

// Values that escape from the branch are declared before it, as 0.
void BodyWriter::write_branch(const IfItem& item, int indent) {
  if (is_vectorized_) return write_flattened(item, indent);
  close_guard();
  for (const ValueId value : item.escapes) {
    if (uses_.count(value) == 0 || escape_names_.contains(value)) continue;
    const ValueType type = body_[value].type;
    const std::string name = fresh_name(type);
    line(indent, fmt::format("{} {} = {};", context_.name_of(type), name, zero_of(type)));
    escape_names_.emplace(value, name);
  }
  line(indent,
       fmt::format("if ({}) {{", expressions_.condition(item.condition).in(Precedence::Ternary)));
  write(item.body, indent + 2, !item.escapes.empty());
  line(indent, "}");
}

// What is computed in the branch has the value 0 behind it where the condition is false.
void BodyWriter::write_flattened(const IfItem& item, int indent) {
  const std::string outer = branch_condition_;
  const Term condition = expressions_.condition(item.condition);
  if (condition.text == "true") return write(item.body, indent);  // assumed
  branch_condition_ = fresh_name(ValueType::Bool);
  line(indent, fmt::format("const bool {} = {};", branch_condition_,
                           outer.empty() ? condition.in(Precedence::Ternary)
                                         : outer + " & " + condition.in(Precedence::Unary)));
  write(item.body, indent);
  for (const ValueId value : item.escapes) {
    if (uses_.count(value) == 0) continue;
    const ValueType type = body_[value].type;
    const std::string name = fresh_name(type);
    line(indent,
         fmt::format("const {} {} = {} ? {} : {};", context_.name_of(type), name, branch_condition_,
                     expressions_.term(value).in(Precedence::Or), zero_of(type)));
    expressions_.set_name(value, name);
  }
  branch_condition_ = outer;
}

void BodyWriter::write_loop(const LoopItem& item, int indent) {
  close_guard();
  std::vector<std::string> sums(item.accumulators.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Accumulator& accumulator = item.accumulators[i];
    if (uses_.count(accumulator.sum) == 0) continue;
    if (const auto escape = escape_names_.find(accumulator.sum); escape != escape_names_.end()) {
      sums[i] = escape->second;  // 0 so far
      continue;
    }
    const ValueType type = body_[accumulator.sum].type;
    sums[i] = fresh_name(type);
    line(indent, fmt::format("{} {} = {};", context_.name_of(type), sums[i], zero_of(type)));
  }
  const bool is_divided = threads_ == Threads::Team && item.is_divided;
  if (is_divided) threads_ = Threads::Member;
  const int first_loop = num_loops_;
  num_loops_ += static_cast<int>(item.domains.size());
  int inner = indent;
  for (std::size_t d = item.domains.size(); d-- > 0;) {
    const std::string name = fmt::format("j{}", first_loop + static_cast<int>(d));
    const DimId dim = item.extents[d];
    const bool is_run = item.begin.valid();
    const std::string begin =
        is_run ? expressions_.term(item.begin).in(Precedence::Ternary) : std::string("0");
    const std::string end =
        is_run ? expressions_.term(item.end).in(Precedence::Sum) : context_.dim(dim);
    if (is_divided && d == 0) {
      line(inner, fmt::format("for (idx_t {0} = {1} + (idx_t)member; {0} < {2}; {0} += team) {{",
                              name, begin, end));
    } else {
      // Rows read the same places of windows in neighboring passes. By 5, since convolutions have
      // 5, 11 or 15 points along a row.
      if (d == 0 && context_.reads_windows() && !body_.windows.empty())
        line(inner, "#pragma unroll 5");
      line(inner, fmt::format("for (idx_t {0} = {1}; {0} < {2}; ++{0}) {{", name, begin, end));
    }
    expressions_.set_name(item.coordinates[d], name);
    inner += 2;
  }
  write(item.body, inner, true);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].empty()) continue;
    const Accumulator& accumulator = item.accumulators[i];
    const bool as_double = context_.is_double(body_[accumulator.sum].type);
    const std::string addend =
        expressions_.number(accumulator.addend, as_double).in(Precedence::Ternary);
    line(inner, TeamSum{sums[i], {}, accumulator.op}.with(addend));
    expressions_.set_name(accumulator.sum, sums[i]);
  }
  for (std::size_t d = 0; d < item.domains.size(); ++d) {
    inner -= 2;
    line(inner, "}");
  }
  if (!is_divided) return;
  threads_ = Threads::Team;
  std::vector<TeamSum> found;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].empty()) continue;
    const Accumulator& accumulator = item.accumulators[i];
    found.push_back({sums[i], context_.name_of(body_[accumulator.sum].type), accumulator.op});
  }
  write_team_sums(found, indent);
}

std::string BodyWriter::TeamSum::with(const std::string& other) const {
  return op == ReduceOp::Sum ? fmt::format("{} += {};", name, other)
                             : fmt::format("{0} = fmax({0}, {1});", name, other);
}

// Afterwards each thread of the team has the sums of all.
void BodyWriter::write_team_sums(const std::vector<TeamSum>& sums, int indent) {
  if (sums.empty()) return;
  line(indent,
       "for (unsigned int offset = (team < 32 ? team : 32) >> 1; offset > 0; offset >>= 1) {");
  for (const TeamSum& sum : sums)
    line(indent + 2, sum.with(fmt::format("__shfl_xor_sync(mates, {}, offset)", sum.name)));
  line(indent, "}");
  if (body_.team != WholeBlock) return;
  line(indent, "{");
  for (std::size_t i = 0; i < sums.size(); ++i)
    line(indent + 2, fmt::format("__shared__ {} of_warp{}[team / 32];", sums[i].type, i));
  line(indent + 2, "if ((threadIdx.x & 31) == 0) {");
  for (std::size_t i = 0; i < sums.size(); ++i)
    line(indent + 4, fmt::format("of_warp{}[threadIdx.x >> 5] = {};", i, sums[i].name));
  line(indent + 2, "}");
  line(indent + 2, "__syncthreads();");
  for (std::size_t i = 0; i < sums.size(); ++i) line(indent + 2, sums[i].name + " = 0;");
  line(indent + 2, "for (unsigned int warp = 0; warp < team / 32; ++warp) {");
  for (std::size_t i = 0; i < sums.size(); ++i)
    line(indent + 4, sums[i].with(fmt::format("of_warp{}[warp]", i)));
  line(indent + 2, "}");
  line(indent + 2, "__syncthreads();");
  line(indent, "}");
}

}  // namespace thallo
