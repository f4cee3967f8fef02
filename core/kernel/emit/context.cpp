#include "core/kernel/emit/context.h"
#include "core/kernel/memory_type.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/half.h"
#include "core/kernel/emit/trigonometry.h"
#include "core/kernel/lanes.h"

namespace thallo {
namespace {

constexpr std::array<std::string_view, num_state_slots> StateSlotNames = {
#define THALLO_STATE_NAME(name, doc) #name,
    THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_NAME)
#undef THALLO_STATE_NAME
};

// The last space up to `width` that is not inside a subscript, behind an operator rather than in
// front of one; the first thereafter if there is none.
std::size_t find_break(const std::string& line, std::size_t from, std::size_t width) {
  std::size_t best = std::string::npos;
  int subscripts = 0;
  for (std::size_t i = from; i + 1 < line.size(); ++i) {
    if (line[i] == '[') ++subscripts;
    if (line[i] == ']') --subscripts;
    if (line[i] != ' ' || subscripts > 0) continue;
    const bool before_operator =
        std::string_view("+-*/<>=&|?:").find(line[i + 1]) != std::string_view::npos;
    if (before_operator) continue;
    if (i > width) return best == std::string::npos ? i : best;
    best = i;
  }
  return best;
}

// Vector accesses of elementwise sections; the last thread may have fewer points than lanes.
std::string lane_helpers(std::string_view real, int count) {
  const std::string vector = fmt::format("{}{}", real, count);
  const std::string lanes = count == 2 ? "{w.x, w.y}" : "{w.x, w.y, w.z, w.w}";
  const std::string values = count == 2 ? "v[0], v[1]" : "v[0], v[1], v[2], v[3]";
  return fmt::format(
      "__device__ __forceinline__ void load_lanes({0} (&v)[{4}], const {0}* from, uidx_t count) "
      "{{\n"
      "  if (count == {4}) {{\n"
      "    const {1} w = *(const {1}*)from;\n"
      "    const {0} all[{4}] = {2};\n"
      "    for (int lane = 0; lane < {4}; ++lane) v[lane] = all[lane];\n"
      "  }} else {{\n"
      "    for (int lane = 0; lane < {4}; ++lane) v[lane] = lane < count ? from[lane] : 0;\n"
      "  }}\n"
      "}}\n\n"
      "__device__ __forceinline__ void store_lanes({0}* to, const {0} (&v)[{4}], uidx_t count) {{\n"
      "  if (count == {4}) {{\n"
      "    *({1}*)to = make_{1}({3});\n"
      "  }} else {{\n"
      "    for (int lane = 0; lane < {4}; ++lane) {{\n"
      "      if (lane < count) to[lane] = v[lane];\n"
      "    }}\n"
      "  }}\n"
      "}}\n\n",
      real, vector, lanes, values, count);
}

}  // namespace

EmitContext::EmitContext(const KernelProgram& program, const KernelCode& code,
                         const EmitOptions& options)
    : program_(program),
      code_(code),
      options_(options),
      real_is_double_(options.double_precision || code.compute == ComputeType::Double) {
  THALLO_ASSERT(options.index_bits == 32 || options.index_bits == 64, "index width {}",
                options.index_bits);
  THALLO_ASSERT(block_size() > 0 && block_size() % 32 == 0 && block_size() <= 1024, "block size {}",
                block_size());
}

std::string_view EmitContext::name_of(ValueType type) const {
  switch (type) {
    case ValueType::Real: return real_name(real_is_double_);
    case ValueType::Scalar: return "double";
    case ValueType::Index: return "idx_t";
    case ValueType::Bool: return "bool";
  }
  THALLO_UNREACHABLE();
}

std::string_view EmitContext::memory_name(ScalarType type) {
  switch (type) {
    case ScalarType::Half: return "half_t";
    case ScalarType::Float: return "float";
    case ScalarType::Double: return "double";
    case ScalarType::Int32: return "int";
    case ScalarType::UInt8: return "unsigned char";
    case ScalarType::Working: break;
  }
  THALLO_UNREACHABLE();
}

std::string EmitContext::literal(double value, bool as_double) const {
  const double rounded = as_double ? value : static_cast<double>(static_cast<float>(value));
  if (std::isnan(rounded)) {
    if (!cuda()) return as_double ? "((double)NAN)" : "NAN";
    return as_double ? "__longlong_as_double(0x7ff8000000000000LL)" : "__int_as_float(0x7fc00000)";
  }
  if (std::isinf(rounded)) {
    if (!cuda()) return as_double ? "HUGE_VAL" : "INFINITY";
    return as_double ? "__longlong_as_double(0x7ff0000000000000LL)" : "__int_as_float(0x7f800000)";
  }
  // The shortest text that reads back as the same number.
  std::string text =
      as_double ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!as_double) text += 'f';
  return text;
}

