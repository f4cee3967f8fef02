#include "core/cost/model/analytic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace thallo {
namespace {

// What a thread of a GPU waits for, in cycles of its clock; fitted to 552 kernels of 15 problems on
// an H200. Loads and atomics of a thread overlap, so each costs less than its latency; a vector of
// scalars is one of them.
struct ThreadCycles {
  double flop = 1.5;
  double division = 115;  // or a root
  double function = 180;  // a transcendental one
  double load = 57;
  double addition = 72;  // to memory
  double sum = 1750;     // over all threads, once a kernel
};
constexpr ThreadCycles Cycles;
// Cycles that a multiprocessor takes to send a scalar or vector to memory, stored or added, for
// each lane that has a sector of its own.
constexpr double PieceCycles = 1.75;
constexpr double UsualThreads = 256;  // of a block
// Double arithmetic takes so many times as long as its throughput against that of floats says.
constexpr double DoubleLatency = 2;
// Warps of a multiprocessor beyond which more do not hide more.
constexpr double BusyWarps = 18;
// Floating-point operations of a multiprocessor in a cycle, for each lane of a warp: four
// schedulers issue fused multiply-adds.
constexpr double FlopsOfLane = 8;
// Registers of a thread in a kernel that was not compiled yet.
constexpr double UsualRegisters = 48;
// In the time of one operation of a host's kernel that is not vectorized its peak has so many
// flops. Fitted, like the next two, to 297 kernels of 15 problems on two threads of a Xeon.
constexpr double PeakFlopsOfOperation = 9.5;
// Operations of a host that a division or root takes, and an addition to memory.
constexpr double DivisionOperations = 5;
constexpr double AdditionOperations = 2;
// The same where kernels are vectorized, fitted to 93 kernels of 6 problems on two
// threads of an EPYC.
struct VectorFlops {
  double operation = 1.3;  // also a division or root
  double load = 3.6;       // of a scalar, which neighbors have side by side
  double apart = 1.2;      // more, for each scalar between those of neighbors
  double jump = 36;        // a scalar that no shuffle brings together with those of neighbors
  double narrow = 50;      // one of a byte, of which masks of whole vectors are made
  double function = 0.25;  // of the time that a transcendental one takes alone
};
constexpr VectorFlops Vector;
constexpr double ShuffledScalars = 4;
// Arithmetic and loads of a point, the square of whose number by this adds to the time: registers
// do not hold the vectors of many values.
constexpr double OperationsInRegisters = 430;
// Scalars of a point, likewise, that are brought from memory or sent to it.
constexpr double ScalarsFollowed = 30;
// How sharp the maximum of the terms is: the more, the less do shorter terms add to the longest.
constexpr double Sharpness = 4;
// How the rate of additions grows with the number of sectors that they go to, while these are few.
constexpr double SectorsPower = 0.8;

double softened_maximum(std::initializer_list<double> terms) {
  double sum = 0;
  for (const double term : terms) sum += std::pow(term, Sharpness);
  return std::pow(sum, 1 / Sharpness);
}

class Analytic final : public CostModel {
 public:
  std::string_view name() const override { return "analytic"; }
  std::string_view doc() const override {
    return "Sectors, caches, contention, arithmetic, latency, waves and launches, at the rates "
           "measured on the device.";
  }

  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    return times(step, program, device).total();
  }
  TimeParts parts(const StepWork& step, const ProgramWork& program,
                  const DeviceSpec& device) const override {
    return times(step, program, device).parts();
  }

  static StepTimes times(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device) {
    StepTimes times{.start = start(step, device)};
    if (step.features.points == 0) return times;
    times.memory = memory(step, program, device);
    times.cache = cache(step, program, device);
    times.additions = additions(step, program, device);
    if (step.kind != StepWork::Kind::Kernel) {
      times.threads = library_arithmetic(step, device);
      times.of_threads.arithmetic = 1;
    } else if (is_gpu(device)) {
      add_sending(times, step, program, device);
      add_threads(times, step, program, device);
    } else {
      add_host_operations(times, step, device);
    }
    return times;
  }

 private:
  static double start(const StepWork& step, const DeviceSpec& device) {
    switch (step.kind) {
      case StepWork::Kind::Kernel: return device.programmatic_node;
      case StepWork::Kind::Clear: return device.clear;
      case StepWork::Kind::Library: return device.library;
      case StepWork::Kind::DirectSolve: return device.launch;
    }
    return 0;
  }
  static bool is_gpu(const DeviceSpec& device) { return device.lanes > 1; }
  static double cycle(const DeviceSpec& device) {
    return device.units * device.lanes * FlopsOfLane / device.float_flops;
  }

