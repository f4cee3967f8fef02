#include "core/cost/model/step_terms.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/cost/model/cost_model.h"
#include "core/kernel/teams.h"

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
  double window_load = 20;  // from shared memory
  double addition = 72;     // to memory
  double sum = 1750;        // over all threads, once a kernel
  // Once a kernel, of the dependent loads that lead to what is on the list of a team, and its sum;
  // fitted to seven kernels of four meshes.
  double list = 4900;
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
// To add up a copy and clear it, it is read and written, and so is what it is added to.
constexpr double TimesOfACopy = 4;
constexpr double ShuffledScalars = 4;
// Arithmetic and loads of a point, the square of whose number by this adds to the time: registers
// do not hold the vectors of many values.
constexpr double OperationsInRegisters = 430;
// Scalars of a point, likewise, that are brought from memory or sent to it.
constexpr double ScalarsFollowed = 30;
// What a dense factorization on a GPU, and a solve with it, take for each row, in latencies of
// loads: on an H200 0.56 us, up to 5,000 rows.
constexpr double LatenciesOfARow = 3.2;
// How the rate of additions grows with the number of sectors that they go to, while these are few.
constexpr double SectorsPower = 0.8;

class StepTermsMaker {
 public:
  StepTermsMaker(const StepWork& step, const ProgramWork& program, const DeviceSpec& device)
      : step_(step), features_(step.features), program_(program), device_(device) {}

  StepTerms run() && {
    terms_[Term::Start] = start();
    if (features_.points == 0) return terms_;
    add_memory();
    add_cache();
    terms_[Term::Contend] = additions();
    if (step_.kind == StepWork::Kind::DirectSolve) {
      terms_[Term::Flops] = factorization();
    } else if (step_.kind != StepWork::Kind::Kernel) {
      terms_[Term::Flops] =
          features_.flops.total() / (step_.in_double ? device_.double_flops : device_.float_flops);
    } else if (is_gpu()) {
      add_sending();
      add_threads();
    } else if (is_vectorized()) {
      add_vector_operations();
    } else {
      add_host_operations();
    }
    return terms_;
  }

 private:
  double start() const {
    switch (step_.kind) {
      case StepWork::Kind::Kernel: return device_.programmatic_node;
      case StepWork::Kind::Clear: return device_.clear;
      case StepWork::Kind::Library: return device_.library;
      case StepWork::Kind::DirectSolve: return device_.launch;
    }
    return 0;
  }
  // A host factors on one core. On a GPU each row waits for the one before.
  double factorization() const {
    const double seconds = features_.flops.total() / device_.double_flops;
    if (!is_gpu()) return seconds * device_.units;
    return std::hypot(
        seconds, LatenciesOfARow * device_.load_latency * static_cast<double>(features_.points));
  }
  bool is_gpu() const { return device_.lanes > 1; }
  double cycle() const { return device_.units * device_.lanes * FlopsOfLane / device_.float_flops; }

  void add_memory() {
    double missed = 0;  // bytes
    for (const Access& access : features_.accesses) {
      if (access.motion != Motion::Jumps || access.table <= device_.cache) continue;
      // Each sector is asked for anew unless it is still in the cache; the first time is counted
      // among the bytes that must move.
      const double asked = access.count * sectors(access) * device_.sector;
      missed += std::max(0.0, asked - access.table) * (1 - device_.cache / access.table);
    }
    double of_byte = seconds_of_byte();
    if (!is_gpu() && is_vectorized()) {
      const double scalars = features_.must_move() / static_cast<double>(features_.points) /
                             (step_.in_double ? sizeof(double) : sizeof(float));
      of_byte *= 1 + std::pow(scalars / ScalarsFollowed, 2);
    }
    terms_[Term::Move] = features_.must_move() * of_byte;
    terms_[Term::Miss] = missed * of_byte;
  }

  double seconds_of_byte() const {
    const double share = evicted_share(program_.loop_bytes, device_);
    return share / device_.copy + (1 - share) / device_.cached_copy;
  }

  // Sectors that one access of one point asks for.
  double sectors(const Access& access) const {
    switch (access.motion) {
      case Motion::Still: return std::ceil(access.bytes / device_.sector) / device_.lanes;
      case Motion::ByOne: return access.element / device_.sector;
      case Motion::Jumps: break;
    }
    const double whole = std::ceil(access.bytes / device_.sector);
    const auto found = program_.maps.find(access.map);
    if (found == program_.maps.end() || found->second.points == 0) return whole;
    const double share =
        std::min(1.0, access.bytes / std::max(access.element, 1.0));  // of the element
    const double pieces = found->second.pieces_per_point(access.element, device_.sector);
    return access.element > device_.sector ? std::max(pieces * share, found->second.spread.front())
                                           : pieces;
  }

