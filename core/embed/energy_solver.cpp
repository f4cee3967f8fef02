#include "core/embed/energy_solver.h"

#include <new>

#include "core/base/error.h"
#include "core/embed/shared_session.h"
#include "core/embed/stepped_solve.h"
#include "core/plugin/session.h"
#include "core/problem/instance_solver.h"

namespace thallo {
namespace {

RunRequest request_of(const EnergySolverOptions& options) {
  Session& session = options.session != nullptr ? *options.session : shared_session();
  RunRequest request;
  request.backend = options.backend;
  request.device = options.device;
  request.precision = options.precision;
  request.parts = session.solver_parts();
  request.constructs = &session.constructs();
  request.compile.num_threads = options.num_threads;
  request.compile.memory_limit = options.memory_limit;
  request.schedule = options.schedule;
  request.schedule_text = options.schedule_text;
  request.sums_groups = true;
  return request;
}

}  // namespace

// Has one address for all its life, which InstanceSolver refers to.
struct EnergySolver::State {
  EnergyFile file;
  RunRequest request;
  BoundArrays arrays;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<InstanceSolver> solver;
  std::unique_ptr<PullBack> pulling;    // null until something is pulled back
  std::optional<SteppedSolve> stepped;  // between begin() and finish()
  std::string no_schedule;

  Expected<void> open_backend() {
    if (solver != nullptr) return {};
    THALLO_TRY(auto opened, make_backend(request.backend, request.device));
    THALLO_CHECK(check_precision(*opened, request.precision));
    backend = std::move(opened);
    solver = std::make_unique<InstanceSolver>(file, request, *backend);
    return {};
  }

  // Null if the backend is not open, or computes on the host.
  DeviceArrays* devices() { return backend != nullptr ? backend->device_arrays() : nullptr; }

  // Returns the current values, all of them on the host.
  Expected<Binding> read_on_host() {
    if (!arrays.has_device_arrays()) return arrays.read(file.energy, nullptr);
    try {
      THALLO_CHECK(open_backend());
      auto binding = arrays.read(file.energy, devices());
      if (!binding || binding->fields_on_device().empty()) return binding;
      return copy_to_host(file.energy, *binding, *devices());
    } catch (const DeviceError& error) {
      return fail("{}", error.what());
    }
  }

  // Runs a call that starts a solve, with the stop that ends it.
  template <class Call>
  auto start(std::stop_token stop, const Call& call) -> decltype(call()) {
    if (!stepped) request.stop = std::move(stop);
    try {
      return call();
    } catch (const DeviceError& error) {
      return fail("{}", error.what());
    } catch (const std::bad_alloc&) {
      return fail("memory ran out while the arrays of '{}' were copied", file.energy.name());
    }
  }

  Expected<Instance> read_instance(const SolverOptions& options) {
    if (stepped) {
      return fail(
          "a solve of '{}' was begun and is not finished; call finish() before another solve",
          file.energy.name());
    }
    // Only an open backend can read arrays on a device; faults of others need none.
    if (arrays.has_device_arrays()) {
      THALLO_CHECK(open_backend());
    }
    THALLO_TRY(auto binding, arrays.read(file.energy, devices()));
    THALLO_CHECK(open_backend());
    Instance instance(file.energy);
    instance.binding = std::move(binding);
    instance.solver = options;
    return instance;
  }

  // A solve whose device fails has written what it had reached to the arrays.
  static Expected<SolverSummary> unless_failed(Expected<SolverSummary> summary) {
    if (!summary || summary->termination != Termination::DeviceFailed) return summary;
    return fail("{}; the unknowns have the values of the last step that was accepted",
                summary->why());
  }

  // The callback, which then sees the unknowns of its iteration in the arrays.
  template <class Write>
  static IterationCallback on_arrays(const IterationCallback& callback, Write write) {
    if (!callback) return {};
    return [callback, write](const IterationRecord& record) {
      write();
      return callback(record);
    };
  }

  void write(Instance& instance) {
    solver->download_unknowns(instance.binding);
    arrays.write(file.energy, instance.binding);
  }

