#include "core/backend/cuda/member_loop.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/member_loop_text.h"
#include "core/base/error.h"
#include "core/kernel/teams.h"

namespace thallo::cuda {
namespace {

// The host looks for the end by itself for WaitWithoutAsking, and then now and then, also for an
// interruption.
constexpr auto WaitWithoutAsking = std::chrono::milliseconds(20);
constexpr auto AskPeriod = std::chrono::microseconds(500);

constexpr std::size_t Alignment = 16;

// What bind() gets, since memory is slow to get in a solve: enough for batches that are not large.
constexpr std::size_t ExchangedOfMember = 2048;
constexpr std::size_t RecordsOfMember = std::size_t{24} << 10;
constexpr std::size_t MostInAdvance = std::size_t{32} << 20;

// What crosses between host and device lies in one piece of memory, part behind part.
class Layout {
 public:
  std::size_t add(std::size_t bytes) {
    const std::size_t at = size_;
    size_ += (bytes + Alignment - 1) / Alignment * Alignment;
    return at;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

}  // namespace

void MemberLoop::bind(const LaunchContext& context, const GeneratedProgram& generated,
                      std::span<const LoadedKernel> kernels) {
  arguments_.clear();
  team_ = 1;
  for (const LaunchKernel* launch : member_launches(generated)) {
    const KernelCode& code = generated.codes[launch->kernel];
    const BoundLaunch bound = bind_launch(context, code, kernels[launch->kernel], *launch);
    arguments_.insert(arguments_.end(), bound.words.begin(), bound.words.end());
    team_ = std::max(team_, team_of(context.program, code.sections.front(), context.storage.sizes(),
                                    MemberBlockSize, context.num_multiprocessors));
  }
  THALLO_ASSERT(team_ <= 32, "a member of more than a warp");
  states_ = context.storage.field(context.program.state);
  const auto num_members =
      static_cast<std::size_t>(context.storage.sizes().extent(context.program.members));
  reserve(std::min(MostInAdvance, ExchangedOfMember * (num_members + 32)),
          std::min(MostInAdvance, RecordsOfMember * num_members));
}

void MemberLoop::reserve(std::size_t bytes, std::size_t record_bytes) {
  const auto make = [](DeviceBuffer& buffer, std::size_t size) {
    if (size <= buffer.bytes()) return;
    auto larger = DeviceBuffer::allocate(size, "the iterations of a batch");
    if (!larger) throw DeviceError("cuMemAlloc_v2", larger.error().what);
    buffer = *std::move(larger);
  };
  make(exchanged_, bytes);
  make(records_, record_bytes);
  if (bytes <= pinned_bytes_) return;
  pinned_bytes_ = bytes;
  pinned_ = std::make_unique<PinnedBuffer>(pinned_bytes_);
}

int MemberLoop::run(const Stream& stream, const Stream& interrupting, const MemberIterations& asked,
                    std::size_t num_members) {
  Layout layout;
  const std::size_t most_made = layout.add(sizeof(int));
  const std::size_t interruption = layout.add(sizeof(int));
  const std::size_t rules = layout.add(asked.rules.size());
  const std::size_t descents = layout.add(asked.descents.size());
  const std::size_t from_device = layout.size();
  const std::size_t sums = layout.add(asked.records.size());
  const std::size_t to_host = layout.size();
  const std::size_t num_made = layout.add(num_members * sizeof(int));
  const std::size_t record_bytes = asked.records.size() / static_cast<std::size_t>(asked.most);
  reserve(layout.size(), asked.records.size() * num_members);

  auto* const host = static_cast<std::byte*>(pinned_->data());
  std::memset(host, 0, rules);
  std::ranges::copy(asked.rules, host + rules);
  std::ranges::copy(asked.descents, host + descents);
  const CUdeviceptr device = exchanged_.pointer();
  THALLO_CUDA(cuMemcpyHtoDAsync_v2(device, host, from_device, stream.get()));

  const auto word = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::vector<std::uint64_t> words = {states_,
                                      device + descents,
                                      device + rules,
                                      records_.pointer(),
                                      device + num_made,
                                      device + sums,
                                      device + most_made,
                                      device + interruption,
                                      word(num_members),
                                      word(team_),
                                      word(asked.most),
                                      word(asked.loop ? asked.loop->max_iterations : 0),
                                      word(asked.loop ? asked.loop->reset_period : 0),
                                      asked.descents.size() / num_members,
                                      asked.rules.size(),
                                      record_bytes};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  const auto threads = num_members * static_cast<std::size_t>(team_);
  launch(
      stream.get(), module_.function("iterate_members"),
      {static_cast<unsigned>((threads + MemberBlockSize - 1) / MemberBlockSize), MemberBlockSize},
      words.data(), "iterations of a batch");
  launch(stream.get(), module_.function("sum_iterations"),
         {static_cast<unsigned>(asked.most), MemberBlockSize}, words.data(), "sums over a batch");
  THALLO_CUDA(cuMemcpyDtoHAsync_v2(host, device, to_host, stream.get()));

  const auto start = std::chrono::steady_clock::now();
  while (driver().cuStreamQuery(stream.get()) == CUDA_ERROR_NOT_READY) {
    if (std::chrono::steady_clock::now() - start < WaitWithoutAsking) {
      std::this_thread::yield();
      continue;
    }
    if (asked.is_interrupted()) {
      constexpr int yes = 1;
      upload_bytes(interrupting.get(), device + interruption, std::as_bytes(std::span(&yes, 1)));
      break;
    }
    std::this_thread::sleep_for(AskPeriod);
  }
  stream.synchronize();  // throws what has failed

  int made = 0;
  std::memcpy(&made, host + most_made, sizeof(int));
  THALLO_ASSERT(made >= 0, "host and device lay out a descent differently");
  std::memcpy(asked.descents.data(), host + descents, asked.descents.size());
  std::memcpy(asked.records.data(), host + sums, asked.records.size());
  return made;
}

}  // namespace thallo::cuda
