#include "core/kernel/emit/shells.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/body.h"
#include "core/kernel/emit/tile_text.h"
#include "core/kernel/lanes.h"
#include "core/kernel/tiles.h"

namespace thallo {
namespace {

bool mentions(std::string_view text, const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

// Declares the coordinates i0, i1, ... of the thread's point that the body mentions.
std::string decode_point(EmitContext& context, const CodeBody& section, std::size_t s,
                         const std::string& space, std::string_view body) {
  const std::size_t rank = section.domains.size();
  const auto is_needed = [&](std::size_t d) { return mentions(body, BodyWriter::coordinate(d)); };
  // Coordinates behind the last one that is mentioned need no division.
  std::size_t num_needed = rank;
  while (num_needed > 0 && !is_needed(num_needed - 1)) --num_needed;
  std::string text;
  std::string rest = "point";
  for (std::size_t d = 0; d < num_needed; ++d) {
    if (d + 1 == rank) {
      text += fmt::format("{}const idx_t i{} = (idx_t){};\n", space, d, rest);
      break;
    }
    text += fmt::format("{}const uidx_t q{} = divide({}, {}, {});\n", space, d, rest,
                        context.word(fmt::format("multiplier{}_{}", s, d)),
                        context.word(fmt::format("shift{}_{}", s, d)));
    if (is_needed(d)) {
      text += fmt::format("{}const idx_t i{} = (idx_t)({} - q{} * (uidx_t){});\n", space, d, rest,
                          d, context.dim(section.extents[d]));
    }
    rest = fmt::format("q{}", d);
  }
  return text;
}

// The body, for the point that the variable `point` counts.
std::string point_text(EmitContext& context, std::size_t s, int indent) {
  const CodeBody& section = context.code().sections[s];
  BodyWriter writer(context, section);
  if (section.team != 1) writer.share_with_team();
  const std::string body = writer.block(indent);
  return decode_point(context, section, s, std::string(static_cast<std::size_t>(indent), ' '),
                      body) +
         body;
}

// The body, for the points of the group that the variable `item` counts: one after the other, with
// vector loads before them and vector stores after them.
std::string lanes_text(EmitContext& context, std::size_t s, int lanes, int indent) {
  const CodeBody& section = context.code().sections[s];
  const std::string space(static_cast<std::size_t>(indent), ' ');
  const LaneFields fields = lane_fields(context.program(), section);
  std::set<FieldId> all = fields.read;
  all.insert(fields.written.begin(), fields.written.end());
  // In the order of slots: the text must not depend on ids.
  const auto by_slot = [&](const std::set<FieldId>& some) {
    std::vector<FieldId> sorted;
    for (const FieldId field : context.code().slots.fields) {
      if (some.contains(field)) sorted.push_back(field);
    }
    return sorted;
  };
  std::string text = fmt::format(
      "{0}const uidx_t begin = {1} * item;\n"
      "{0}const uidx_t left = (uidx_t){2} - begin;\n"
      "{0}const uidx_t count = left < {1} ? left : {1};\n",
      space, lanes, context.word(fmt::format("points{}", s)));
  for (const FieldId field : by_slot(all))
    text += fmt::format("{}{} {}[{}];\n", space, context.lane_type(field), context.lanes_of(field),
                        lanes);
  for (const FieldId field : by_slot(fields.read)) {
    text += fmt::format("{}load_lanes({}, {} + begin, count);\n", space, context.lanes_of(field),
                        context.field(field));
  }
  context.begin_lanes();
  const std::string body = BodyWriter(context, section).block(indent + 4);
  context.end_lanes();
  const std::set<std::size_t> sums = context.take_lane_sums();
  const std::string computed(context.name_of(ValueType::Real));
  for (const std::size_t sum : sums) text += fmt::format("{}{} g{} = 0;\n", space, computed, sum);
  text += fmt::format(
      "{0}#pragma unroll{3}\n"
      "{0}for (int lane = 0; lane < {1}; ++lane) {{\n"
      "{0}  if (lane < count) {{\n"
      "{2}"
      "{0}  }}\n{0}}}\n",
      space, lanes, body, context.shares_functions() ? " 1" : "");
  for (const std::size_t sum : sums)
    text += fmt::format("{}{} += (double)g{};\n", space, context.reduction(sum), sum);
  for (const FieldId field : by_slot(fields.written)) {
    text += fmt::format("{}store_lanes({} + begin, {}, count);\n", space, context.field(field),
                        context.lanes_of(field));
  }
  return text;
}

// Declares what a thread knows of its team: how many threads it has, which of them it is, and the
// threads of its warp that are in the team.
std::string team_text(EmitContext& context, std::size_t s, const std::string& space) {
  const int threads = context.code().sections[s].team;
  THALLO_ASSERT(threads != WholeBlock || std::has_single_bit(unsigned(context.block_size())),
                "a team of {} threads", context.block_size());
  return fmt::format(
      "{0}const unsigned int team = {1};\n"
      "{0}const unsigned int log_team = 31 - __clz(team);\n"
      "{0}const unsigned int member = threadIdx.x & (team - 1);\n"
      "{0}const unsigned int mates = team >= 32 ? 0xffffffffu\n"
      "{0}    : ((1u << team) - 1) << (threadIdx.x & 31 & ~(team - 1));\n",
      space,
      threads == 0 ? fmt::format("(unsigned int){}", context.word(fmt::format("team{}", s)))
                   : std::to_string(threads == WholeBlock ? context.block_size() : threads));
}

// Distributes the points of a section, or groups of points, over the threads of its blocks, or over
// their teams. A thread takes one; or it strides over many where the schedule says so and where the
// kernel reduces, since fewer blocks are fewer atomics on the state.
std::string section_text(EmitContext& context, std::size_t s, int indent) {
  const CodeBody& section = context.code().sections[s];
  const std::size_t num_sections = context.code().sections.size();
  const std::string space(static_cast<std::size_t>(indent), ' ');
  const bool has_teams = section.team != 1;
  const std::string block =
      s == 0 ? "blockIdx.x"
             : fmt::format("(blockIdx.x - (uidx_t){})", context.word(fmt::format("block{}", s)));
  if (has_tiles(context.code().shape, section)) return tile_text(context, section, block, indent);
  // Of teams, counted so that no number exceeds those of points.
  const std::string of_block = has_teams ? fmt::format("({} >> log_team)", context.block_size())
                                         : std::to_string(context.block_size());
  const std::string start = fmt::format("(uidx_t){} * {} + {}", block, of_block,
                                        has_teams ? "(threadIdx.x >> log_team)" : "threadIdx.x");
  const int lanes = lanes_per_thread(context.program(), section, context.options().precision);
  const std::string item = lanes == 1 ? "point" : "item";
  std::string items = fmt::format("(uidx_t){}", context.word(fmt::format("points{}", s)));
  if (lanes > 1) items = fmt::format("({} + {}) / {}", items, lanes - 1, lanes);
  std::string text = has_teams ? team_text(context, s, space) : "";
  if (!strides(context.code())) {
    text += fmt::format("{0}const uidx_t {3} = {1};\n{0}if ({3} < {2}) {{\n", space, start, items,
                        item);
  } else {
    const std::string end =
        s + 1 < num_sections
            ? fmt::format("(uidx_t){}", context.word(fmt::format("block{}", s + 1)))
            : "(uidx_t)gridDim.x";
    const std::string blocks =
        s == 0 ? end
               : fmt::format("({} - (uidx_t){})", end, context.word(fmt::format("block{}", s)));
    text += fmt::format(
        "{0}const uidx_t first = {2};\n"
        "{0}const uidx_t stride = {1};\n"
        "{0}for (uidx_t {4} = first; {4} < {3}; {4} += stride) {{\n",
        space, fmt::format("{} * {}", blocks, of_block), start, items, item);
  }
  text +=
      lanes == 1 ? point_text(context, s, indent + 2) : lanes_text(context, s, lanes, indent + 2);
  return text + space + "}\n";
}

std::string all_sections(EmitContext& context) {
  const std::size_t num_sections = context.code().sections.size();
  if (num_sections == 1) return section_text(context, 0, 2);
  std::string text;
  for (std::size_t s = 0; s < num_sections; ++s) {
    text += s == 0 ? "  " : " else ";
    if (s + 1 < num_sections) {
      text += fmt::format("if (blockIdx.x < (unsigned int){}) ",
                          context.word(fmt::format("block{}", s + 1)));
    }
    text += "{\n" + section_text(context, s, 4) + "  }";
  }
  return num_sections == 0 ? text : text + "\n";
}

// The state slots that the epilogue first reads and then overwrites. A block that is alone hands
// its own sums for these slots to the epilogue in registers; memory need not see them.
std::set<int> kept_slots(const KernelCode& code, FieldId state) {
  std::set<int> read;
  std::set<int> kept;
  for (const CodeItem& item : code.epilogue.block) {
    if (const auto* let = std::get_if<Let>(&item.node)) {
      const Instruction& value = code.epilogue[let->value];
      if (value.kind == InstructionKind::Load && value.field == state) read.insert(value.channel);
    } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
      if (store->field == state && read.contains(store->channel)) kept.insert(store->channel);
    }
  }
  return kept;
}

std::string combined(const Reduction& reduction, const std::string& into,
                     const std::string& other) {
  return reduction.op == ReduceOp::Sum ? fmt::format("{} += {};\n", into, other)
                                       : fmt::format("{0} = fmax({0}, {1});\n", into, other);
}

// The sums of the block, in the variables of its first thread.
std::string block_sums_text(const EmitContext& context, const std::string& space) {
  const auto& reductions = context.code().reductions;
  const int num_warps = context.block_size() / 32;
  const auto in_warp = [&](const std::string& indent, unsigned int first) {
    std::string text =
        fmt::format("{}for (int offset = {}; offset > 0; offset >>= 1) {{\n", indent, first);
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      text += indent + "  " +
              combined(reductions[r], fmt::format("r{}", r),
                       fmt::format("__shfl_down_sync(0xffffffffu, r{}, offset)", r));
    }
    return text + indent + "}\n";
  };
  std::string text = in_warp(space, 16) + space + "if ((threadIdx.x & 31) == 0) {\n";
  for (std::size_t r = 0; r < reductions.size(); ++r)
    text += fmt::format("{0}  warps[{1}][threadIdx.x >> 5] = r{1};\n", space, r);
  text += fmt::format("{0}}}\n{0}__syncthreads();\n{0}if (threadIdx.x < 32) {{\n", space);
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    text += fmt::format("{0}  r{1} = threadIdx.x < {2} ? warps[{1}][threadIdx.x] : 0.0;\n", space,
                        r, num_warps);
  }
  if (num_warps > 1)
    text += in_warp(space + "  ", std::bit_ceil(static_cast<unsigned>(num_warps)) / 2);
  return text + space + "}\n";
}