  static double memory(const StepWork& step, const ProgramWork& program, const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    double bytes = f.must_move();
    for (const Access& access : f.accesses) {
      if (access.motion != Motion::Jumps || access.table <= device.cache) continue;
      // Each sector is asked for anew unless it is still in the cache; the first time is counted
      // among the bytes that must move.
      const double asked = access.count * sectors(access, program, device) * device.sector;
      const double missed = 1 - device.cache / access.table;
      bytes += std::max(0.0, asked - access.table) * missed;
    }
    const double share = evicted_share(program.loop_bytes, device);
    const double seconds = bytes * (share / device.copy + (1 - share) / device.cached_copy);
    if (is_gpu(device) || !is_vectorized(step)) return seconds;
    const double scalars = f.must_move() / static_cast<double>(f.points) /
                           (step.in_double ? sizeof(double) : sizeof(float));
    return seconds * (1 + std::pow(scalars / ScalarsFollowed, 2));
  }

  // Sectors that one access of one point asks for.
  static double sectors(const Access& access, const ProgramWork& program,
                        const DeviceSpec& device) {
    switch (access.motion) {
      case Motion::Still: return std::ceil(access.bytes / device.sector) / device.lanes;
      case Motion::ByOne: return access.element / device.sector;
      case Motion::Jumps: break;
    }
    const double whole = std::ceil(access.bytes / device.sector);
    const auto found = program.maps.find(access.map);
    if (found == program.maps.end() || found->second.points == 0) return whole;
    const double share =
        std::min(1.0, access.bytes / std::max(access.element, 1.0));  // of the element
    const double pieces = found->second.pieces_per_point(access.element, device.sector);
    return access.element > device.sector ? std::max(pieces * share, found->second.spread.front())
                                          : pieces;
  }

  static double cache(const StepWork& step, const ProgramWork& program, const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    double asked = f.index_bytes;
    double gathers = 0;  // seconds
    double noted = 0;
    for (const Access& access : f.accesses) {
      const double bytes = access.count * sectors(access, program, device) * device.sector;
      const bool is_random = access.motion == Motion::Jumps && access.map.valid();
      if (is_random && access.kind == Access::Kind::Read) {
        gathers += bytes / device.gather.at(access.table);
      } else {
        asked += bytes * (access.kind == Access::Kind::Add ? 2 : 1);
      }
      noted += access.count * access.bytes;
    }
    // Libraries note their gathers alone.
    if (step.kind != StepWork::Kind::Kernel)
      asked += std::max(0.0, f.reads.total() + f.writes.total() + f.scatters.total() - noted);
    return asked / device.cached_copy + gathers;
  }

  // Additions to the same sector wait for each other. A host adds scalar by scalar.
  static double additions(const StepWork& step, const ProgramWork& program,
                          const DeviceSpec& device) {
    double seconds = 0;
    for (const Access& access : step.features.accesses) {
      if (access.kind != Access::Kind::Add) continue;
      const double pieces = is_gpu(device) ? access.pieces : access.scalars;
      const double operations = access.count * pieces * apart(access, step, program, device);
      const double sectors = std::max(1.0, access.table / device.sector);
      seconds += operations / rate_of_additions(sectors, device);
    }
    return seconds;
  }
  // The share of a warp's additions that memory carries out one by one: those to different places
  // in one sector are one operation, and so is a vector.
  static double apart(const Access& access, const StepWork& step, const ProgramWork& program,
                      const DeviceSpec& device) {
    if (access.motion == Motion::ByOne) return std::min(1.0, access.element / device.sector);
    const auto found = program.maps.find(access.map);
    if (found == program.maps.end() || found->second.points == 0) return 1;
    const double elements = found->second.spread.front();
    const double sectors =
        std::min(elements, found->second.pieces_per_point(access.element, device.sector));
    // Lanes that share an element wait for each other.
    const double one_by_one = sectors + (1 - elements);
    if (!step.aggregates) return one_by_one;
    // A warp whose lanes all share one adds up first. Of runs of equal elements that are much
    // longer than a warp, few warps meet two.
    const double whole = std::clamp(2 - elements * device.lanes, 0.0, 1.0);
    return whole / device.lanes + (1 - whole) * one_by_one;
  }
  static double rate_of_additions(double sectors, const DeviceSpec& device) {
    const double spread = device.atomic.at(sectors * device.sector / sizeof(float));
    return std::min(spread, device.atomic.at(1) * std::pow(sectors, SectorsPower));
  }