std::string EmitContext::field(FieldId field) {
  if (field == program_.state) {
    state_ = true;
    return "state";
  }
  const std::size_t slot = slot_of(code_.slots.fields, field, "field");
  fields_.insert(slot);
  return fmt::format("f{}", slot);
}

std::string EmitContext::lanes_of(FieldId field) {
  return fmt::format("v{}", slot_of(code_.slots.fields, field, "field"));
}

std::string EmitContext::lane_type(FieldId field) {
  lane_types_.insert(memory(field));
  return std::string(memory_name(memory(field)));
}

std::string EmitContext::param(FieldId field) const {
  return word(fmt::format("f{}", slot_of(code_.slots.fields, field, "param")));
}

std::string EmitContext::map(MapId map) {
  const std::size_t slot = slot_of(code_.slots.maps, map, "map");
  maps_.insert(slot);
  return fmt::format("m{}", slot);
}

std::string EmitContext::dim(DimId dim) {
  const std::size_t slot = slot_of(code_.slots.dims, dim, "dim");
  dims_.insert(slot);
  return fmt::format("n{}", slot);
}

std::string EmitContext::offset(FieldId field) {
  const std::size_t slot = slot_of(code_.slots.offsets, field, "offset of field");
  offsets_.insert(slot);
  return fmt::format("o{}", slot);
}

std::string EmitContext::chunk(const LaterChunk& chunk) {
  const auto slot = std::ranges::find(code_.slots.chunks, chunk);
  THALLO_ASSERT(slot != code_.slots.chunks.end(), "chunk {} of field {} is not among the slots",
                chunk.number, chunk.of.value());
  const auto position = static_cast<std::size_t>(slot - code_.slots.chunks.begin());
  chunks_.insert(position);
  return fmt::format("c{}", position);
}

std::string EmitContext::num_unknowns() {
  THALLO_ASSERT(code_.slots.needs_num_unknowns, "the kernel's slots lack N");
  num_unknowns_ = true;
  return "N";
}

std::string EmitContext::state_slot(int channel) {
  THALLO_ASSERT(channel >= 0 && channel < num_state_slots, "state slot {}", channel);
  state_slots_.insert(channel);
  return std::string(StateSlotNames[static_cast<std::size_t>(channel)]);
}

std::string EmitContext::reduction(std::size_t reduction) {
  reductions_.insert(reduction);
  return fmt::format("r{}", reduction);
}

std::string EmitContext::sum(std::size_t reduction) {
  if (!in_lanes()) return this->reduction(reduction);
  lane_sums_.insert(reduction);
  return fmt::format("g{}", reduction);
}

std::string EmitContext::word(std::string_view name) const {
  return fmt::format("{}{}", cuda() ? "a." : "a->", name);
}

std::string EmitContext::power_function(int exponent, bool is_double) {
  powers_.insert({exponent, is_double});
  return fmt::format("power{}_{}", exponent, real_name(is_double));
}

std::string EmitContext::sample_function(SampleKind kind, ScalarType texel) {
  samplers_.insert({kind, texel});
  return sample_name(kind, texel);
}

std::string EmitContext::sample_name(SampleKind kind, ScalarType texel) {
  return fmt::format("sample_{}{}", kind == SampleKind::Layer ? "layer_" : "",
                     texel == ScalarType::UInt8 ? "byte" : memory_name(texel));
}

// A vector as a whole and the part of it that belongs to one unknown.
bool EmitContext::overlap(FieldId a, FieldId b) const {
  return std::ranges::any_of(program_.buffers, [&](const BufferDecl& buffer) {
    const auto is_part = [&buffer](FieldId field) {
      return std::ranges::find(buffer.fields, field) != buffer.fields.end();
    };
    return buffer.flat.valid() &&
           ((buffer.flat == a && is_part(b)) || (buffer.flat == b && is_part(a)));
  });
}

bool EmitContext::has_own_memory(FieldId field) const {
  return std::ranges::none_of(code_.slots.fields,
                              [&](FieldId other) { return overlap(field, other); });
}

bool EmitContext::is_changed(FieldId field) const {
  const auto changes = [&](FieldId changed) { return changed == field || overlap(changed, field); };
  return field == program_.state || std::ranges::any_of(code_.written, changes) ||
         std::ranges::any_of(code_.scattered, changes);
}

