// The cpu backend: kernels are emitted as C, compiled by the host compiler and run by a pool of
// threads.

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/backend/compile_progress.h"
#include "core/backend/cpu/calibrate.h"
#include "core/backend/cpu/compile.h"
#include "core/backend/cpu/launch.h"
#include "core/backend/host_executable.h"
#include "core/backend/host_machine.h"
#include "core/backend/precompile.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/seconds_since.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"

namespace thallo {
namespace {

// Returns the texts of the program's kernels, in order.
std::vector<CSource> program_sources(const GeneratedProgram& generated, Precision precision,
                                     int index_bits) {
  const EmitOptions options{
      .dialect = Dialect::C, .precision = precision, .index_bits = index_bits};
  std::vector<CSource> sources;
  for (const KernelCode& code : generated.codes) {
    sources.push_back({code.role, emit(generated.program, code, options)});
  }
  return sources;
}

CompiledKernel record_of(const KernelCode& code, const CSource& source,
                         const CompiledSource& compiled) {
  return {.role = code.role,
          .label = code.label,
          .source = source.text,
          .key = compiled.key,
          .from_cache = compiled.from_cache,
          .compile_seconds = compiled.seconds};
}

// Members of a batch that a thread runs phases for, one group after the other.
struct MemberGroup {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // begin and end
  std::array<double, NumPhases> seconds{};                    // that the phases took
};

// What a member reads and writes is about a kilobyte; so many are in the cache of a core.
constexpr std::size_t MostOfGroup = 64;
// Another range costs a call of each kernel; a member that is left out, a test in each.
constexpr std::int64_t LongestGap = 4;

// Returns groups of these members, which ascend. Where few are left out between two of them, these
// are in a range, too.
std::vector<MemberGroup> member_groups(std::span<const std::size_t> members) {
  std::vector<MemberGroup> groups;
  for (std::size_t n = 0; n < members.size(); ++n) {
    const auto member = static_cast<std::int64_t>(members[n]);
    if (n % MostOfGroup == 0) groups.emplace_back();
    auto& ranges = groups.back().ranges;
    if (!ranges.empty() && member - ranges.back().second <= LongestGap) {
      ranges.back().second = member + 1;
    } else {
      ranges.emplace_back(member, member + 1);
    }
  }
  return groups;
}

int least_index_bits(const CompileOptions& options) { return std::max(32, options.index_bits); }

class CpuExecutable final : public HostExecutable {
 public:
  CpuExecutable(HostCompiler compiler, GeneratedProgram program, const CompileOptions& options)
      : HostExecutable(std::move(program),
                       options.precision == Precision::Double ? HostPrecision::WorkingDouble
                                                              : HostPrecision::WorkingFloat,
                       options),
        compiler_(std::move(compiler)),
        precision_(options.precision),
        options_(options),
        least_index_bits_(least_index_bits(options)),
        pool_(options.num_threads > 0 ? options.num_threads : host_machine().num_threads) {
    if (pool_.num_threads() < options.num_threads) {
      logger("cpu").warn("{} threads are used, since the system starts no more of {}",
                         pool_.num_threads(), options.num_threads);
    }
  }

  int num_threads() const override { return pool_.num_threads(); }