// The sums of the grid, in the variables of the first thread of the last block to arrive, where all
// other blocks end. That block adds up what each has left, in the order of the blocks.
std::string ordered_sums_text(const EmitContext& context) {
  const auto& reductions = context.code().reductions;
  std::string text =
      "  __shared__ bool is_last;\n"
      "  for (bool is_whole = gridDim.x == 1;; is_whole = true) {\n" +
      block_sums_text(context, "    ") +
      "    if (is_whole) break;\n"
      "    if (threadIdx.x == 0) {\n";
  for (std::size_t r = 0; r < reductions.size(); ++r)
    text += fmt::format("      a.sums[{0} * gridDim.x + blockIdx.x] = r{0};\n", r);
  std::string zeros;
  for (std::size_t r = 0; r < reductions.size(); ++r) zeros += fmt::format("    r{} = 0.0;\n", r);
  text += fmt::format(
      "      __threadfence();\n"
      "      is_last = atomicInc(a.arrivals, gridDim.x - 1) == gridDim.x - 1;\n"
      "      __threadfence();\n"
      "    }}\n"
      "    __syncthreads();\n"
      "    if (!is_last) return;\n"
      "    const volatile double* const sums = a.sums;\n"
      "{1}"
      "    for (unsigned int block = threadIdx.x; block < gridDim.x; block += {0}) {{\n",
      context.block_size(), zeros);
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    text += "      " + combined(reductions[r], fmt::format("r{}", r),
                                fmt::format("sums[{} * gridDim.x + block]", r));
  }
  return text + "    }\n  }\n";
}

