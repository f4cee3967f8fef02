#include "core/cost/analytic.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace thallo {
namespace {

// Instructions that a division or root takes.
constexpr double DivisionInstructions = 10;
// Registers of a thread in a kernel that was not compiled yet.
constexpr double UsualRegisters = 48;
// How sharp the maximum of the terms is: the more, the less do shorter terms add to the longest.
constexpr double Sharpness = 4;
// Passes of a serial loop whose loads are under way at the same time.
constexpr double OverlappedPasses = 4;
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
    return start(step, device) + work(step, program, device);
  }

 private:
  static double start(const StepWork& step, const DeviceSpec& device) {
    switch (step.kind) {
      case StepWork::Kind::Kernel: return device.programmatic_node;
      case StepWork::Kind::Clear: return device.clear;
      case StepWork::Kind::Library: return device.library;
      case StepWork::Kind::DenseSolve: return device.launch;
    }
    return 0;
  }

  static double work(const StepWork& step, const ProgramWork& program, const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    if (f.points == 0) return 0;
    const double longest = softened_maximum(
        {memory(step, program, device), cache(step, program, device), additions(f, program, device),
         arithmetic(step, device), latency(step, device)});
    return longest;
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
    return bytes * (share / device.copy + (1 - share) / device.cached_copy);
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

  static double additions(const KernelFeatures& f, const ProgramWork& program,
                          const DeviceSpec& device) {
    double seconds = 0;
    for (const Access& access : f.accesses) {
      if (access.kind != Access::Kind::Add) continue;
      const double elements = std::max(1.0, access.table / std::max(access.element, 1.0));
      double apart = 1;  // share of a warp's additions that go to different elements
      if (const auto found = program.maps.find(access.map); found != program.maps.end())
        apart = std::max(found->second.spread.front(), 1 / device.lanes);
      // A warp that adds several times to one element takes as many turns.
      seconds += access.count / device.atomic.at(elements * apart);
    }
    return seconds;
  }

  static double arithmetic(const StepWork& step, const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    const double flops = step.in_double ? device.double_flops : device.float_flops;
    const double functions =
        step.in_double ? device.double_transcendentals : device.float_transcendentals;
    const double real = f.flops.adds + f.flops.multiplies - f.flops.fused +
                        DivisionInstructions * f.flops.divisions;
    // Integers and loads go at the rate of floats.
    const double other = f.index_operations + f.loads + f.atomics;
    return 2 * real / flops + 2 * other / device.float_flops + f.flops.transcendentals / functions;
  }

  // A thread waits for its loads; threads that are resident at the same time wait together.
  static double latency(const StepWork& step, const DeviceSpec& device) {
    const KernelFeatures& f = step.features;
    if (device.lanes <= 1) return 0;  // a host runs ahead of its loads
    const double points = static_cast<double>(f.points);
    const double threads = std::max(1.0, points / step.points_per_thread);
    const double registers = step.registers > 0 ? step.registers : UsualRegisters;
    double resident = device.threads_per_unit;
    if (device.registers_per_unit > 0)
      resident = std::min(resident, device.registers_per_unit / registers);
    const double waves = std::max(1.0, threads / (resident * device.units));
    const double chain = f.chained_loads + f.passes / points / OverlappedPasses;
    return waves * chain * device.load_latency;
  }
};

}  // namespace

std::unique_ptr<const CostModel> make_analytic_model() { return std::make_unique<Analytic>(); }

}  // namespace thallo
