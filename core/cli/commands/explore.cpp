// thallo explore PROBLEM: searches the schedules of a problem, counts them, or prints
// them by number.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/commands/explore_flags.h"
#include "core/cli/exit_code.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/output/space_output.h"
#include "core/cli/require.h"
#include "core/cli/run/exploration_run.h"
#include "core/cli/run/wanted_program.h"
#include "core/cli/session.h"
#include "core/explore/space/explored_space.h"
#include "core/explore/worker/remote_worker.h"
#include "core/explore/worker/worker_client.h"
#include "core/frontend/schedule_text.h"
#include "core/plugin/process_group.h"

namespace thallo::cli {
namespace {

// mpirun of Open MPI tells each process in its environment which one it is, and of how many.
int number_in_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : parse_number<int>(text).value_or(otherwise);
}

Expected<std::unique_ptr<ProcessGroup>> join(Session& session, int size) {
  const Launcher* launcher = session.launchers().find("mpi");
  if (launcher == nullptr) {
    return fail(
        "mpirun has started {} processes, but the plugin 'mpi' is not there, which connects them: "
        "build Thallo where Open MPI is installed (libopenmpi-dev on Debian), or divide the work "
        "with --shard",
        size);
  }
  auto group = launcher->join();
  if (group && (*group)->size() != size) {
    return fail(
        "mpirun has started {} processes, but MPI connects {}: is this mpirun that of the Open MPI "
        "that Thallo was built with?",
        size, (*group)->size());
  }
  return group;
}

// What `thallo explore` does when mpirun has started several of it: rank 0 explores, and the others
// run the workers that measure (core/explore/worker/remote_worker.h).
class Ranks {
 public:
  // `measures` is true if this command uses workers. Rank 0, which alone prints anything, throws
  // UserError if the ranks cannot be connected.
  Ranks(Session& session, bool measures);

  // What a rank other than 0 ends with; its work is done. Absent if this process is to explore.
  const std::optional<ExitCode>& end() const { return end_; }
  // Returns what starts the workers that measure, at each other rank; empty if this process was
  // started alone. The workers end with this object.
  std::vector<WorkerStart> worker_starts() const;

 private:
  std::unique_ptr<ProcessGroup> group_;
  std::optional<ExitCode> end_;
};

Ranks::Ranks(Session& session, bool measures) {
  const int size = number_in_environment("OMPI_COMM_WORLD_SIZE", 1);
  const int rank = number_in_environment("OMPI_COMM_WORLD_RANK", 0);
  if (size < 2) return;
  if (!measures) {
    if (rank > 0) end_ = ExitCode::Ok;
    return;
  }
  auto group = join(session, size);
  if (!group) {
    if (rank == 0) throw UserError(group.error());
    end_ = ExitCode::User;
    return;
  }
  group_ = *std::move(group);
  if (group_->rank() == 0) return;
  serve_workers(*group_, {"/proc/self/exe", "worker"});
  group_.reset();
  end_ = ExitCode::Ok;
}

std::vector<WorkerStart> Ranks::worker_starts() const {
  std::vector<WorkerStart> starts;
  for (int rank = 1; group_ && rank < group_->size(); ++rank)
    starts.push_back(start_at(*group_, rank));
  return starts;
}

// The problem and its schedules.
struct Explored {
  EnergyFile file;
  Instance instance;
  Precision precision = Precision::Float;
  std::uint64_t seed = 1;
  const ConstructRegistry& constructs;
  Pins pins = {};
};

Pins pins_of(const ExploreFlags& flags, const Energy& energy, const ConstructRegistry& constructs) {
  if (flags.pin.empty()) return {};
  return require(read_pins(energy, require(load_schedule(flags.pin)), constructs, flags.pin));
}

PublishedProfile profile_of(const ExploreFlags& flags) {
  std::vector<std::string> names = published_profile_names();
  const bool is_file = flags.space.ends_with(".toml");
  if (!is_file && std::ranges::find(names, flags.space) == names.end()) {
    names.emplace(names.begin(), FullSpaceName);
    const std::string hint = did_you_mean(flags.space, names);
    names.emplace_back("the path of a .toml file");
    throw UserError(
        Diagnostic{fmt::format("--space: there is no space '{}'{}", flags.space, hint), {}, names});
  }
  if (flags.memory_limit->count() > 0) {
    throw UserError(
        fmt::format("--memory-limit has no effect in space {}, which has a memory limit of its own",
                    flags.space));
  }
  if (flags.stages_option->count() > 0) {
    throw UserError(
        fmt::format("--stages has no effect in space {}, whose low-level stage is at its defaults",
                    flags.space));
  }
  return require(read_published_profile(flags.space));
}

SpaceTitle title_of(const ExploreFlags& flags, const Explored& explored, std::string id) {
  return {flags.run.problem.name, flags.space, std::move(id),
          explored.pins.texts(explored.constructs)};
}

ExplorationRequest exploration_of(Session& session, const ExploreFlags& flags,
                                  const Explored& explored) {
  ExplorationRequest exploration{
      .target = flags.run.target(session, flags.problem_options->values()),
      .pins = explored.pins,
      .samples = flags.sample,
      .seed = explored.seed,
      .measurer = {.resources = {.store =
                                     flags.store.empty() ? flags.run.problem.store() : flags.store,
                                 .jobs = flags.jobs,
                                 .devices = flags.devices},
                   .measure =
                       flags.measure == "end-to-end" ? ResultKind::EndToEnd : ResultKind::Composed,
                   .objective = require(parse_as(flags.objective, Objective()))},
      .num_best = flags.num_best,
      .num_random = flags.num_random};
  if (flags.budget > 0) {
    exploration.measurer.resources.budget =
        std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * flags.budget));
  }
  if (!flags.shard.empty()) exploration.shard = require(parse_shard(flags.shard));
  exploration.search = !flags.search.empty() ? flags.search : flags.sample ? "random" : "";
  return exploration;
}