  // Members of a batch do not wait for each other: a thread runs all phases for some of them, whose
  // memory then is in its cache, and members that are left out cost nothing.
  void run_batch(const Batch& batch, std::span<SolverState> states,
                 std::span<const std::size_t> which) override {
    if (!program().has_members()) return HostExecutable::run_batch(batch, states, which);
    write_states(states, which);
    for (const auto* phases : {&batch.before, &batch.after}) {
      for (const Phase phase : *phases) run_shared(phase);
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<MemberGroup> groups = member_groups(which);
    pool_.run(static_cast<int>(groups.size()),
              [&](int i) { run_members(batch, groups[static_cast<std::size_t>(i)]); });
    count_shares(groups, seconds_since(start));
    read_states(states, which);
  }

  // Compiles all kernels for one index width: for 32 bits when the program is compiled, and for 64
  // bits at the first bind that needs them.
  Expected<void> compile() { return compile(least_index_bits_); }
  Expected<void> compile(int index_bits) {
    if (variants_.contains(index_bits)) return {};
    const auto sources = program_sources(generated(), precision_, index_bits);
    THALLO_TRY(auto compiled,
               compile_all(compiler_, sources, options_.compile_threads, AfterCompiling::Load,
                           options_.stop, counting_progress(options_, sources.size())));
    Variant variant;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const CompiledSource& result = compiled[i];
      const KernelCode& code = generated().codes[i];
      HostKernel kernel;
      kernel.points = reinterpret_cast<HostKernel::Points>(result.symbol(code.role));
      if (code.has_epilogue) {
        kernel.epilogue =
            reinterpret_cast<HostKernel::Epilogue>(result.symbol(code.role + "_epilogue"));
      }
      variant.kernels.push_back(kernel);
      variant.libraries.push_back(result.library);
      variant.records.push_back(record_of(code, sources[i], result));
    }
    set_records(variant.records);
    variants_.emplace(index_bits, std::move(variant));
    return {};
  }

 private:
  // All kernels, compiled for one index width.
  struct Variant {
    std::vector<std::shared_ptr<Library>> libraries;
    std::vector<HostKernel> kernels;  // in the order of program().kernels
    std::vector<CompiledKernel> records;
  };

  Expected<void> prepare() override {
    const int index_bits = std::max(least_index_bits_, memory().sizes().index_bits());
    THALLO_CHECK(compile(index_bits));
    const Variant& variant = variants_.at(index_bits);
    set_records(variant.records);
    launches_.clear();
    std::size_t private_bytes = 0;
    for (const auto& [phase, steps] : program().phases) {
      for (const Step& step : steps) {
        const auto* kernel = std::get_if<LaunchKernel>(&step);
        if (kernel == nullptr) continue;
        const auto [it, is_new] = launches_.try_emplace(
            kernel, bind_launch(program(), code(*kernel), *kernel, variant.kernels[kernel->kernel],
                                memory(), pool_.num_threads()));
        private_bytes = std::max(private_bytes, it->second.private_bytes());
      }
    }
    try {
      copies_.reserve(pool_.num_threads(), private_bytes);
    } catch (const std::bad_alloc&) {
      return fail("out of memory: {} bytes for the copies that threads scatter to", private_bytes);
    }
    for (auto& [step, bound] : launches_) bound.use(copies_);
    return {};
  }

  void launch(const LaunchKernel& step) override {
    const auto found = launches_.find(&step);
    THALLO_ASSERT(found != launches_.end(), "launch before bind");
    found->second.run(pool_, copies_);
  }
  void run_parts(int num_parts, const std::function<void(int)>& task) override {
    pool_.run(num_parts, task);
  }

  // Calls act(launch) for the kernels of a phase that are over the members of a batch, or those
  // that are not.
  template <class Act>
  void each_launch(Phase phase, bool over_members, const Act& act) {
    for (const Step& step : program().steps(phase)) {
      const auto& kernel = std::get<LaunchKernel>(step);
      const std::vector<DimId> members = {program().members};
      if ((code(kernel).sections.front().extents == members) == over_members)
        act(launches_.at(&kernel));
    }
  }
  void run_shared(Phase phase) {
    each_launch(phase, false, [this](PointLaunch& launch) { launch.run(pool_, copies_); });
  }

  void run_members(const Batch& batch, MemberGroup& group) {
    const auto run = [&](Phase phase) {
      const auto start = std::chrono::steady_clock::now();
      each_launch(phase, true, [&](const PointLaunch& launch) {
        for (const auto& [begin, end] : group.ranges) launch.run(begin, end);
      });
      group.seconds[static_cast<std::size_t>(phase)] += seconds_since(start);
    };
    for (const Phase phase : batch.before) run(phase);
    if (batch.loop) run_loop(*batch.loop, run, [&] { return has_stopped(group.ranges); });
    for (const Phase phase : batch.after) run(phase);
  }