// Adds the sums of every block to the state, or in a deterministic program those of the grid.
std::string reductions_text(EmitContext& context) {
  const auto& reductions = context.code().reductions;
  const bool is_ordered = has_block_sums(context.program(), context.code());
  const std::set<int> kept = kept_slots(context.code(), context.program().state);
  std::string text = fmt::format("  __shared__ double warps[{}][{}];\n", reductions.size(),
                                 context.block_size() / 32) +
                     (is_ordered ? ordered_sums_text(context) : block_sums_text(context, "  ")) +
                     "  if (threadIdx.x == 0) {\n";
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    const bool is_kept = kept.contains(reductions[r].slot);
    if (is_ordered && is_kept) continue;
    const std::string target = fmt::format("{}[{}]", context.field(context.program().state),
                                           context.state_slot(reductions[r].slot));
    if (is_ordered) {
      text += "    " + combined(reductions[r], target, fmt::format("r{}", r));
      continue;
    }
    // Non-negative doubles are ordered like their bit patterns.
    const std::string add = reductions[r].op == ReduceOp::Sum
                                ? fmt::format("atomicAdd(&{}, r{});\n", target, r)
                                : fmt::format(
                                      "atomicMax((unsigned long long*)&{}, "
                                      "(unsigned long long)__double_as_longlong(r{}));\n",
                                      target, r);
    text += fmt::format("    {}{}", is_kept ? "if (!alone) " : "", add);
  }
  return text + "  }\n";
}

