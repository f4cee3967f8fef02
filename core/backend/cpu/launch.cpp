#include "core/backend/cpu/launch.h"

#include <algorithm>
#include <bit>

#include "core/base/error.h"
#include "core/kernel/arguments.h"

namespace thallo {
namespace {

// The smallest work of a part, in computed values; about 100 microseconds. Less work is finished
// before another thread wakes up.
constexpr std::int64_t MinValuesPerPart = 200'000;
// The most parts of a launch that needs no private copies.
constexpr std::int64_t MostParts = 256;
// The most memory for the private copies of all parts of a launch together.
constexpr std::size_t MaxPrivateBytes = std::size_t{1} << 30;

std::uint64_t word(const void* pointer) { return std::bit_cast<std::uint64_t>(pointer); }
std::uint64_t word(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::uint64_t word(double value) { return std::bit_cast<std::uint64_t>(value); }

std::uint64_t argument_word(const KernelProgram& program, const KernelCode& code,
                            const LaunchKernel& step, const HostMemory& memory,
                            const Argument& argument) {
  const ProgramSizes& sizes = memory.sizes();
  switch (argument.kind) {
    case ArgumentKind::State: return word(memory.field(program.state));
    case ArgumentKind::GateSlot:
      return word(step.gate ? static_cast<std::int64_t>(step.gate->slot) : std::int64_t{-1});
    case ArgumentKind::GateValue: return word(step.gate ? step.gate->value : 0.0);
    case ArgumentKind::LoopHandle: return 0;
    case ArgumentKind::Field:
      return word(memory.field(rebound(step, code.slots.fields[argument.slot])));
    case ArgumentKind::Param: return word(memory.param(code.slots.fields[argument.slot]));
    case ArgumentKind::Map: return word(memory.map(code.slots.maps[argument.slot]).data());
    case ArgumentKind::Extent: return word(sizes.extent(code.slots.dims[argument.slot]));
    case ArgumentKind::Offset: return word(sizes.offset(code.slots.offsets[argument.slot]));
    case ArgumentKind::Chunk: return word(sizes.offset(code.slots.chunks[argument.slot]));
    case ArgumentKind::NumUnknowns: return word(sizes.num_matrix_rows());
    case ArgumentKind::NumPoints:
      return word(sizes.num_points(code.sections[argument.slot].extents));
    case ArgumentKind::FirstBlock:
    case ArgumentKind::Team:
    case ArgumentKind::Multiplier:
    case ArgumentKind::Shift:
    case ArgumentKind::Arrivals:
    case ArgumentKind::BlockSums: break;  // CUDA only
  }
  THALLO_UNREACHABLE();
}

// True if the kernel reads `field`, or stores to it other than by adding. A private copy supports
// neither, so such a kernel runs as one part.
bool uses_otherwise(const KernelCode& code, FieldId field) {
  if (std::ranges::find(code.written, field) != code.written.end()) return true;
  return std::ranges::any_of(code.sections, [field](const CodeBody& section) {
    return std::ranges::any_of(section.values,
                               [field](const Instruction& v) { return v.field == field; });
  });
}

}  // namespace

Expected<void> PrivateCopies::reserve(int num_parts, std::size_t bytes) {
  copies_.resize(static_cast<std::size_t>(std::max(0, num_parts - 1)));
  for (HostAllocation& copy : copies_) {
    if (copy.bytes() >= bytes) continue;
    THALLO_TRY(copy, HostAllocation::make(bytes, "scatter copies"));
  }
  return {};
}

HostLaunch::HostLaunch(const KernelProgram& program, const KernelCode& code,
                       const LaunchKernel& step, const HostKernel& kernel, const HostMemory& memory,
                       int num_threads)
    : kernel_(kernel), reductions_(code.reductions) {
  state_ = memory.doubles(program.state).data();
  const std::vector<Argument> arguments = kernel_arguments(program, code, Dialect::C);
  for (const Argument& argument : arguments) {
    words_.push_back(argument_word(program, code, step, memory, argument));
  }
  for (const CodeBody& section : code.sections) {
    num_points_.push_back(memory.sizes().num_points(section.extents));
  }
  std::int64_t values = 0;
  std::int64_t points = 0;
  for (std::size_t i = 0; i < num_points_.size(); ++i) {
    points += num_points_[i];
    values += num_points_[i] * static_cast<std::int64_t>(code.sections[i].values.size());
  }
  const bool needs_copies = !code.scattered.empty() && !program.is_deterministic;
  num_parts_ = static_cast<int>(std::clamp<std::int64_t>(values / MinValuesPerPart, 1,
                                                         needs_copies ? num_threads : MostParts));
  if (num_parts_ == 1 || !needs_copies) return;

  std::vector<Scattered> fields;
  for (const FieldId field : code.scattered) {
    const FieldId target = rebound(step, field);
    Scattered scattered{
        .data = memory.field(target), .count = memory.reach(target), .type = memory.type(target)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind == ArgumentKind::Field && words_[i] == word(scattered.data)) {
        scattered.words.push_back(i);
      }
    }
    fields.push_back(std::move(scattered));
  }
  scattered_ = merged(std::move(fields));
  std::size_t scattered_scalars = 0;
  for (Scattered& scattered : scattered_) {
    scattered.offset = private_bytes_;
    // Rounds up to 64 bytes, so that the next copy is aligned for vector instructions.
    private_bytes_ += (scattered.count * size_of(scattered.type) + 63) / 64 * 64;
    scattered_scalars += scattered.count;
  }
  const bool keeps_apart = std::ranges::none_of(
      code.scattered, [&](FieldId field) { return uses_otherwise(code, field); });
  // Summing the copies must be cheaper than computing the points.
  const bool pays = scattered_scalars / 16 <= static_cast<std::size_t>(points);
  if (private_bytes_ > 0) {
    const std::size_t most = MaxPrivateBytes / private_bytes_ + 1;
    num_parts_ = static_cast<int>(std::min(static_cast<std::size_t>(num_parts_), most));
  }
  if (!keeps_apart || !pays) num_parts_ = 1;
  if (num_parts_ == 1) {
    scattered_.clear();
    private_bytes_ = 0;
  }
}

// Merges fields that overlap in memory, because threads add up ranges of several fields at the same
// time.
std::vector<HostLaunch::Scattered> HostLaunch::merged(std::vector<Scattered> fields) {
  std::ranges::sort(fields, {}, &Scattered::data);
  std::vector<Scattered> merged;
  for (Scattered& field : fields) {
    if (merged.empty() || merged.back().end() <= field.data) {
      merged.push_back(std::move(field));
      continue;
    }
    Scattered& before = merged.back();
    const std::byte* end = std::max(before.end(), field.end());
    before.count = static_cast<std::size_t>(end - before.data) / size_of(before.type);
    before.words.insert(before.words.end(), field.words.begin(), field.words.end());
  }
  return merged;
}

void HostLaunch::use(const PrivateCopies& copies) {
  part_words_.assign(static_cast<std::size_t>(num_parts_), words_);
  partials_.assign(static_cast<std::size_t>(num_parts_), std::vector<double>(reductions_.size()));
  for (int part = 1; part < num_parts_; ++part) {
    for (const Scattered& scattered : scattered_) {
      for (const std::size_t i : scattered.words) {
        part_words_[static_cast<std::size_t>(part)][i] =
            word(copies.of_part(part) + scattered.offset) + (words_[i] - word(scattered.data));
      }
    }
  }
}

void HostLaunch::run(ThreadPool& pool, const PrivateCopies& copies) {
  for (std::vector<double>& partial : partials_) std::ranges::fill(partial, 0.0);
  if (num_parts_ == 1) {
    run_part(0);
  } else {
    pool.run(num_parts_, [this](int part) { run_part(part); });
    if (!scattered_.empty()) add_copies(pool, copies);
  }
  for (std::size_t r = 0; r < reductions_.size(); ++r) {
    double total = 0;
    for (const std::vector<double>& partial : partials_)
      total = reductions_[r].op == ReduceOp::Sum ? total + partial[r] : std::max(total, partial[r]);
    double& slot = state_[reductions_[r].slot];
    slot = reductions_[r].op == ReduceOp::Sum ? slot + total : std::max(slot, total);
  }
  if (kernel_.epilogue != nullptr) kernel_.epilogue(words_.data());
}

void HostLaunch::run_part(int part) {
  const std::vector<std::uint64_t>& words = part_words_[static_cast<std::size_t>(part)];
  std::vector<double>& partial = partials_[static_cast<std::size_t>(part)];
  for (std::size_t s = 0; s < num_points_.size(); ++s) {
    const std::int64_t chunk = num_points_[s] / num_parts_;
    const std::int64_t extra = num_points_[s] % num_parts_;  // the first parts have one point more
    const std::int64_t begin = part * chunk + std::min<std::int64_t>(part, extra);
    const std::int64_t end = begin + chunk + (part < extra ? 1 : 0);
    if (begin == end) continue;
    kernel_.points(words.data(), static_cast<long long>(s), begin, end, partial.data());
  }
}

// Each part takes a range of every field, adds the range of all copies to it and clears the range
// in the copies for the next launch.
void HostLaunch::add_copies(ThreadPool& pool, const PrivateCopies& copies) const {
  const auto add_range = [&]<class T>(const Scattered& scattered, T*, std::size_t begin,
                                      std::size_t end) {
    T* const into = reinterpret_cast<T*>(scattered.data);
    for (int part = 1; part < num_parts_; ++part) {
      T* const from = reinterpret_cast<T*>(copies.of_part(part) + scattered.offset);
      for (std::size_t i = begin; i < end; ++i) into[i] += from[i];
      std::fill(from + begin, from + end, T{0});
    }
  };
  pool.run(num_parts_, [&](int range) {
    const auto r = static_cast<std::size_t>(range);
    const auto num_ranges = static_cast<std::size_t>(num_parts_);
    for (const Scattered& scattered : scattered_) {
      const std::size_t begin = scattered.count * r / num_ranges;
      const std::size_t end = scattered.count * (r + 1) / num_ranges;
      if (scattered.type == ScalarType::Double) {
        add_range(scattered, static_cast<double*>(nullptr), begin, end);
      } else {
        add_range(scattered, static_cast<float*>(nullptr), begin, end);
      }
    }
  });
}

}  // namespace thallo
