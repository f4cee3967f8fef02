// The program that `thallo solve` would run, for commands that run nothing themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/problem/decided_program.h"

namespace thallo::cli {

class WantedProgram {
 public:
  // All must outlive this object. Without a precision, that of the instance is wanted. Throws
  // UserError where there is no such program.
  WantedProgram(const EnergyFile& file, const Instance& instance, const RunRequest& request,
                std::optional<Precision> precision);
  WantedProgram(const WantedProgram&) = delete;
  WantedProgram& operator=(const WantedProgram&) = delete;

  const DecidedProgram& decided() const { return decided_; }
  const ProgramOptions& options() const { return decided_.program; }
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
  ProgramDecider decider_;
  ProgramDemand demand_;
  DecidedProgram decided_;
};

}  // namespace thallo::cli
