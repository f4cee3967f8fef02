#include "core/kernel/emit/body.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/kernel/emit/uniform.h"

namespace thallo {
namespace {

// A value whose text is longer than this gets a name even if it is used once.
constexpr std::size_t LongestInlineText = 60;

bool is_for_team(const CodeItem& item) {
  if (const auto* loop = std::get_if<LoopItem>(&item.node)) return loop->is_divided;
  const auto* branch = std::get_if<IfItem>(&item.node);
  return branch != nullptr && std::ranges::any_of(branch->body, is_for_team);
}

// The position behind the last item that has a loop for the whole team.
std::size_t end_of_team_work(const CodeBlock& block) {
  std::size_t end = block.size();
  while (end > 0 && !is_for_team(block[end - 1])) --end;
  return end;
}

// True if the item itself writes to memory or adds to a reduction.
bool is_effect(const CodeItem& item) {
  return std::holds_alternative<StoreItem>(item.node) ||
         std::holds_alternative<AddItem>(item.node) ||
         std::holds_alternative<MatrixAddItem>(item.node) ||
         std::holds_alternative<ReduceItem>(item.node);
}

}  // namespace

BodyWriter::BodyWriter(EmitContext& context, const CodeBody& body,
                       const std::vector<ValueId>& extra_roots)
    : context_(context),
      body_(body),
      uses_(context.program(), body, context.cuda(), context.reads_windows(), extra_roots),
      layout_(context.program()),
      expressions_(context, body, uses_) {
  for (std::size_t d = 0; d < body.domains.size(); ++d) {
    expressions_.set_name(body.coordinates[d], coordinate(d));
  }
}

std::string BodyWriter::coordinate(std::size_t d) { return fmt::format("i{}", d); }

std::string BodyWriter::uniform_block(int indent) {
  uniform_items_ = uniform_items(context_.program(), body_);
  for (const CodeItem* item : uniform_items_) {
    if (const auto* let = std::get_if<Let>(&item->node)) write_let(let->value, indent);
    if (const auto* branch = std::get_if<IfItem>(&item->node)) write_branch(*branch, indent);
  }
  return std::exchange(text_, {});
}

std::string BodyWriter::block(int indent) {
  write(body_.block, indent);
  return std::move(text_);
}

void BodyWriter::line(int indent, const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(indent), ' ') + text + context_.take_mark() + '\n';
}

void BodyWriter::close_guard() {
  if (!open_guard_.valid()) return;
  open_guard_ = {};
  line(open_indent_, "}");
}

std::string BodyWriter::fresh_name(ValueType type) {
  switch (type) {
    case ValueType::Real: return fmt::format("t{}", num_reals_++);
    case ValueType::Scalar: return fmt::format("s{}", num_scalars_++);
    case ValueType::Index: return fmt::format("k{}", num_indices_++);
    case ValueType::Bool: return fmt::format("b{}", num_bools_++);
  }
  THALLO_UNREACHABLE();
}

// A read of memory that this kernel writes stays where the code has it; other reads may move to
// their use.
bool BodyWriter::reads_what_changes(const Instruction& instruction) const {
  return instruction.kind == InstructionKind::Load && context_.is_changed(instruction.field);
}

// Must the index be hidden from NVRTC (Helpers::opaque_index)? An index must be that falls as a
// serial loop rises (k = i - j) and that selects an entry of a stored J together with the loop's
// own index. No other index is hidden: hiding all cost up to 14 % of the time of a deconvolution.
bool BodyWriter::must_be_opaque(ValueId index) const {
  const Instruction& affine = body_[index];
  if (affine.kind != InstructionKind::Affine) return false;
  for (std::size_t k = 0; k < affine.operands.size(); ++k) {
    const ValueId operand = affine.operands[k];
    const bool falls = affine.coefficients[k] < 0 &&
                       body_[operand].kind == InstructionKind::Coordinate &&
                       std::ranges::find(body_.coordinates, operand) == body_.coordinates.end();
    if (falls && are_read_together(index, operand)) return true;
  }
  return false;
}

bool BodyWriter::are_read_together(ValueId a, ValueId b) const {
  return std::ranges::any_of(body_.values, [&](const Instruction& element) {
    return element.kind == InstructionKind::Element &&
           std::ranges::find(element.operands, a) != element.operands.end() &&
           std::ranges::find(element.operands, b) != element.operands.end();
  });
}

bool BodyWriter::adds_atomically() const {
  return context_.cuda() && !context_.program().is_deterministic;
}

// True if all lanes of a warp may add to one element, so that they should sum first.
// They may where the element comes from a sparse map (sorted graphs give runs of equal entries),
// where it does not vary with the fastest domain, and in a field of rank 0, which has one element.
bool BodyWriter::may_be_shared(ValueId element) const {
  if (!adds_atomically() || !context_.code().aggregates_in_warps) return false;
  return !element.valid() || comes_from_map(element) || body_.coordinates.empty() ||
         !varies_with(element, body_.coordinates.front());
}