// Measures schedules of a space. `space` is null if schedules have no numbers.
ExitCode explore_space(Session& session, const ExploreFlags& flags, const Explored& explored,
                       const IndexedSpace* space, const Ranks& ranks) {
  ExplorationRequest request = exploration_of(session, flags, explored);
  request.measurer.resources.measuring = ranks.worker_starts();
  flags.check_measuring();
  request.space = space;
  request.space_name = flags.space;
  if (!flags.index.empty()) {
    if (space == nullptr) throw UserError("--index: schedules of this space have no numbers");
    const IndexRange range = require(parse_index_range(flags.index, space->id(), space->size()));
    request.first = range.first;
    request.end = range.end;
  }
  // Larger spaces are searched instead of measured exhaustively.
  constexpr int LargestExhaustive = 20'000;
  const bool is_small = space != nullptr && (request.first || space->size() <= LargestExhaustive);
  if (request.search.empty()) {
    if (!is_small && flags.space != FullSpaceName) {
      throw UserError(
          fmt::format("space {} has {} schedules: choose some by --sample or --index, or all of "
                      "them by --search exhaustive",
                      flags.space, space->size().str()));
    }
    request.search = is_small ? "exhaustive" : "greedy";
  }
  request.search_options = flags.options_of(*require(session.searches().lookup(request.search)));
  require(check_search(session.searches(), request));
  const StoredTimesOptions stored{.device = {flags.device_name, flags.run.backend},
                                  .device_spec = flags.run.device_spec};
  if (flags.measure == "replay")
    return run_prediction(session, std::move(request), stored, flags.json);
  if (flags.measure == "none")
    return run_prediction(session, std::move(request), std::nullopt, flags.json);
  return run_exploration(session, std::move(request), flags.json);
}

void print_some(const ExploreFlags& flags, const Explored& explored, const IndexedSpace& space) {
  std::vector<PrintedSchedule> printed;
  const auto add = [&](const BigCount& index) {
    printed.push_back(
        {index_text(space.id(), index), space.schedule(index).text(explored.constructs)});
  };
  if (flags.sample) {
    const auto count = static_cast<std::size_t>(*flags.sample);
    for (const BigCount& index : sample_indices(space.size(), count, explored.seed)) add(index);
  } else {
    const IndexRange range = require(parse_index_range(flags.index, space.id(), space.size()));
    for (BigCount index = range.first; index < range.end; ++index) add(index);
  }
  print_schedules(title_of(flags, explored, space.id()), printed, flags.json);
}