  Expected<SolverSummary> solve(const SolverOptions& options, const IterationCallback& callback) {
    THALLO_TRY(auto instance, read_instance(options));
    return explain_shortage(instance, [&]() -> Expected<SolverSummary> {
      auto summary = solver->solve(instance, on_arrays(callback, [&] { write(instance); }));
      if (summary) arrays.write(file.energy, instance.binding);
      return unless_failed(std::move(summary));
    });
  }

  Expected<void> begin(const SolverOptions& options, const IterationCallback& callback) {
    THALLO_TRY(auto instance, read_instance(options));
    THALLO_CHECK(arrays.keep_shared_data(file.energy, instance.binding, nullptr, devices()));
    return explain_shortage(instance, [&]() -> Expected<void> {
      // The record of the start comes before there are steps; the arrays have its unknowns.
      THALLO_TRY(auto minimizer, solver->begin(instance, on_arrays(callback, [this] {
                                                 if (stepped) stepped->write_unknowns();
                                               })));
      stepped.emplace(file.energy, arrays, devices(), *solver, std::move(instance),
                      std::move(minimizer));
      return {};
    });
  }

  Expected<FieldValues> pull_back(const Binding& binding, const FieldValues& by_unknowns,
                                  const std::vector<std::string>& inputs) {
    THALLO_CHECK(open_backend());
    if (!pulling) {
      pulling = std::make_unique<PullBack>(file.energy, *backend, request.compile);
    }
    return pulling->gradients(binding, by_unknowns, inputs);
  }

  Expected<void> set_schedule(std::string schedule, std::optional<std::string> text) {
    if (stepped) {
      return fail("a solve of '{}' was begun with another schedule; call finish() first",
                  file.energy.name());
    }
    RunRequest changed = request;
    changed.schedule = std::move(schedule);
    changed.schedule_text = std::move(text);
    // What is chosen for the data is not known yet.
    const bool is_open =
        !changed.schedule_text && (changed.schedule.empty() || changed.schedule == "auto");
    if (!is_open) {
      const EnergyFile sited = with_sites(file, request.sites);
      THALLO_CHECK(plan_of(sited, changed));
    }
    request = std::move(changed);
    if (solver != nullptr) solver->forget_program();
    return {};
  }

  Expected<void> check_begun(std::string_view call) const {
    if (stepped) return {};
    return fail("{}() needs a solve that begin() has begun, and '{}' has none", call,
                file.energy.name());
  }

  // Runs a part of the solve that was begun. Ends the solve if the backend cannot go on.
  template <class Part>
  auto run_stepped(std::string_view call, const Part& part) -> decltype(part(*stepped)) {
    THALLO_CHECK(check_begun(call));
    try {
      auto result = explain_shortage(stepped->instance(), [&] { return part(*stepped); });
      if (stepped->is_broken()) stepped.reset();
      return result;
    } catch (const DeviceError& error) {
      stepped.reset();
      return fail("{}", error.what());
    }
  }