bool BodyWriter::comes_from_map(ValueId element) const {
  const Instruction& instruction = body_[element];
  return instruction.kind == InstructionKind::MapLoad ||
         std::ranges::any_of(instruction.operands, [this](ValueId v) { return comes_from_map(v); });
}

bool BodyWriter::varies_with(ValueId element, ValueId coordinate) const {
  return element == coordinate || std::ranges::any_of(body_[element].operands, [&](ValueId v) {
           return varies_with(v, coordinate);
         });
}

// The name of the flag that says whether all lanes of the warp add to this element. The flag is
// computed where the block first adds to the element.
std::string BodyWriter::same_element(ValueId element, std::map<ValueId, std::string>& flags,
                                     int indent) {
  const auto [flag, inserted] = flags.try_emplace(element);
  if (inserted) {
    close_guard();
    flag->second = fresh_name(ValueType::Bool);
    context_.helpers().use_warp_adds();
    const std::string where =
        element.valid() ? expressions_.term(element).in(Precedence::Ternary) : "0";
    line(indent, fmt::format("const bool {} = same_in_warp({});", flag->second, where));
  }
  return flag->second;
}

void BodyWriter::write(const CodeBlock& block, int indent, bool is_seen_outside) {
  std::map<ValueId, std::string> same_elements;
  if (context_.cuda() && !context_.in_lanes()) {
    vector_loads_.merge(find_vector_loads(context_.program(), layout_, body_, block, uses_,
                                          context_.options().precision));
  }
  // What comes behind the last work of a team is for its first thread alone.
  const bool is_of_team = threads_ == Threads::Team && !is_seen_outside;
  const std::size_t end_of_team = is_of_team ? end_of_team_work(block) : block.size();
  for (std::size_t i = 0; i < block.size(); ++i) {
    check_stop();
    if (std::ranges::find(uniform_items_, &block[i]) != uniform_items_.end()) continue;
    const bool is_for_first = i >= end_of_team || is_effect(block[i]);
    if (threads_ != Threads::Team || !is_for_first) {
      write_item(block, i, same_elements, indent);
      continue;
    }
    begin_first(indent);
    const std::size_t end = i >= end_of_team ? block.size() : i + 1;
    for (; i < end; ++i) write_item(block, i, same_elements, indent + 2);
    --i;
    end_first(indent);
  }
  close_guard();
}

// Writes item i, and those behind it that are written together with it; i becomes the last of them.
void BodyWriter::write_item(const CodeBlock& block, std::size_t& i,
                            std::map<ValueId, std::string>& same_elements, int indent) {
  const CodeItem& item = block[i];
  const bool may_add_in_warp = context_.cuda() && threads_ == Threads::Single;
  if (const auto* let = std::get_if<Let>(&item.node)) {
    write_let(let->value, indent);
  } else if (std::holds_alternative<StoreItem>(item.node)) {
    i += write_stores(block, i, indent) - 1;
  } else if (const auto* add = std::get_if<AddItem>(&item.node)) {
    const std::string same = may_add_in_warp && !add->guard.valid() && may_be_shared(add->element)
                                 ? same_element(add->element, same_elements, indent)
                                 : "";
    i += write_adds(block, i, same, indent) - 1;
  } else if (const auto* matrix_add = std::get_if<MatrixAddItem>(&item.node)) {
    std::string same;
    if (may_add_in_warp && !matrix_add->guard.valid() && may_be_shared(matrix_add->row.element) &&
        may_be_shared(matrix_add->col.element)) {
      same = same_element(matrix_add->row.element, same_elements, indent);
      const std::string same_column = same_element(matrix_add->col.element, same_elements, indent);
      if (same_column != same) same += " && " + same_column;
    }
    write_add(fmt::format("{}[({}) * {} + {}]", context_.field(matrix_add->matrix),
                          expressions_.matrix_index(matrix_add->row), context_.num_unknowns(),
                          expressions_.matrix_index(matrix_add->col)),
              context_.memory(matrix_add->matrix), matrix_add->value, matrix_add->guard, same,
              indent);
  } else if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) {
    write_reduce(*reduce, indent);
  } else if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
    write_loop(*loop, indent);
  } else if (const auto* branch = std::get_if<IfItem>(&item.node)) {
    write_branch(*branch, indent);
  }
}

void BodyWriter::begin_first(int indent) {
  close_guard();
  line(indent, "if (member == 0) {");
  threads_ = Threads::First;
}

void BodyWriter::end_first(int indent) {
  close_guard();
  line(indent, "}");
  threads_ = Threads::Team;
}