// Prints schedules of a space without numbers: draws them by choosing at each site, as `verify`
// does.
void print_drawn(const ExploreFlags& flags, const Explored& explored, const std::string& id) {
  const ScheduleSpace space(explored.file.energy, explored.constructs, explored.precision, nullptr,
                            explored.pins);
  std::vector<PrintedSchedule> printed;
  for (std::int64_t i = 0; i < *flags.sample; ++i) {
    const std::uint64_t seed = explored.seed + static_cast<std::uint64_t>(i);
    printed.push_back(
        {fmt::format("seed {}", seed), space.sample(seed).schedule.text(explored.constructs)});
  }
  print_schedules(title_of(flags, explored, id), printed, flags.json);
}

ExitCode list_schedules(const ExploreFlags& flags, const Explored& explored,
                        const ExploredSpace& space) {
  if (space.indexed() != nullptr) {
    print_some(flags, explored, *space.indexed());
  } else if (flags.sample) {
    print_drawn(flags, explored, space.id());
  } else {
    throw UserError(fmt::format("--index: schedules of this space have no numbers, for {}",
                                space.full_count()->why_no_space));
  }
  return ExitCode::Ok;
}

ExitCode count_schedules(const ExploreFlags& flags, const Explored& explored,
                         const ExploredSpace& space) {
  const SpaceTitle title = title_of(flags, explored, space.id());
  if (space.full_count() != nullptr)
    print_count(title, *space.full_count(), flags.json);
  else
    print_count(title, *space.indexed(), flags.json);
  return ExitCode::Ok;
}

ExitCode run_explore(Session& session, const ExploreFlags& flags) {
  flags.check_selection();
  const Ranks ranks(session, !flags.count && !flags.list && flags.measure != "none");
  if (ranks.end()) return *ranks.end();
  const Problem& problem = flags.run.problem.open(session);
  const RunRequest request = flags.run.request(session);
  const auto profile =
      flags.space == FullSpaceName ? std::nullopt : std::optional(profile_of(flags));
  const Options options =
      require(complete_options(problem.options(), flags.problem_options->values()));
  EnergyFile file = with_sites(require(problem.energy(options)), request.sites);
  Instance instance = require(problem.instantiate(file.energy.as_written(), options));
  const Precision precision =
      WantedProgram(file, instance, request,
                    {session, flags.run, request.backend, request.precision})
          .options()
          .precision;
  Pins pins = pins_of(flags, file.energy, session.constructs());
  const Explored explored = {std::move(file),
                             std::move(instance),
                             precision,
                             flags.search_seed.value_or(drawing_seed(options, flags.seed)),
                             session.constructs(),
                             std::move(pins)};
  // To number the schedules is worth a quarter of the budget; they can be explored without. Shards
  // must all have numbers or none, since random draws depend on it.
  CountLimits limits;
  if (flags.budget > 0 && flags.shard.empty())
    limits.max_seconds = std::min(limits.max_seconds, flags.budget / 4);
  const auto space = require(ExploredSpace::make(explored.file, explored.instance.binding,
                                                 precision, explored.constructs, profile,
                                                 {.has_low_level = flags.stages == "all",
                                                  .memory_limit = flags.run.memory_limit,
                                                  .limits = limits,
                                                  .seed = explored.seed,
                                                  .pins = explored.pins}));
  if (flags.count) return count_schedules(flags, explored, *space);
  if (flags.list) return list_schedules(flags, explored, *space);
  return explore_space(session, flags, explored, space->indexed(), ranks);
}

}  // namespace

Command add_explore_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<ExploreFlags>();
  CLI::App* command = app.add_subcommand(
      "explore", "search the schedules of a problem for fast ones; count them, list them");
  flags->add_to(*command, session, problem);
  return {command, [&session, flags] { return run_explore(session, *flags); }};
}

}  // namespace thallo::cli
