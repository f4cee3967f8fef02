#include "core/kernel/features.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "core/kernel/access_notes.h"
#include "core/kernel/arguments.h"
#include "core/kernel/emit/vector_access.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/motions.h"
#include "core/kernel/power.h"
#include "core/kernel/tiles.h"

namespace thallo {
namespace {

constexpr int WarpSize = 32;

// Scalars of a buffer that are touched, per channel.
using Touched = std::map<std::pair<FieldId, int>, double>;

class FeatureCounter {
 public:
  FeatureCounter(const KernelProgram& program, const KernelCode& code, const ProgramSizes& sizes,
                 Precision precision)
      : program_(program),
        code_(code),
        layout_(program),
        sizes_(sizes),
        precision_(precision),
        notes_(program_, layout_, sizes_, precision_),
        features_{} {}

  KernelFeatures run() {
    has_windows_ = windows_fit(code_, sizes_, precision_);
    for (const CodeBody& section : code_.sections) {
      body_ = &section;
      const std::int64_t points = sizes_.num_points(section.extents);
      features_.points += points;
      motions_ = Motions(section);
      find_chains();
      count_uses();
      block(section.block, static_cast<double>(points));
      windows(section);
      std::ranges::move(notes_.take(), std::back_inserter(features_.accesses));
    }
    features_.must_read = bytes_of(read_) + bytes_of_entries();
    features_.must_write = bytes_of(written_);
    return features_;
  }

 private:
  const Instruction& at(ValueId value) const { return (*body_)[value]; }
  Motion motion(ValueId value) const { return motions_.motion(value); }
  MapId jump(ValueId value) const { return motions_.jumped_by(value); }

  // How many loads, each of which needs the one before, a value needs.
  void find_chains() {
    std::vector<int> chains(body_->values.size(), 0);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const Instruction& v = body_->values[i];
      for (const ValueId operand : v.operands)
        chains[i] = std::max(chains[i], chains[operand.index()]);
      const bool loads = v.kind == InstructionKind::MapLoad || v.kind == InstructionKind::Sample ||
                         (v.kind == InstructionKind::Load && !is_free(v.field));
      if (loads) ++chains[i];
      features_.chained_loads = std::max(features_.chained_loads, static_cast<double>(chains[i]));
    }
  }

  // Products that are used once, by a sum, fuse with it.
  void count_uses() {
    uses_.assign(body_->values.size(), 0);
    for (const Instruction& v : body_->values) {
      for (const ValueId operand : v.operands) ++uses_[operand.index()];
    }
  }