  // Multiprocessors send to memory sector by sector; the blocks of a small kernel are
  // on few of them.
  static void add_sending(StepTimes& times, const StepWork& step, const ProgramWork& program,
                          const DeviceSpec& device) {
    double pieces = 0;
    double added = 0;
    for (const Access& access : step.features.accesses) {
      const double sent = access.count * access.pieces;
      if (access.kind == Access::Kind::Store)
        pieces += sent * std::min(1.0, access.element / device.sector);
      if (access.kind == Access::Kind::Add) {
        const double operations = sent * apart(access, step, program, device);
        pieces += operations;
        added += operations;
      }
    }
    const double threads = static_cast<double>(step.features.points) / step.points_per_thread;
    const double blocks =
        std::ceil(threads / (step.threads_per_block > 0 ? step.threads_per_block : UsualThreads));
    times.sending = pieces * PieceCycles * cycle(device) / std::clamp(blocks, 1.0, device.units);
    times.sent_additions = pieces > 0 ? added / pieces : 0;
  }

  static double library_arithmetic(const StepWork& step, const DeviceSpec& device) {
    return step.features.flops.total() /
           (step.in_double ? device.double_flops : device.float_flops);
  }

  // Scalars that are reached with others, and take no instruction of their own.
  static double in_vectors(const KernelFeatures& f, Access::Kind kind) {
    double scalars = 0;
    for (const Access& access : f.accesses)
      if (access.kind == kind) scalars += access.count * (access.scalars - access.pieces);
    return scalars;
  }

  // Compilers take several points at once where none adds to memory or has a loop. Emission decides
  // it by the code (core/kernel/emit/vectorizable.h), and admits some gathers, whose time is that
  // of points one by one.
  static bool is_vectorized(const StepWork& step) {
    const KernelFeatures& f = step.features;
    return step.kind == StepWork::Kind::Kernel && f.passes == 0 && f.visits.empty() &&
           std::ranges::none_of(f.accesses, [](const Access& access) {
             if (access.kind == Access::Kind::Store) return !is_taken_apart(stride(access));
             return access.kind == Access::Kind::Add || access.map.valid();
           });
  }
  // In scalars, from an element to the next.
  static double stride(const Access& access) {
    return access.element * access.scalars / access.bytes;
  }
  static bool is_taken_apart(double stride) {
    return stride == 3 || std::has_single_bit(static_cast<unsigned>(stride));
  }

  static void add_vector_operations(StepTimes& times, const StepWork& step,
                                    const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    const double operations = f.flops.adds + f.flops.multiplies - f.flops.fused + f.flops.divisions;
    double flops = Vector.operation * operations;
    for (const Access& access : f.accesses) {
      const double between = access.motion == Motion::ByOne ? stride(access) - 1 : 0;
      const bool jumps = access.motion == Motion::Jumps || between >= ShuffledScalars;
      const bool is_narrow = access.bytes < access.scalars * sizeof(float);
      flops += access.count * access.scalars *
               (is_narrow ? Vector.narrow
                : jumps   ? Vector.jump
                          : Vector.load + Vector.apart * between);
    }
    const double of_point = (operations + f.loads) / static_cast<double>(f.points);
    const double simple = flops * (1 + std::pow(of_point / OperationsInRegisters, 2)) /
                          (step.in_double ? device.double_flops : device.float_flops);
    times.threads = simple + Vector.function * f.flops.transcendentals / functions(step, device);
    const double loads = flops > 0 ? simple * (1 - Vector.operation * operations / flops) : 0;
    times.of_threads = {.arithmetic = times.threads - loads, .loads = loads};
  }

  static double functions(const StepWork& step, const DeviceSpec& device) {
    return step.in_double ? device.double_transcendentals : device.float_transcendentals;
  }