void BodyWriter::write_let(ValueId value, int indent) {
  const Instruction& instruction = body_[value];
  if (uses_.is_transparent(value) || uses_.count(value) == 0) return;
  context_.forget_lines();  // of a text that was too short for a line of its own
  if (const auto vector = vector_loads_.find(value); vector != vector_loads_.end()) {
    if (vector->second->members.front() == value) write_vector_load(*vector->second, indent);
    return;
  }
  std::string text = expressions_.term(value).in(Precedence::Ternary);
  if (text == "true") return;  // assumed
  if (uses_.is_used_once_where_computed(value) && !reads_what_changes(instruction) &&
      context_.is_short(text.size() <= LongestInlineText)) {
    return;
  }
  if (context_.cuda() && must_be_opaque(value)) text = context_.helpers().opaque_index(text);
  close_guard();
  if (const auto escape = escape_names_.find(value); escape != escape_names_.end()) {
    line(indent, fmt::format("{} = {};", escape->second, text));
    expressions_.set_name(value, escape->second);
    return;
  }
  const std::string name = fresh_name(instruction.type);
  line(indent, fmt::format("const {} {} = {};", context_.name_of(instruction.type), name, text));
  expressions_.set_name(value, name);
}

void BodyWriter::write_vector_load(const VectorLoad& load, int indent) {
  close_guard();
  for (const ValueId member : load.members) context_.mention_line(body_[member].line);
  const Instruction& first = body_[load.members.front()];
  const bool is_double = context_.memory(load.field) == ScalarType::Double;
  const std::string type = fmt::format("{}{}", real_name(is_double), load.unit.width);
  std::string text =
      expressions_.vector_access(load.field, first.operands[0], load.unit, "const " + type);
  if (first.operands.size() > 1) {
    const std::string guard = expressions_.condition(first.operands[1]).in(Precedence::Or);
    text = fmt::format("{} ? {} : {}()", guard, text, type);
  }
  const std::string name = fmt::format("w{}", num_vectors_++);
  line(indent, fmt::format("const {} {} = {};", type, name, text));
  const bool converts = is_double != context_.real_is_double();
  const std::string_view real = real_name(context_.real_is_double());
  for (const ValueId member : load.members) {
    const char channel = "xyzw"[body_[member].channel - load.unit.first];
    std::string scalar = fmt::format("{}.{}", name, channel);
    if (converts) scalar = fmt::format("({}){}", real, scalar);
    if (const auto escape = escape_names_.find(member); escape != escape_names_.end()) {
      line(indent, fmt::format("{} = {};", escape->second, scalar));
      scalar = escape->second;
    } else if (converts) {
      const std::string own = fresh_name(ValueType::Real);
      line(indent, fmt::format("const {} {} = {};", real, own, scalar));
      scalar = own;
    }
    expressions_.set_name(member, scalar);
  }
}

std::size_t BodyWriter::write_stores(const CodeBlock& block, std::size_t first, int indent) {
  std::vector<StoreItem> stores;
  for (std::size_t i = first; i < block.size(); ++i) {
    const auto* store = std::get_if<StoreItem>(&block[i].node);
    if (store == nullptr) break;
    stores.push_back(*store);
  }
  const std::size_t count = stores.size();
  while (!stores.empty()) {
    if (write_vector_store(stores, indent)) continue;
    write_store(stores.front(), indent);
    stores.erase(stores.begin());
  }
  return count;
}

bool BodyWriter::write_vector_store(std::vector<StoreItem>& stores, int indent) {
  const StoreItem head = stores.front();
  if (!context_.cuda() || context_.in_lanes() || !head.element.valid()) return false;
  const VectorUnit unit = vector_unit(context_.program(), layout_, head.field, head.channel,
                                      context_.options().precision);
  if (unit.width == 1) return false;
  const ScalarType memory = context_.memory(head.field);
  const auto in_vector = [&](const StoreItem& store) {
    const int position = store.channel - unit.first;
    return store.field == head.field && store.element == head.element && position >= 0 &&
           position < unit.width;
  };
  std::vector<std::string> values(static_cast<std::size_t>(unit.channels));
  for (const StoreItem& store : stores) {
    if (in_vector(store))
      values[static_cast<std::size_t>(store.channel - unit.first)] = converted(store.value, memory);
  }
  if (std::ranges::any_of(values, &std::string::empty)) return false;
  std::erase_if(stores, in_vector);
  values.resize(static_cast<std::size_t>(unit.width), "0");
  close_guard();
  const std::string type = fmt::format("{}{}", real_name(memory == ScalarType::Double), unit.width);
  line(indent, fmt::format("{} = make_{}({});",
                           expressions_.vector_access(head.field, head.element, unit, type), type,
                           fmt::join(values, ", ")));
  return true;
}