  // Runs a part of a solve, and says how much memory it would need if memory runs out.
  template <class Part>
  auto explain_shortage(const Instance& instance, const Part& part) -> decltype(part()) {
    try {
      return part();
    } catch (const std::bad_alloc&) {
      return fail("{}", solver->out_of_memory_text(instance));
    }
  }
};

EnergySolver::EnergySolver(EnergyFile file, EnergySolverOptions options)
    : state_(new State{.file = std::move(file), .request = request_of(options)}) {}
EnergySolver::EnergySolver(EnergySolver&&) noexcept = default;
EnergySolver& EnergySolver::operator=(EnergySolver&&) noexcept = default;
EnergySolver::~EnergySolver() = default;

Expected<EnergySolver> EnergySolver::load(const std::filesystem::path& energy,
                                          EnergySolverOptions options) {
  THALLO_TRY(auto file, load_energy(energy));
  return EnergySolver(std::move(file), std::move(options));
}

Expected<EnergySolver> EnergySolver::load_text(std::string_view energy, const std::string& name,
                                               EnergySolverOptions options) {
  THALLO_TRY(auto file, load_energy_text(energy, name));
  return EnergySolver(std::move(file), std::move(options));
}

EnergySolver& EnergySolver::bind_array(std::string_view name, ArrayView values, Shape shape) {
  state_->arrays.bind(name, values, std::move(shape));
  return *this;
}

EnergySolver& EnergySolver::bind(std::string_view name, DeviceView view, Shape shape) {
  state_->arrays.bind(name, std::move(view), std::move(shape));
  return *this;
}

EnergySolver& EnergySolver::bind(std::string_view name, double number) {
  state_->arrays.bind(name, number);
  return *this;
}

EnergySolver& EnergySolver::unbind(const std::string& name) {
  state_->arrays.unbind(name);
  return *this;
}

Expected<SolverSummary> EnergySolver::solve(const SolverOptions& options,
                                            const IterationCallback& callback,
                                            std::stop_token stop) {
  return state_->start(std::move(stop), [&] { return state_->solve(options, callback); });
}

Expected<void> EnergySolver::begin(const SolverOptions& options, const IterationCallback& callback,
                                   std::stop_token stop) {
  return state_->start(std::move(stop), [&] { return state_->begin(options, callback); });
}

Expected<bool> EnergySolver::step() {
  return state_->run_stepped("step", [](SteppedSolve& stepped) { return stepped.step(); });
}

Expected<double> EnergySolver::current_cost() {
  return state_->run_stepped("current_cost", [](SteppedSolve& stepped) { return stepped.cost(); });
}

Expected<SolverSummary> EnergySolver::finish() {
  auto summary = state_->run_stepped(
      "finish", [](SteppedSolve& stepped) { return Expected<SolverSummary>(stepped.finish()); });
  state_->stepped.reset();
  return State::unless_failed(std::move(summary));
}

bool EnergySolver::is_stepping() const { return state_->stepped.has_value(); }

Expected<void> EnergySolver::set_schedule(const std::string& schedule) {
  return state_->set_schedule(schedule, std::nullopt);
}

Expected<void> EnergySolver::set_schedule_text(const std::string& text) {
  return state_->set_schedule({}, text);
}

Expected<ExplainedSchedule> EnergySolver::explain(const SolverOptions& options) {
  return state_->start({}, [&]() -> Expected<ExplainedSchedule> {
    THALLO_TRY(const auto instance, state_->read_instance(options));
    return state_->solver->explain(instance);
  });
}

Expected<Linearization> EnergySolver::linearize() const {
  THALLO_TRY(const auto data, binding());
  return EnergyEvaluator(energy(), data).linearize();
}

Expected<Covariance> EnergySolver::covariance(std::span<const UnknownElement> elements) const {
  THALLO_TRY(const auto data, binding());
  return thallo::covariance(energy(), data, elements);
}

Expected<FieldValues> EnergySolver::pull_back(const FieldValues& by_unknowns,
                                              const std::vector<std::string>& inputs) {
  return state_->start({}, [&]() -> Expected<FieldValues> {
    THALLO_TRY(const auto data, binding());
    return state_->pull_back(data, by_unknowns, inputs);
  });
}

Expected<Binding> EnergySolver::binding() const { return state_->read_on_host(); }

const SolverParts& EnergySolver::solver_parts() const { return state_->request.parts; }

const Energy& EnergySolver::energy() const { return state_->file.energy; }

const SolverDefaults& EnergySolver::defaults() const { return state_->file.defaults; }

std::string_view EnergySolver::backend() const {
  return state_->backend != nullptr ? state_->backend->name() : std::string_view();
}

const std::string& EnergySolver::schedule() const {
  return state_->solver != nullptr ? state_->solver->schedule() : state_->no_schedule;
}

double EnergySolver::compile_seconds() const {
  return state_->solver != nullptr ? state_->solver->compile_seconds() : 0;
}

std::int64_t EnergySolver::bytes_moved() const {
  std::int64_t bytes = state_->solver != nullptr ? state_->solver->bytes_moved() : 0;
  if (const DeviceArrays* devices = state_->devices()) bytes += devices->bytes_moved();
  return bytes;
}

}  // namespace thallo