struct EpilogueText {
  std::string before_reductions;
  std::string after_reductions;
};

// The epilogue is run by the last block to arrive, which sees all sums complete; a block that is
// alone need not ask. It reads the state at once into `held`. A lone block does so before its
// reductions, whose latency hides the reads. The last of many blocks does so after it arrived,
// through volatile reads, because the cache of its multiprocessor may have older values.
EpilogueText epilogue_text(EmitContext& context) {
  const KernelCode& code = context.code();
  std::vector<ValueId> roots;
  if (code.loop_condition.valid()) roots.push_back(code.loop_condition);
  context.hold_state_reads("held");
  BodyWriter epilogue(context, code.epilogue, roots);
  std::string block = epilogue.block(6);
  if (code.loop_condition.valid()) {
    block += fmt::format("      if (a.loop != 0) cudaGraphSetConditional(a.loop, {} ? 1u : 0u);\n",
                         epilogue.condition(code.loop_condition));
  }
  const std::set<int> held = context.take_held_slots();
  const std::set<int> kept = kept_slots(code, context.program().state);
  const std::string state = context.field(context.program().state);
  std::string early;
  std::string late;
  std::string sums;
  for (const int slot : held) {
    const std::string name = context.state_slot(slot);
    early += fmt::format("    held[{0}] = a.state[{0}];\n", name);
    late += fmt::format("      held[{0}] = {1}[{0}];\n", name, state);
    for (std::size_t r = 0; r < code.reductions.size(); ++r) {
      if (code.reductions[r].slot != slot || !kept.contains(slot)) continue;
      sums +=
          code.reductions[r].op == ReduceOp::Sum
              ? fmt::format("      held[{0}] += alone ? r{1} : 0.0;\n", name, r)
              : fmt::format("      held[{0}] = fmax(held[{0}], alone ? r{1} : 0.0);\n", name, r);
    }
  }
  if (!held.empty()) {
    early = fmt::format("  double held[{}];\n  if (alone) {{\n{}  }}\n", num_state_slots, early);
  }
  const std::string declarations =
      context.take_declarations(4, EmitContext::StatePointer::Volatile);
  return {early, fmt::format("{}  if (threadIdx.x == 0) {{\n"
                             "{}"
                             "    bool last = alone;\n"
                             "    if (!alone) {{\n"
                             "      __threadfence();\n"
                             "      last = atomicInc(a.arrivals, gridDim.x - 1) == gridDim.x - 1;\n"
                             "      __threadfence();\n"
                             "{}"
                             "    }}\n"
                             "    if (last) {{\n"
                             "{}{}    }}\n  }}\n",
                             code.reductions.empty() ? "  __syncthreads();\n" : "", declarations,
                             late, sums, block)};
}