  void block(const CodeBlock& items, double times) {
    std::size_t vector_left = 0;  // scatters of the vector that is added at once
    for (std::size_t i = 0; i < items.size(); ++i) {
      const CodeItem& item = items[i];
      if (const auto* let = std::get_if<Let>(&item.node)) {
        value(at(let->value), times);
      } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
        write(store->field, store->element, store->channel, times);
      } else if (const auto* add = std::get_if<AddItem>(&item.node);
                 add != nullptr && program_.is_deterministic) {
        update(add->field, add->channel, add->element, times);
      } else if (add != nullptr) {
        const bool is_first = vector_left == 0;
        if (is_first) vector_left = vector_adds(program_, layout_, items, i, precision_);
        --vector_left;
        const Motion how = motion(add->element);
        const double added = atomics_of(how, add->guard.valid(), times);
        scatter(add->field, add->channel, add->element, how, times, added, is_first);
        if (is_first) features_.atomics += added;
      } else if (const auto* matrix_add = std::get_if<MatrixAddItem>(&item.node);
                 matrix_add != nullptr && program_.is_deterministic) {
        update(matrix_add->matrix, 0, matrix_add->col.element, times);
      } else if (matrix_add != nullptr) {
        const bool still = motion(matrix_add->row.element) == Motion::Still &&
                           motion(matrix_add->col.element) == Motion::Still;
        const Motion how = still ? Motion::Still : Motion::Jumps;
        const double added = atomics_of(how, matrix_add->guard.valid(), times);
        scatter(matrix_add->matrix, 0, matrix_add->col.element, how, times, added, true);
        features_.atomics += added;
      } else if (std::holds_alternative<ReduceItem>(item.node)) {
        features_.reductions += times;
        features_.flops.adds += times;
      } else if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
        const double inner = times * points_of(*loop);
        features_.passes += inner;
        if (const auto map = inverted_map(*loop)) features_.visits[*map] += inner;
        block(loop->body, inner);
        features_.flops.adds += inner * static_cast<double>(loop->accumulators.size());
      } else {
        block(std::get<IfItem>(item.node).body, times);
      }
    }
  }

  // Each block loads them once.
  void windows(const CodeBody& section) {
    if (!has_windows_ || section.windows.empty()) return;
    const auto tiles = static_cast<double>(num_tiles(code_.shape, section, sizes_));
    for (const Window& window : section.windows) {
      const auto scalars = static_cast<double>(window_scalars(code_.shape, window, sizes_));
      read(window.field, window.channel, {}, Motion::ByOne, 1, tiles * scalars);
    }
  }

  // The map whose inverse lists the points of a serial loop, or the table that lists them.
  std::optional<MapId> inverted_map(const LoopItem& loop) const {
    if (!loop.begin.valid()) return std::nullopt;
    const MapId offsets = (*body_)[loop.begin].map;
    const auto found = std::ranges::find(program_.inverses, offsets, &InverseMap::offsets);
    if (found != program_.inverses.end()) return found->of;
    const auto lists = [offsets](const AdditionOrder::List& list) {
      return list.begin == offsets || list.segments_of == offsets;
    };
    const bool is_listed = std::ranges::any_of(
        program_.addition_orders,
        [&](const AdditionOrder& order) { return std::ranges::any_of(order.lists, lists); });
    return is_listed ? std::optional(offsets) : std::nullopt;
  }

  // Points of a serial loop; runs have their mean length.
  double points_of(const LoopItem& loop) const {
    const auto all = static_cast<double>(sizes_.num_points(loop.extents));
    if (!loop.begin.valid()) return all;
    const SparseMap& offsets = program_.maps[(*body_)[loop.begin].map.index()];
    const std::int64_t runs = sizes_.num_points(offsets.in);
    return runs == 0 ? 0 : all / static_cast<double>(runs);
  }

  void value(const Instruction& v, double times) {
    switch (v.kind) {
      case InstructionKind::Load:
        if (has_windows_ && v.window >= 0) {
          features_.loads += times;
          features_.window_loads += times;
          break;
        }
        read(v.field, v.channel, element_of(v), load_motion(v), 1, times);
        break;
      case InstructionKind::Sample: {
        read(v.field, v.channel, v.operands[0], Motion::Jumps, 4, times);
        features_.flops.adds += 9 * times;
        features_.flops.multiplies += 8 * times;
        features_.flops.fused += 4 * times;
        break;
      }
      case InstructionKind::MapLoad: {
        features_.index_bytes += 4 * times;
        features_.loads += times;
        entries_[{v.map, v.output}] += times;
        break;
      }
      case InstructionKind::Affine:
        features_.index_operations += static_cast<double>(v.operands.size()) * times;
        break;
      case InstructionKind::Element:
        features_.index_operations += 2 * (static_cast<double>(v.operands.size()) - 1) * times;
        break;
      case InstructionKind::InRange: features_.index_operations += 2 * times; break;
      case InstructionKind::Operation: operation(v, times); break;
      case InstructionKind::Constant:
      case InstructionKind::Coordinate:
      case InstructionKind::ToReal: break;
    }
  }
  ValueId element_of(const Instruction& load) const {
    return load.operands.empty() ? ValueId() : load.operands[0];
  }
  Motion load_motion(const Instruction& v) const {
    return program_.field(v.field).dims.empty() ? Motion::Still : motion(v.operands[0]);
  }

  // A factor of -1 is a sign, powers are squares of squares.
  double multiplies_of(const Instruction& v) const {
    if (v.op == Op::PowI) return flops_of_power(v.exponent).multiplies;
    if (v.type == ValueType::Bool) return 0;
    const auto signs = std::ranges::count_if(v.operands, [this](ValueId operand) {
      return at(operand).kind == InstructionKind::Constant && at(operand).constant == -1;
    });
    return static_cast<double>(v.operands.size()) - 1 - static_cast<double>(signs);
  }

  void operation(const Instruction& v, double times) {
    Flops& flops = features_.flops;
    switch (info(v.op).kind) {
      case OpKind::Arithmetic: arithmetic(v, times); break;
      case OpKind::Root: flops.divisions += times; break;
      case OpKind::Transcendental: {
        const bool is_power =
            v.op == Op::Pow && at(v.operands[1]).kind == InstructionKind::Constant;
        flops.add(
            is_power ? flops_of_power(at(v.operands[1]).constant) : Flops{.transcendentals = 1},
            times);
        break;
      }
      case OpKind::Choice: flops.adds += times; break;
      case OpKind::Leaf:
      case OpKind::Sample:
      case OpKind::Sum:
      case OpKind::Opaque: break;
    }
  }

  void arithmetic(const Instruction& v, double times) {
    Flops& flops = features_.flops;
    const double joints = static_cast<double>(v.operands.size()) - 1;
    if (v.op == Op::Add) {
      flops.adds += joints * times;
      double products = 0;
      for (const ValueId operand : v.operands) {
        const Instruction& o = at(operand);
        const bool is_product = o.kind == InstructionKind::Operation &&
                                (o.op == Op::Mul || o.op == Op::PowI) && multiplies_of(o) > 0;
        if (is_product && uses_[operand.index()] == 1) ++products;
      }
      flops.fused += std::min(products, joints) * times;
      return;
    }
    if (v.op == Op::Mul && v.type == ValueType::Bool) flops.adds += joints * times;
    flops.multiplies += multiplies_of(v) * times;
    if (v.op == Op::PowI && v.exponent < 0) flops.divisions += times;
  }

  bool is_free(FieldId field) const { return field == program_.state || is_param(program_, field); }
  double scalar_bytes(FieldId field) const {
    return static_cast<double>(size_of(memory_type(program_, field, precision_)));
  }
  static double& of_motion(AccessBytes& bytes, Motion motion) {
    switch (motion) {
      case Motion::Still: return bytes.uniform;
      case Motion::ByOne: return bytes.coalesced;
      case Motion::Jumps: break;
    }
    return bytes.gathered;
  }

  void read(FieldId field, int channel, ValueId element, Motion how, double count, double times) {
    if (is_free(field)) return;
    of_motion(features_.reads, how) += count * times * scalar_bytes(field);
    features_.loads += count * times;
    touch(read_, field, channel, count * times);
    notes_.note({Access::Kind::Read, field, channel, element}, how, jump(element), count * times);
  }
  void write(FieldId field, ValueId element, int channel, double times) {
    if (is_free(field)) return;
    of_motion(features_.writes, motion(element)) += times * scalar_bytes(field);
    touch(written_, field, channel, times);
    notes_.note({Access::Kind::Store, field, channel, element}, motion(element), jump(element),
                times);
  }
  // An addition that is no atomic.
  void update(FieldId field, int channel, ValueId element, double times) {
    read(field, channel, element, motion(element), 1, times);
    write(field, element, channel, times);
  }
  // `added`: how often memory is added to, after lanes have added up among themselves.
  void scatter(FieldId field, int channel, ValueId element, Motion how, double times, double added,
               bool begins_piece) {
    of_motion(features_.scatters, how) += times * scalar_bytes(field);
    touch(read_, field, channel, times);
    touch(written_, field, channel, times);
    notes_.note({Access::Kind::Add, field, channel, element}, how, jump(element), added,
                begins_piece);
  }
  double atomics_of(Motion how, bool is_guarded, double times) const {
    const bool one_a_warp = code_.aggregates_in_warps && how == Motion::Still && !is_guarded &&
                            !body_->extents.empty() && sizes_.extent(body_->extents[0]) >= WarpSize;
    return one_a_warp ? times / WarpSize : times;
  }

  static void touch(Touched& touched, FieldId field, int channel, double count) {
    touched[{field, channel}] += count;
  }
  double bytes_of(const Touched& touched) const {
    double bytes = 0;
    for (const auto& [key, count] : touched) {
      const auto& [field, channel] = key;
      const double elements =
          static_cast<double>(sizes_.num_scalars(field)) / layout_.scalars_per_element(field);
      const Chunk chunk = layout_.chunk(field, channel);  // its gap is moved, too
      bytes += std::min(elements, count) * scalar_bytes(field) * chunk.stride / chunk.width;
    }
    return bytes;
  }
  double bytes_of_entries() const {
    double bytes = 0;
    for (const auto& [key, count] : entries_) {
      const auto& [map, output] = key;
      const double outputs = static_cast<double>(program_.maps[map.index()].out.size());
      bytes += 4 * std::min(static_cast<double>(sizes_.num_entries(map)) / outputs, count);
    }
    return bytes;
  }

  const KernelProgram& program_;
  const KernelCode& code_;
  VectorLayout layout_;
  const ProgramSizes& sizes_;
  Precision precision_;
  AccessNotes notes_;
  KernelFeatures features_;
  const CodeBody* body_ = nullptr;
  bool has_windows_ = false;
  Motions motions_;
  std::vector<int> uses_;
  Touched read_, written_;
  std::map<std::pair<MapId, int>, double> entries_;
};

}  // namespace

KernelFeatures count_features(const KernelProgram& program, const KernelCode& code,
                              const ProgramSizes& sizes, Precision precision) {
  return FeatureCounter(program, code, sizes, precision).run();
}

}  // namespace thallo