  void add_cache() {
    const KernelFeatures& f = features_;
    double asked = f.index_bytes;
    double noted = 0;
    for (const Access& access : f.accesses) {
      const double bytes = access.count * sectors(access) * device_.sector;
      const bool is_random =
          access.motion == Motion::Jumps && (access.map.valid() || !f.visits.empty());
      if (is_random && access.kind == Access::Kind::Read) {
        terms_[Term::Gather] += bytes / device_.gather.at(access.table);
      } else {
        asked += bytes * (access.kind == Access::Kind::Add ? 2 : 1);
      }
      noted += access.count * access.bytes;
    }
    // Libraries note their gathers alone.
    if (step_.kind != StepWork::Kind::Kernel)
      asked += std::max(0.0, f.reads.total() + f.writes.total() + f.scatters.total() - noted);
    terms_[Term::Ask] = asked / device_.cached_copy;
  }

  // Additions to the same sector wait for each other. A host adds scalar by scalar: all threads at
  // once, each to a copy of its own, and then the copies are added up; or, where that takes longer,
  // one thread alone.
  double additions() const {
    const double seconds = separate_additions();
    if (is_gpu() || seconds == 0) return seconds;
    const double copies = TimesOfACopy * (device_.units - 1) * features_.must_write;
    return std::min(seconds + copies * seconds_of_byte(), seconds * device_.units);
  }
  double separate_additions() const {
    double seconds = 0;
    for (const Access& access : features_.accesses) {
      if (access.kind != Access::Kind::Add) continue;
      const double rate = rate_of_additions(std::max(1.0, access.table / device_.sector));
      seconds += is_gpu() ? access.count * access.pieces * apart(access) / rate
                          : access.count * seconds_of_additions(access, rate);
    }
    return seconds;
  }
  // Of scalars side by side, a host waits once a sector for a table that its caches do not hold.
  double seconds_of_additions(const Access& access, double rate) const {
    double cached = rate;
    for (const RateCurve::Point& point : device_.atomic.points())
      if (point.size * sizeof(float) <= access.table) cached = std::max(cached, point.rate);
    return access.scalars / cached +
           std::min(sectors(access), access.scalars) * (1 / rate - 1 / cached);
  }
  // The share of a warp's additions that memory carries out one by one: those to different places
  // in one sector are one operation, and so is a vector.
  double apart(const Access& access) const {
    if (access.motion == Motion::ByOne) return std::min(1.0, access.element / device_.sector);
    const auto found = program_.maps.find(access.map);
    if (found == program_.maps.end() || found->second.points == 0) return 1;
    const double elements = found->second.spread.front();
    const double sectors =
        std::min(elements, found->second.pieces_per_point(access.element, device_.sector));
    // Lanes that share an element wait for each other.
    const double one_by_one = sectors + (1 - elements);
    if (!step_.aggregates) return one_by_one;
    // A warp whose lanes all share one adds up first. Of runs of equal elements that are much
    // longer than a warp, few warps meet two.
    const double whole = std::clamp(2 - elements * device_.lanes, 0.0, 1.0);
    return whole / device_.lanes + (1 - whole) * one_by_one;
  }
  double rate_of_additions(double sectors) const {
    const double spread = device_.atomic.at(sectors * device_.sector / sizeof(float));
    return std::min(spread, device_.atomic.at(1) * std::pow(sectors, SectorsPower));
  }

  // The blocks of a small kernel are on few multiprocessors.
  void add_sending() {
    double stored = 0;  // pieces
    double added = 0;
    for (const Access& access : features_.accesses) {
      const double sent = access.count * access.pieces;
      if (access.kind == Access::Kind::Store)
        stored += sent * std::min(1.0, access.element / device_.sector);
      if (access.kind == Access::Kind::Add) added += sent * apart(access);
    }
    const double blocks = std::ceil(
        num_threads() / (step_.threads_per_block > 0 ? step_.threads_per_block : UsualThreads));
    const double of_piece = PieceCycles * cycle() / std::clamp(blocks, 1.0, device_.units);
    terms_[Term::Store] = stored * of_piece;
    terms_[Term::Send] = added * of_piece;
  }

  // Scalars that are reached with others, and take no instruction of their own.
  double in_vectors(Access::Kind kind) const {
    double scalars = 0;
    for (const Access& access : features_.accesses)
      if (access.kind == kind) scalars += access.count * (access.scalars - access.pieces);
    return scalars;
  }

