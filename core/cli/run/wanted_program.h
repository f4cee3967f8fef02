// The program that `thallo solve` would run, for commands that run nothing themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/cli/flags/run_options.h"
#include "core/cli/session.h"
#include "core/problem/decided_program.h"

namespace thallo::cli {

// The target of commands that show programs without running them. Its backend need not exist on
// this machine.
struct SupposedTarget {
  std::string backend;  // "auto" if none is named
  // As the user asks, or double for the interpreter. If unset, the instance chooses.
  std::optional<Precision> precision;
  std::optional<DeviceSpec> spec;  // present if the user names one
};

// Throws UserError for an unknown backend or spec, for a spec of another backend, and for float on
// the interpreter.
SupposedTarget supposed_target(const RunOptions& options, const RunRequest& request);

class WantedProgram {
 public:
  // Where and how the program would run. Its device has the spec that the user names; otherwise
  // that of the backend's device, which is measured if unknown; otherwise that of an H200, if the
  // backend is cuda and there is no device. Without a precision, that of the instance is wanted.
  struct Place {
    Session& session;
    const RunOptions& run;
    std::string backend;
    std::optional<Precision> precision;
  };
  // All but the place itself must outlive this object. Throws UserError where there is no such
  // program.
  WantedProgram(const EnergyFile& file, const Instance& instance, const RunRequest& request,
                const Place& place);
  WantedProgram(const WantedProgram&) = delete;
  WantedProgram& operator=(const WantedProgram&) = delete;

  const DecidedProgram& decided() const { return decided_; }
  const ProgramOptions& options() const { return decided_.program; }
  // What `auto` chooses a schedule for. Valid while this object is, and until suit().
  AutoTarget auto_target() const { return thallo::auto_target(demand_, decided_, request_); }
  // As ProgramDecider::suit(); throws UserError.
  void suit(const Plan& plan);
  // Does so for schedules as choose_schedule() takes them; `auto` is chosen to suit.
  void suit_all(const std::vector<std::string>& schedules, const ConstructRegistry& constructs);
  // "lm, schur_cholesky, double", and on lines below why what was chosen was.
  std::string text() const;
  // The names in text(), that of the preconditioner, and the reasons, as members of an object.
  void add_to(nlohmann::ordered_json& object) const;

 private:
  const EnergyFile& file_;
  const RunRequest& request_;
  ProgramDecider decider_;
  ProgramDemand demand_;
  DecidedProgram decided_;
};

}  // namespace thallo::cli
