// What both published interfaces have in common: a plan solves the energy of a file on arrays that
// are given by position.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/embed/energy_solver.h"

namespace thallo::compat {

// What a state says about its plans.
struct Settings {
  bool is_double = false;
  std::string backend;
  bool is_on_device = false;  // true if arrays are in the memory of the GPU
  std::string schedule;       // as EnergySolverOptions has it
};

// Returns the settings of a state. Its arrays are in the memory of the GPU, unless `is_cpu_only` or
// the environment variable THALLO_COMPAT_BACKEND names a backend of the host. Fails if there is no
// GPU for them.
Expected<Settings> make_settings(bool is_double, bool is_cpu_only, bool chooses_schedule);
// Sets the levels of the log, unless THALLO_LOG does.
void set_verbosity(int level);

// The solver kinds of an interface by their texts.
struct KindName {
  std::string_view text;
  SolverKind kind;
};

// A file and how it is to be solved.
struct Problem {
  std::filesystem::path file;
  SolverKind kind = SolverKind::GaussNewton;
};
Expected<Problem> make_problem(const char* filename, const char* kind,
                               std::initializer_list<KindName> kinds);

class Plan {
 public:
  // Loads the energy. Fails for a fault of the text, an input without a position, a dim without an
  // extent or of extent 0. `dimensions` are the extents by the positions of dims.
  static Expected<std::unique_ptr<Plan>> make(const Settings& settings, const Problem& problem,
                                              const unsigned* dimensions);

  // `params` are the arrays and pointers to numbers (float) by position. Every call reads them.
  Expected<void> solve(void** params);
  Expected<void> begin(void** params);
  // Returns true if it has made an iteration, and false if the solve had ended.
  Expected<bool> step(void** params);
  // The cost at the unknowns as they are, or after the last solve.
  Expected<double> cost();

  // `value` points to an int or a float, as the parameter wants it. Fail for a name that is none,
  // and set_parameter() also for a value out of range. The next solve has it.
  Expected<void> set_parameter(const char* name, const void* value);
  Expected<void> read_parameter(const char* name, void* value) const;

  // The times of the last solve that ended; empty before.
  SolverTimes times() const { return summary_ ? summary_->times : SolverTimes(); }

 private:
  Plan(EnergySolver solver, const Settings& settings, SolverKind kind);

  Expected<void> take_dimensions(const unsigned* dimensions);
  Expected<void> check_positions() const;
  Expected<void> bind(void** params);
  Expected<void> bind_field(const Field& field, void** params);
  Expected<void> bind_map(const SparseMap& map, void** params);
  Shape shape_of(const std::vector<DimId>& dims) const;
  std::int64_t num_elements(const std::vector<DimId>& dims) const;
  Expected<void> finish();

  EnergySolver solver_;
  bool is_double_;
  bool is_on_device_;
  SolverOptions options_;
  std::vector<std::int64_t> extents_;  // by dim
  std::optional<SolverSummary> summary_;
  int num_iterations_ = 0;  // of the solve that was begun
  bool goes_on_ = false;    // true if the solve that was begun has not ended
};

}  // namespace thallo::compat