  // Compilers take several points at once where none adds to memory or has a loop. Emission decides
  // it by the code (core/kernel/emit/c.cpp), and admits some gathers, whose time is that
  // of points one by one.
  bool is_vectorized() const {
    return step_.kind == StepWork::Kind::Kernel && features_.passes == 0 &&
           features_.visits.empty() &&
           std::ranges::none_of(features_.accesses, [](const Access& access) {
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

  void add_vector_operations() {
    const KernelFeatures& f = features_;
    const double operations = f.flops.adds + f.flops.multiplies - f.flops.fused + f.flops.divisions;
    double loads = 0;  // flops
    for (const Access& access : f.accesses) {
      const double between = access.motion == Motion::ByOne ? stride(access) - 1 : 0;
      const bool jumps = access.motion == Motion::Jumps || between >= ShuffledScalars;
      const bool is_narrow = access.bytes < access.scalars * sizeof(float);
      loads += access.count * access.scalars *
               (is_narrow ? Vector.narrow
                : jumps   ? Vector.jump
                          : Vector.load + Vector.apart * between);
    }
    const double of_point = (operations + f.loads) / static_cast<double>(f.points);
    const double of_flop = (1 + std::pow(of_point / OperationsInRegisters, 2)) /
                           (step_.in_double ? device_.double_flops : device_.float_flops);
    terms_[Term::Flops] = Vector.operation * operations * of_flop;
    terms_[Term::Load] = loads * of_flop;
    terms_[Term::Call] = Vector.function * f.flops.transcendentals / functions();
  }

  double functions() const {
    return step_.in_double ? device_.double_transcendentals : device_.float_transcendentals;
  }

  // A host reaches scalars one by one.
  void add_host_operations() {
    const KernelFeatures& f = features_;
    const double of_operation = PeakFlopsOfOperation / device_.float_flops;
    terms_[Term::Flops] = (f.flops.adds + f.flops.multiplies - f.flops.fused) * of_operation;
    terms_[Term::Divide] = DivisionOperations * f.flops.divisions * of_operation;
    terms_[Term::Call] = f.flops.transcendentals / functions();
    terms_[Term::Load] = (f.index_operations + f.loads) * of_operation;
    terms_[Term::Add] =
        AdditionOperations * (f.atomics + in_vectors(Access::Kind::Add)) * of_operation;
  }

  // A thread of a GPU does one thing after the other, for as many waves of threads as there are;
  // threads that are resident at the same time do it together.
  void add_threads() {
    const KernelFeatures& f = features_;
    const double threads = std::max(1.0, num_threads());
    const double simple = f.flops.total() - f.flops.divisions - f.flops.transcendentals;
    const double slower =
        step_.in_double ? DoubleLatency * device_.float_flops / device_.double_flops : 1;
    const double registers = step_.registers > 0 ? step_.registers : UsualRegisters;
    double busy = BusyWarps * device_.lanes;
    if (device_.registers_per_unit > 0)
      busy = std::min(busy, device_.registers_per_unit / registers);
    const double waves = std::max(1.0, threads / (busy * device_.units));
    const double share = waves / threads;  // of all cycles, what a thread waits for
    double all = 0;
    const auto add = [&](Term term, double cycles) {
      terms_[term] = share * cycles * cycle();
      all += cycles;
    };
    add(Term::Flops, slower * Cycles.flop * simple);
    add(Term::Divide, slower * Cycles.division * f.flops.divisions);
    add(Term::Call, Cycles.function * f.flops.transcendentals);
    add(Term::Load, Cycles.load * (f.loads - f.window_loads - in_vectors(Access::Kind::Read)) +
                        Cycles.window_load * f.window_loads);
    add(Term::Add, Cycles.addition * f.atomics);
    if (has_teams()) terms_[Term::Load] += Cycles.list * cycle();
    terms_[Term::Unbalance] = std::max(0.0, share_of_busiest_thread() - share) * all * cycle();
    if (step_.reduces) terms_[Term::Reduce] = Cycles.sum * cycle();
  }
  double team_of(const MapStatistics& lists) const {
    return step_.team > 0
               ? step_.team
               : usual_team(lists.elements, lists.points / lists.elements, device_.units);
  }
  bool has_teams() const {
    return std::ranges::any_of(features_.visits, [this](const auto& visits) {
      const auto found = program_.maps.find(visits.first);
      return found != program_.maps.end() && found->second.elements > 0 &&
             team_of(found->second) > 1;
    });
  }
  // Teams of several threads visit lists; of kernels with several kinds of lists the most threads.
  double num_threads() const {
    double threads = static_cast<double>(features_.points) / step_.points_per_thread;
    for (const auto& [map, visits] : features_.visits) {
      const auto found = program_.maps.find(map);
      if (found == program_.maps.end() || found->second.elements == 0) continue;
      threads = std::max(threads,
                         found->second.elements * team_of(found->second) / step_.points_per_thread);
    }
    return threads;
  }
  // Of all visits of points, those of the thread to whose element a map sends the most.
  double share_of_busiest_thread() const {
    double all = 0;
    double most = 0;
    for (const auto& [map, visits] : features_.visits) {
      all += visits;
      const auto found = program_.maps.find(map);
      if (found == program_.maps.end() || found->second.elements == 0) continue;
      most = std::max(most, found->second.largest_degree / team_of(found->second));
    }
    return all > 0 ? most / all : 0;
  }

  const StepWork& step_;
  const KernelFeatures& features_;
  const ProgramWork& program_;
  const DeviceSpec& device_;
  StepTerms terms_;
};

}  // namespace

StepTerms terms_of(const StepWork& step, const ProgramWork& program, const DeviceSpec& device) {
  return StepTermsMaker(step, program, device).run();
}

}  // namespace thallo