std::string gate_text(EmitContext& context) {
  if (!context.code().loop_condition.valid()) {
    return "  if (a.gate_slot >= 0 && a.state[a.gate_slot] != a.gate_value) return;\n";
  }
  return fmt::format(
      "  if (a.gate_slot >= 0 && a.state[a.gate_slot] != a.gate_value) {{\n"
      "    if (a.loop != 0 && a.gate_slot == {} && blockIdx.x == 0 && threadIdx.x == 0) {{\n"
      "      cudaGraphSetConditional(a.loop, 0u);\n"
      "    }}\n"
      "    return;\n"
      "  }}\n",
      context.state_slot(static_cast<int>(StateSlot::Stop)));
}

// A graph launches a kernel before the kernel in front of it has ended (graph_chain.cpp). The text
// reads nothing before this wait.
constexpr std::string_view WaitForPredecessor =
    "#if __CUDA_ARCH__ >= 900\n"
    "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
    "#endif\n";

// __launch_bounds__: the threads of a block, and for how many blocks a multiprocessor must have
// registers.
std::string launch_bounds(const EmitContext& context) {
  const int resident = context.code().shape.resident_threads;
  if (resident == 0) return std::to_string(context.block_size());
  return fmt::format("{}, {}", context.block_size(), std::max(1, resident / context.block_size()));
}

std::string divide_function(int index_bits) {
  return fmt::format(
      "// n / divisor for 0 <= n < 2^{}, see magic.h.\n"
      "__device__ __forceinline__ uidx_t divide(uidx_t n, unsigned long long multiplier,\n"
      "    unsigned long long shift) {{\n"
      "  return {}(n << 1, (uidx_t)multiplier) >> (unsigned int)shift;\n"
      "}}\n\n",
      index_bits - 1, index_bits == 64 ? "__umul64hi" : "__umulhi");
}

}  // namespace

EmittedText emit_cuda(EmitContext& context) {
  if (context.options().is_member_function) return emit_member_function(context);
  const KernelCode& code = context.code();
  const auto& reductions = code.reductions;

  // What the sections read of the state is read once, together with the gate: one latency, not two.
  context.hold_state_reads("input");
  std::string body;
  for (std::size_t r = 0; r < reductions.size(); ++r)
    body += fmt::format("  double r{} = 0.0;\n", r);
  body += all_sections(context);
  const std::set<int> inputs = context.take_held_slots();
  std::string input_text =
      inputs.empty() ? "" : fmt::format("  double input[{}];\n", num_state_slots);
  for (const int slot : inputs) {
    const std::string name = context.state_slot(slot);
    input_text += fmt::format("  input[{0}] = a.state[{0}];\n", name);
  }
  const std::string sums = reductions.empty() ? "" : reductions_text(context);
  const std::string declarations = context.take_declarations(2);
  const std::string gate = gate_text(context);
  if (code.has_epilogue) {
    const EpilogueText epilogue = epilogue_text(context);
    body += fmt::format("  const bool alone = {};\n",
                        has_block_sums(context.program(), code) ? "true" : "gridDim.x == 1");
    body += epilogue.before_reductions + sums + epilogue.after_reductions;
  } else {
    body += sums;
  }

  bool divides = false;
  for (const CodeBody& section : code.sections) divides = divides || section.domains.size() > 1;
  std::string text = context.type_definitions();
  if (code.loop_condition.valid()) {
    text +=
        "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long handle,\n"
        "    unsigned int value);\n\n";
  }
  if (divides) text += divide_function(context.options().index_bits);
  text += context.helpers().definitions();
  return {std::move(text),
          fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(const Args a) {{\n",
                      launch_bounds(context), code.role) +
              std::string(WaitForPredecessor) + input_text + gate + declarations + body + "}\n"};
}

}  // namespace thallo