  // The threads' times, as shares of what they took together.
  void count_shares(const std::vector<MemberGroup>& groups, double elapsed) {
    MemberGroup all;
    double sum = 0;
    for (const MemberGroup& group : groups) {
      for (std::size_t phase = 0; phase < NumPhases; ++phase) {
        all.seconds[phase] += group.seconds[phase];
        sum += group.seconds[phase];
      }
    }
    for (std::size_t phase = 0; phase < NumPhases; ++phase)
      if (all.seconds[phase] > 0)
        count(static_cast<Phase>(phase), 1, elapsed * all.seconds[phase] / sum);
  }

  HostCompiler compiler_;
  Precision precision_;
  CompileOptions options_;
  int least_index_bits_;
  std::map<int, Variant> variants_;                                // by index width
  std::unordered_map<const LaunchKernel*, PointLaunch> launches_;  // of the bound instance
  PrivateCopies copies_;
  ThreadPool pool_;
};

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(HostCompiler compiler) : compiler_(std::move(compiler)) {}
  std::string_view name() const override { return "cpu"; }
  bool runs_concurrently() const override { return true; }
  std::vector<DeviceInfo> devices() const override {
    const HostMachine& machine = host_machine();
    return {{.name = machine.processor,
             .architecture = machine.architecture,
             .memory_bytes = machine.memory_bytes,
             .num_units = machine.num_threads}};
  }
  std::string signature() const override {
    return fmt::format("{}, {} threads, {}{}", host_machine().processor, host_machine().num_threads,
                       compiler_.version,
                       compiler_.highest_level < 3
                           ? fmt::format(" with at most -O{}", compiler_.highest_level)
                           : "");
  }
  std::string compiler() const override {
    return fmt::format("{} at {}", compiler_.version, compiler_.command);
  }
  Expected<DeviceSpec> calibrate() override { return calibrate_cpu(*this, compiler_); }
  Expected<std::unique_ptr<Executable>> compile(GeneratedProgram program,
                                                const CompileOptions& options) override {
    auto executable = std::make_unique<CpuExecutable>(compiler_, std::move(program), options);
    THALLO_CHECK(executable->compile());
    return executable;
  }

 private:
  HostCompiler compiler_;
};

class CpuPrecompiler final : public Precompiler {
 public:
  explicit CpuPrecompiler(HostCompiler compiler) : compiler_(std::move(compiler)) {}

  Expected<std::vector<CompiledKernel>> compile(const GeneratedProgram& generated,
                                                const CompileOptions& options,
                                                const KernelCompiled& compiled) const override {
    const auto sources = program_sources(generated, options.precision, least_index_bits(options));
    const auto done = [&](std::size_t i, const CompiledSource& result) {
      if (compiled) compiled(i, record_of(generated.codes[i], sources[i], result));
    };
    THALLO_TRY(const auto results, compile_all(compiler_, sources, options.compile_threads,
                                               AfterCompiling::KeepOnDisk, options.stop, done));
    std::vector<CompiledKernel> records;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      records.push_back(record_of(generated.codes[i], sources[i], results[i]));
    }
    return records;
  }

 private:
  HostCompiler compiler_;
};

}  // namespace

Expected<std::unique_ptr<Precompiler>> make_cpu_precompiler(std::string_view architecture) {
  THALLO_TRY(auto compiler, find_host_compiler());
  if (!architecture.empty() && architecture != compiler.architecture) {
    return fail("the cpu backend compiles for this machine, {}, and not for '{}'",
                compiler.architecture, architecture);
  }
  return std::make_unique<CpuPrecompiler>(std::move(compiler));
}

Expected<std::unique_ptr<Backend>> make_cpu_backend(int ordinal) {
  THALLO_TRY(auto compiler, find_host_compiler());
  auto backend = std::make_unique<CpuBackend>(std::move(compiler));
  THALLO_CHECK(check_ordinal(backend->name(), ordinal, backend->devices()));
  return backend;
}

}  // namespace thallo