bool EmitContext::knows_halves() const {
  return std::ranges::any_of(code_.slots.fields, [this](FieldId field) {
    return !is_param(program_, field) && memory(field) == ScalarType::Half;
  });
}

std::string EmitContext::vector_add_definitions(int width) {
  const auto each = [width](std::string_view line) {
    std::string text;
    for (int c = 0; c < width; ++c) text += fmt::format(fmt::runtime(line), "xyzw"[c]);
    return text;
  };
  return fmt::format(
      "__device__ __forceinline__ void add_vector(float{0}* to, float{0} v) {{\n"
      "#if __CUDA_ARCH__ >= 900\n"
      "  atomicAdd(to, v);\n"
      "#else\n"
      "{1}"
      "#endif\n"
      "}}\n"
      "__device__ __forceinline__ void add_vector_in_warp(float{0}* to, float{0} v, bool same) {{\n"
      "  if (same) {{\n"
      "    for (int offset = 16; offset > 0; offset >>= 1) {{\n"
      "{2}"
      "    }}\n"
      "    if ((threadIdx.x & 31) != 0) return;\n"
      "  }}\n"
      "  add_vector(to, v);\n"
      "}}\n\n",
      width, each("  atomicAdd(&to->{0}, v.{0});\n"),
      each("      v.{0} += __shfl_xor_sync(0xffffffffu, v.{0}, offset);\n"));
}

std::string EmitContext::opaque_index(std::string_view index) {
  opaque_indices_ = true;
  return fmt::format("opaque({})", index);
}

std::string EmitContext::helper_definitions() const {
  const char* qualifier = cuda() ? "__device__ __forceinline__" : "static inline";
  std::string text;
  if (warp_adds_) {
    text +=
        "// Do all 32 lanes add to one element? Then their sum is added by one of them.\n"
        "__device__ __forceinline__ bool same_in_warp(idx_t element) {\n"
        "  const unsigned int lanes = __activemask();\n"
        "  return lanes == 0xffffffffu &&\n"
        "         __all_sync(lanes, element == __shfl_sync(lanes, element, 0));\n"
        "}\n\n"
        "template <class T>\n"
        "__device__ __forceinline__ void add_in_warp(T* to, T value, bool same) {\n"
        "  if (same) {\n"
        "    for (int offset = 16; offset > 0; offset >>= 1) {\n"
        "      value += __shfl_xor_sync(0xffffffffu, value, offset);\n"
        "    }\n"
        "    if ((threadIdx.x & 31) == 0 && value != 0) atomicAdd(to, value);\n"
        "  } else if (value != 0) {\n"
        "    atomicAdd(to, value);\n"
        "  }\n"
        "}\n\n";
  }
  if (opaque_indices_) {
    text += fmt::format(
        "// The same index; the compiler does not follow it.\n"
        "__device__ __forceinline__ idx_t opaque(idx_t index) {{\n"
        "  asm(\"\" : \"+{}\"(index));\n"
        "  return index;\n"
        "}}\n\n",
        options_.index_bits == 64 ? 'l' : 'r');
  }
  for (const int width : vector_adds_) text += vector_add_definitions(width);
  if (trigonometry_) text += trigonometry_definitions();
  const int num_lanes =
      LaneBytes /
      static_cast<int>(size_of(memory_type(ScalarType::Working, options_.double_precision)));
  for (const ScalarType type : lane_types_) text += lane_helpers(memory_name(type), num_lanes);
  for (const auto& [exponent, is_double] : powers_) {
    const auto real = real_name(is_double);
    text += fmt::format("{} {} power{}_{}({} x) {{\n", qualifier, real, exponent, real, real);
    // Squares of squares; the factors are the binary digits of the exponent.
    std::string product = (exponent & 1) != 0 ? "x" : "";
    for (int bit = 1; (exponent >> bit) != 0; ++bit) {
      const std::string below = bit == 1 ? "x" : fmt::format("x{}", 1 << (bit - 1));
      text += fmt::format("  const {} x{} = {} * {};\n", real, 1 << bit, below, below);
      if (((exponent >> bit) & 1) != 0) {
        product += fmt::format("{}x{}", product.empty() ? "" : " * ", 1 << bit);
      }
    }
    text += fmt::format("  return {};\n}}\n\n", product);
  }
  for (const auto& [kind, texel] : samplers_) {
    text += sample_definition(kind, {.qualifier = qualifier,
                                     .name = sample_name(kind, texel),
                                     .texel = memory_name(texel),
                                     .real = real_name(real_is_double_),
                                     .floor = real_is_double_ ? "floor" : "floorf",
                                     .zero = literal(0, real_is_double_),
                                     .one = literal(1, real_is_double_),
                                     .infinity = literal(HUGE_VAL, real_is_double_)});
  }
  return text;
}