  // A host reaches scalars one by one.
  static void add_host_operations(StepTimes& times, const StepWork& step,
                                  const DeviceSpec& device) {
    if (is_vectorized(step)) return add_vector_operations(times, step, device);
    const KernelFeatures& f = step.features;
    const double simple =
        f.flops.adds + f.flops.multiplies - f.flops.fused + DivisionOperations * f.flops.divisions;
    const double additions = AdditionOperations * (f.atomics + in_vectors(f, Access::Kind::Add));
    const double operations = simple + additions + f.index_operations + f.loads;
    const double slowness = PeakFlopsOfOperation / device.float_flops;
    const double called = f.flops.transcendentals / functions(step, device);
    times.threads = operations * PeakFlopsOfOperation / device.float_flops + called;
    times.of_threads = {.arithmetic = simple * slowness + called,
                        .loads = (f.index_operations + f.loads) * slowness,
                        .additions = additions * slowness};
  }

  // A thread of a GPU does one thing after the other; threads that are resident at the same time do
  // it together.
  static void add_threads(StepTimes& times, const StepWork& step, const ProgramWork& program,
                          const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    const double threads = std::max(1.0, static_cast<double>(f.points) / step.points_per_thread);
    const double simple = f.flops.total() - f.flops.divisions - f.flops.transcendentals;
    const double slower =
        step.in_double ? DoubleLatency * device.float_flops / device.double_flops : 1;
    const double arithmetic =
        slower * (Cycles.flop * simple + Cycles.division * f.flops.divisions) +
        Cycles.function * f.flops.transcendentals;
    const double loads = Cycles.load * (f.loads - in_vectors(f, Access::Kind::Read));
    const double additions = Cycles.addition * f.atomics;
    const double cycles = arithmetic + loads + additions;
    const double registers = step.registers > 0 ? step.registers : UsualRegisters;
    double busy = BusyWarps * device.lanes;
    if (device.registers_per_unit > 0) busy = std::min(busy, device.registers_per_unit / registers);
    const double waves = std::max(1.0, threads / (busy * device.units));
    const double longest =
        std::max(waves * cycles / threads, cycles * share_of_busiest_thread(f, program));
    const double sum = step.reduces ? Cycles.sum : 0;
    times.threads = (longest + sum) * cycle(device);
    const double of_one = cycles > 0 ? longest / cycles : 0;
    times.of_threads = {.arithmetic = of_one * arithmetic,
                        .loads = of_one * loads + sum,
                        .additions = of_one * additions};
  }
  // Of all visits of points, those of the thread to whose element a map sends the most.
  static double share_of_busiest_thread(const KernelFeatures& f, const ProgramWork& program) {
    double all = 0;
    double most = 0;
    for (const auto& [map, visits] : f.visits) {
      all += visits;
      const auto found = program.maps.find(map);
      if (found != program.maps.end()) most = std::max(most, found->second.largest_degree);
    }
    return all > 0 ? most / all : 0;
  }
};

}  // namespace

double StepTimes::total() const {
  return start + softened_maximum({memory, cache, additions, sending, threads});
}

TimeParts StepTimes::parts() const {
  TimeParts parts;
  parts[Wait::Launch] = start;
  const double longest = std::max({memory, cache, additions, sending, threads});
  if (!(longest > 0)) return parts;
  // Of relative times, no power is too large or too small for a double.
  const auto weight = [longest](double term) { return std::pow(term / longest, Sharpness); };
  const double all =
      weight(memory) + weight(cache) + weight(additions) + weight(sending) + weight(threads);
  const double waited = total() - start;
  const auto share = [&](double term) { return waited * weight(term) / all; };
  parts[Wait::Memory] = share(memory);
  parts[Wait::Cache] = share(cache) + (1 - sent_additions) * share(sending);
  parts[Wait::Atomics] = share(additions) + sent_additions * share(sending);
  const double done = of_threads.arithmetic + of_threads.loads + of_threads.additions;
  if (!(done > 0)) {
    parts[Wait::Latency] = share(threads);
    return parts;
  }
  const double threads_share = share(threads) / done;
  parts[Wait::Arithmetic] = threads_share * of_threads.arithmetic;
  parts[Wait::Latency] = threads_share * of_threads.loads;
  parts[Wait::Atomics] += threads_share * of_threads.additions;
  return parts;
}

StepTimes analytic_times(const StepWork& step, const ProgramWork& program,
                         const DeviceSpec& device) {
  return Analytic::times(step, program, device);
}

std::unique_ptr<const CostModel> make_analytic_model() { return std::make_unique<Analytic>(); }

const CostModel& default_cost_model() {
  static const Analytic model;
  return model;
}

}  // namespace thallo
