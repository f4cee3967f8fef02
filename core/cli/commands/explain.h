// What the subcommands of `thallo explain` share: their flags, and what they are about.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/output/choices_output.h"
#include "core/cli/run/wanted_program.h"

namespace thallo::cli {

// The flags of `thallo explain`, which hold for its subcommands, too.
struct ExplainFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  bool json = false;
};

// An instance of a problem, with the program that `thallo solve` would run.
class ExplainedInstance {
 public:
  // The program suits the schedules, each as choose_schedule() takes it; `auto` is chosen to suit.
  // Session and flags must outlive this object. Throws UserError where there is no such program.
  ExplainedInstance(Session& session, const ExplainFlags& flags,
                    const std::vector<std::string>& schedules);

  const ConstructRegistry& constructs() const { return session_.constructs(); }
  const SupposedTarget& supposed() const { return supposed_; }
  const RunRequest& request() const { return request_; }
  const EnergyFile& file() const { return file_; }
  const Energy& energy() const { return file_.energy; }
  const Binding& binding() const { return instance_.binding; }
  // What `auto` is chosen for.
  const AutoTarget& target() const { return target_; }
  // "image_warping, 512 x 512, gn, pcg, float", and on lines below why what was chosen was.
  std::string title() const;

  // True if `auto` chooses the schedule that --schedule names, or that is taken without one.
  bool chooses() const;
  // Adds to `compared` what `auto` did, if it chose.
  Schedule schedule(const std::string& name, std::vector<AutoStep>* compared = nullptr) const;
  Plan plan(const Schedule& schedule) const;
  // The device that predictions are for: the one that is named, else that of this machine. Throws
  // UserError if there is none.
  DeviceSpec device() const;
  // The same, where a device is named or `auto` chooses; absent if nobody asked for predictions.
  std::optional<DeviceSpec> known_device() const;
  // What the schedule decides and what else it could, predicted if the device is known. Fails if
  // that takes very many steps.
  Expected<ShownChoices> choices(const Schedule& schedule,
                                 const std::optional<DeviceSpec>& device) const;
  // The members "problem", those of the program, and "schedule".
  nlohmann::ordered_json json(const Schedule& schedule) const;
  // Prints the title, the directives of the schedule with their numbers, and what is called what.
  void print_title(const Schedule& schedule) const;

 private:
  AutoTarget target_suiting(const std::vector<std::string>& schedules);

  Session& session_;
  const ExplainFlags& flags_;
  const Problem& problem_;
  RunRequest request_;
  SupposedTarget supposed_;
  Options options_;
  EnergyFile file_;
  Instance instance_;
  WantedProgram wanted_;
  AutoTarget target_;
};

// Predicted costs, with what makes them: a text, or a decision and the schedule that it leads to.
nlohmann::ordered_json cost_json(const std::string& text, const PlanCost& cost);
nlohmann::ordered_json move_json(const WeighedAlternative& move,
                                 const ConstructRegistry& constructs);

// Lists kernels and buffers of the schedule that --schedule names, and who asked for them.
void explain_kernels(Session& session, const ExplainFlags& flags, const std::string& architecture);

// Adds a subcommand on a PROBLEM to `thallo explain`.
CLI::App* add_explain_subcommand(CLI::App& explain, ExplainFlags& flags, const char* name,
                                 const char* what);
Command add_explain_choices(CLI::App& explain, Session& session, ExplainFlags& flags);
Command add_explain_next(CLI::App& explain, Session& session, ExplainFlags& flags);
Command add_explain_why(CLI::App& explain, Session& session, ExplainFlags& flags);
Command add_explain_what_if(CLI::App& explain, Session& session, ExplainFlags& flags);

}  // namespace thallo::cli