std::string BodyWriter::converted(ValueId value, ScalarType memory) {
  if (memory == ScalarType::Float || memory == ScalarType::Double) {
    return expressions_.number(value, memory == ScalarType::Double).in(Precedence::Ternary);
  }
  if (memory == ScalarType::Half) {
    return to_half(expressions_.number(value, false).in(Precedence::Ternary));
  }
  const Instruction& instruction = body_[value];
  const Term term = instruction.type == ValueType::Bool
                        ? expressions_.condition(value)
                        : expressions_.number(value, context_.is_double(instruction.type));
  return fmt::format("({}){}", memory_name(memory), term.in(Precedence::Unary));
}

void BodyWriter::write_store(const StoreItem& item, int indent) {
  close_guard();
  line(indent, fmt::format("{} = {};", expressions_.access(item.field, item.element, item.channel),
                           converted(item.value, context_.memory(item.field))));
}

std::size_t BodyWriter::write_adds(const CodeBlock& block, std::size_t first,
                                   const std::string& same, int indent) {
  const AddItem& head = std::get<AddItem>(block[first].node);
  const std::size_t channels = adds_atomically() ? vector_adds(context_.program(), layout_, block,
                                                               first, context_.options().precision)
                                                 : 1;
  if (channels == 1) {
    write_add(expressions_.access(head.field, head.element, head.channel),
              context_.memory(head.field), head.value, head.guard, same, indent);
    return 1;
  }
  std::vector<std::string> addends;
  for (std::size_t i = first; i < first + channels; ++i)
    addends.push_back(converted(std::get<AddItem>(block[i].node).value, ScalarType::Float));
  const VectorUnit unit = vector_unit(context_.program(), layout_, head.field, head.channel,
                                      context_.options().precision);
  addends.resize(static_cast<std::size_t>(unit.width), "0");
  const std::string type = fmt::format("float{}", unit.width);
  open_guard(head.guard, indent);
  context_.helpers().use_vector_adds(unit.width);
  line(head.guard.valid() ? indent + 2 : indent,
       fmt::format("{}(&{}, make_{}({}){});", same.empty() ? "add_vector" : "add_vector_in_warp",
                   expressions_.vector_access(head.field, head.element, unit, type), type,
                   fmt::join(addends, ", "), same.empty() ? "" : ", " + same));
  return channels;
}

void BodyWriter::open_guard(ValueId guard, int indent) {
  if (open_guard_ != guard) close_guard();
  if (!guard.valid() || open_guard_.valid()) return;
  line(indent, fmt::format("if ({}) {{", expressions_.condition(guard).in(Precedence::Ternary)));
  open_guard_ = guard;
  open_indent_ = indent;
}

void BodyWriter::write_add(const std::string& target, ScalarType memory, ValueId value,
                           ValueId guard, const std::string& same, int indent) {
  THALLO_ASSERT(memory == ScalarType::Float || memory == ScalarType::Double,
                "a scatter into integers");
  open_guard(guard, indent);
  const int inner = guard.valid() ? indent + 2 : indent;
  if (adds_atomically()) {
    const std::string addend = converted(value, memory);
    line(inner, same.empty() ? fmt::format("atomicAdd(&{}, {});", target, addend)
                             : fmt::format("add_in_warp(&{}, {}, {});", target, addend, same));
    return;
  }
  const Term addend = expressions_.number(value, memory == ScalarType::Double);
  line(inner, fmt::format("{} {}= {};", target, addend.negative ? '-' : '+',
                          addend.magnitude_in(Precedence::Ternary)));
}

void BodyWriter::write_reduce(const ReduceItem& item, int indent) {
  close_guard();
  const bool is_max = context_.code().reductions[item.reduction].op == ReduceOp::Max;
  const bool as_double = is_max || !context_.in_lanes() || context_.real_is_double();
  const Term term = expressions_.number(item.value, as_double);
  const std::string value =
      branch_condition_.empty()
          ? term.in(Precedence::Ternary)
          : fmt::format("{} ? {} : {}", branch_condition_, term.in(Precedence::Or),
                        context_.literal(0, as_double));
  if (!is_max) return line(indent, fmt::format("{} += {};", context_.sum(item.reduction), value));
  const std::string name = context_.reduction(item.reduction);
  if (context_.cuda()) return line(indent, fmt::format("{0} = fmax({0}, {1});", name, value));
  // As fmax: a NaN is no maximum. Compilers know this form as one.
  const std::string candidate = fresh_name(ValueType::Scalar);
  line(indent, fmt::format("const double {} = {};", candidate, value));
  line(indent, fmt::format("{0} = {0} < {1} ? {1} : {0};", name, candidate));
}

}  // namespace thallo