std::string EmitContext::take_declarations(int indent, StatePointer state) {
  const std::string space(static_cast<std::size_t>(indent), ' ');
  const char* restrict_word = cuda() ? "__restrict__" : "restrict";
  std::string text;
  if (state_) {
    text += fmt::format("{}{}double* const {}state = {};\n", space,
                        state == StatePointer::Volatile ? "volatile " : "",
                        cuda() ? "" : "restrict ", word("state"));
  }
  // Every field of a launch has memory of its own, unless it is only read; so restrict holds.
  for (const std::size_t slot : fields_) {
    const FieldId field = code_.slots.fields[slot];
    const bool changed = is_changed(field);
    text += fmt::format("{}{}{}* const {}f{} = {};\n", space, changed ? "" : "const ",
                        memory_name(memory(field)),
                        changed && !has_own_memory(field) ? "" : restrict_word + std::string(" "),
                        slot, word(fmt::format("f{}", slot)));
  }
  for (const std::size_t slot : maps_) {
    text += fmt::format("{}const int* const {} m{} = {};\n", space, restrict_word, slot,
                        word(fmt::format("m{}", slot)));
  }
  const auto index = [&](const std::string& name) {
    text += fmt::format("{}const idx_t {} = (idx_t){};\n", space, name, word(name));
  };
  for (const std::size_t slot : dims_) index(fmt::format("n{}", slot));
  for (const std::size_t slot : offsets_) index(fmt::format("o{}", slot));
  for (const std::size_t slot : chunks_) index(fmt::format("c{}", slot));
  if (num_unknowns_) index("N");
  fields_.clear();
  maps_.clear();
  dims_.clear();
  offsets_.clear();
  chunks_.clear();
  num_unknowns_ = false;
  state_ = false;
  return text;
}

std::string EmitContext::args_struct() const {
  std::string text = "typedef struct {\n";
  for (const Argument& argument : kernel_arguments(program_, code_, options_.dialect)) {
    std::string type;
    switch (argument.kind) {
      case ArgumentKind::State: type = "double*"; break;
      case ArgumentKind::GateValue:
      case ArgumentKind::Param: type = "double"; break;
      case ArgumentKind::Field: {
        const FieldId field = code_.slots.fields[argument.slot];
        type = fmt::format("{}{}*", is_changed(field) ? "" : "const ", memory_name(memory(field)));
        break;
      }
      case ArgumentKind::Map: type = "const int*"; break;
      case ArgumentKind::GateSlot:
      case ArgumentKind::Extent:
      case ArgumentKind::Offset:
      case ArgumentKind::Chunk:
      case ArgumentKind::NumUnknowns:
      case ArgumentKind::NumPoints:
      case ArgumentKind::FirstBlock: type = "long long"; break;
      case ArgumentKind::LoopHandle:
      case ArgumentKind::Multiplier:
      case ArgumentKind::Shift: type = "unsigned long long"; break;
      case ArgumentKind::Arrivals: type = "unsigned int*"; break;
    }
    text += fmt::format("  {} {};\n", type, argument.name);
  }
  return text + "} Args;\n\n";
}

std::string EmitContext::type_definitions() const {
  const bool wide = options_.index_bits == 64;
  std::string text = fmt::format("typedef {} idx_t;\ntypedef unsigned {} uidx_t;\n\n",
                                 wide ? "long long" : "int", wide ? "long long" : "int");
  if (knows_halves()) text += half_definitions(options_.dialect);
  text += args_struct();
  if (!state_slots_.empty()) {
    std::string list;
    for (const int slot : state_slots_) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ",
                          StateSlotNames[static_cast<std::size_t>(slot)], slot);
    }
    text += fmt::format("enum {{ {} }};\n\n", list);
  }
  return text;
}

std::string wrap_lines(const std::string& text) {
  constexpr std::size_t Width = 100;
  std::string wrapped;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    while (line.size() > Width) {
      const std::size_t space = find_break(line, indent + 4, Width);
      if (space == std::string::npos) break;
      wrapped += line.substr(0, space) + '\n';
      line = std::string(indent + 4, ' ') + line.substr(space + 1);
    }
    wrapped += line + '\n';
    begin = end + 1;
  }
  return wrapped;
}

}  // namespace thallo
