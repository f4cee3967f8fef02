#include "core/backend/cpu/point_launch.h"

#include <algorithm>
#include <utility>

namespace thallo {
namespace {

// The smallest work of a part, in computed values; about 100 microseconds. Less work is finished
// before another thread wakes up.
constexpr std::int64_t MinValuesPerPart = 200'000;
// The most parts of a launch that needs no private copies.
constexpr std::int64_t MostParts = 256;
// The most memory for the private copies of all parts of a launch together.
constexpr std::size_t MaxPrivateBytes = std::size_t{1} << 30;

}  // namespace

void PrivateCopies::reserve(int num_parts, std::size_t bytes) {
  copies_.resize(static_cast<std::size_t>(std::max(0, num_parts - 1)));
  for (AlignedBytes& copy : copies_)
    if (copy.bytes() < bytes) copy = AlignedBytes(bytes);
}

PointLaunch::PointLaunch(Task task, int num_threads) : task_(std::move(task)) {
  std::int64_t values = 0;
  std::int64_t points = 0;
  for (const Section& section : task_.sections) {
    points += section.num_points;
    values += section.num_points * section.num_values;
  }
  const bool needs_copies = !task_.scattered.empty();
  num_parts_ = static_cast<int>(std::clamp<std::int64_t>(values / MinValuesPerPart, 1,
                                                         needs_copies ? num_threads : MostParts));
  if (num_parts_ == 1 || !needs_copies) return;

  pieces_ = merged(task_.scattered);
  std::size_t scattered_scalars = 0;
  for (Piece& piece : pieces_) {
    piece.offset = private_bytes_;
    // Rounds up to 64 bytes, so that the next copy is aligned for vector instructions.
    private_bytes_ += (piece.memory.bytes() + 63) / 64 * 64;
    scattered_scalars += piece.memory.count;
  }
  // Summing the copies must be cheaper than computing the points.
  const bool pays = scattered_scalars / 16 <= static_cast<std::size_t>(points);
  if (private_bytes_ > 0) {
    const std::size_t most = MaxPrivateBytes / private_bytes_ + 1;
    num_parts_ = static_cast<int>(std::min(static_cast<std::size_t>(num_parts_), most));
  }
  if (!task_.keeps_apart || !pays) num_parts_ = 1;
  if (num_parts_ == 1) {
    pieces_.clear();
    private_bytes_ = 0;
  }
}

// Merges fields that overlap in memory, because threads add up ranges of several fields at the same
// time.
std::vector<PointLaunch::Piece> PointLaunch::merged(std::vector<Scattered> fields) {
  std::ranges::sort(fields, {}, &Scattered::data);
  std::vector<Piece> merged;
  for (Scattered& field : fields) {
    if (merged.empty() || merged.back().memory.data + merged.back().memory.bytes() <= field.data) {
      merged.push_back({.memory = std::move(field)});
      continue;
    }
    Scattered& before = merged.back().memory;
    const std::byte* end = std::max(before.data + before.bytes(), field.data + field.bytes());
    const std::size_t scalar = before.is_double ? sizeof(double) : sizeof(float);
    before.count = static_cast<std::size_t>(end - before.data) / scalar;
    before.words.insert(before.words.end(), field.words.begin(), field.words.end());
  }
  return merged;
}

void PointLaunch::use(const PrivateCopies& copies) {
  part_words_.assign(static_cast<std::size_t>(num_parts_), task_.words);
  partials_.assign(static_cast<std::size_t>(num_parts_),
                   std::vector<double>(task_.reductions.size()));
  for (int part = 1; part < num_parts_; ++part) {
    for (const auto& [memory, offset] : pieces_) {
      for (const std::size_t i : memory.words) {
        part_words_[static_cast<std::size_t>(part)][i] =
            word(copies.of_part(part) + offset) + (task_.words[i] - word(memory.data));
      }
    }
  }
}

void PointLaunch::run(ThreadPool& pool, const PrivateCopies& copies) {
  for (std::vector<double>& partial : partials_) std::ranges::fill(partial, 0.0);
  if (num_parts_ == 1) {
    run_part(0);
  } else {
    pool.run(num_parts_, [this](int part) { run_part(part); });
    if (!pieces_.empty()) add_copies(pool, copies);
  }
  for (std::size_t r = 0; r < task_.reductions.size(); ++r) {
    const Reduction& reduction = task_.reductions[r];
    double total = 0;
    for (const std::vector<double>& partial : partials_)
      total = reduction.is_max ? std::max(total, partial[r]) : total + partial[r];
    double& slot = task_.state[static_cast<std::size_t>(reduction.slot)];
    slot = reduction.is_max ? std::max(slot, total) : slot + total;
  }
  if (task_.kernel.epilogue != nullptr) task_.kernel.epilogue(task_.words.data());
}

void PointLaunch::run_part(int part) {
  const std::vector<std::uint64_t>& words = part_words_[static_cast<std::size_t>(part)];
  std::vector<double>& partial = partials_[static_cast<std::size_t>(part)];
  for (std::size_t s = 0; s < task_.sections.size(); ++s) {
    const std::int64_t points = task_.sections[s].num_points;
    const std::int64_t chunk = points / num_parts_;
    const std::int64_t extra = points % num_parts_;  // the first parts have one point more
    const std::int64_t begin = part * chunk + std::min<std::int64_t>(part, extra);
    const std::int64_t end = begin + chunk + (part < extra ? 1 : 0);
    if (begin == end) continue;
    task_.kernel.points(words.data(), static_cast<long long>(s), begin, end, partial.data());
  }
}

// Each part takes a range of every field, adds the range of all copies to it and clears the range
// in the copies for the next launch.
void PointLaunch::add_copies(ThreadPool& pool, const PrivateCopies& copies) const {
  const auto add_range = [&]<class T>(const Piece& piece, T*, std::size_t begin, std::size_t end) {
    T* const into = reinterpret_cast<T*>(piece.memory.data);
    for (int part = 1; part < num_parts_; ++part) {
      T* const from = reinterpret_cast<T*>(copies.of_part(part) + piece.offset);
      for (std::size_t i = begin; i < end; ++i) into[i] += from[i];
      std::fill(from + begin, from + end, T{0});
    }
  };
  pool.run(num_parts_, [&](int range) {
    const auto r = static_cast<std::size_t>(range);
    const auto num_ranges = static_cast<std::size_t>(num_parts_);
    for (const Piece& piece : pieces_) {
      const std::size_t begin = piece.memory.count * r / num_ranges;
      const std::size_t end = piece.memory.count * (r + 1) / num_ranges;
      if (piece.memory.is_double) {
        add_range(piece, static_cast<double*>(nullptr), begin, end);
      } else {
        add_range(piece, static_cast<float*>(nullptr), begin, end);
      }
    }
  });
}

}  // namespace thallo
