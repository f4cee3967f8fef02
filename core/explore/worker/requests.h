#pragma once

// The requests to workers.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/explore/plot/case_picture.h"
#include "core/explore/space/target.h"
#include "core/explore/worker/answers.h"

namespace thallo {

// Opens the problem and, with `device`, the backend.
struct OpenRequest {
  using Answer = OpenedProblem;
  ExplorationTarget target;
  bool device = false;
  // For workers without the device: what kernels are compiled for, and device_spec_text() of the
  // device that predictions are made for. Absent: as the target says.
  std::optional<std::string> architecture = {};
  std::optional<std::string> spec = {};
};
THALLO_FIELDS(OpenRequest, target, device, architecture, spec)

// Lowers a schedule and compiles its kernels into the cache, without a device.
struct PrepareRequest {
  using Answer = PreparedSchedule;
  std::string schedule;  // the text
};
THALLO_FIELDS(PrepareRequest, schedule)

// Generates the kernels of a schedule, without a device: a part for each. With `compile` it comes
// as soon as the kernel is compiled, with what the compiler makes of it.
struct KernelsRequest {
  using Answer = KernelsAnswer;
  using Part = KernelText;
  std::string schedule;
  bool compile = false;
};
THALLO_FIELDS(KernelsRequest, schedule, compile)

// Times those of the schedule's steps that are asked for, at a real point, with warm and cold
// caches: a part for each.
struct TimeRequest {
  using Answer = NoAnswer;
  using Part = TimedStep;
  std::string schedule;
  std::vector<std::string> keys;  // step_key.h
};
THALLO_FIELDS(TimeRequest, schedule, keys)

// Compares cost, gradient, diagonal and JtJp with those of the default schedule on the problem's
// own data, and on its small instance with what the energy defines (small_instance.h). If they
// agree, solves from the start, so many times, with all tests for stopping switched off.
struct SolveRequest {
  using Answer = ScheduleResult;  // without slot and origin
  std::string schedule;
  int solves = 1;
};
THALLO_FIELDS(SolveRequest, schedule, solves)

// Does what `thallo solve` does; needs no problem that was opened. Says the stages of the run, each
// iteration is a part, and a cancelled run that solved something is answered by what it reached.
struct RunOrder {
  using Answer = RunAnswer;
  using Part = RunIteration;
  ExplorationTarget target;
  std::string schedule;  // the text
  std::string folder;    // for the files of the report; empty: write none
};
THALLO_FIELDS(RunOrder, target, schedule, folder)

// Times the steps of the schedule's first iteration, one by one, and the linear loop beside them.
struct ProfileRequest {
  using Answer = IterationProfile;
  std::string schedule;
};
THALLO_FIELDS(ProfileRequest, schedule)

// Chooses the schedule `auto` for the energy loaded anew, and prices so many plans drawn at random.
struct ChooseRequest {
  using Answer = TimedChoice;
  int plans = 0;
};
THALLO_FIELDS(ChooseRequest, plans)

// Reads a data file; needs no problem that was opened.
struct ReadRequest {
  using Answer = TimedReading;
  std::string file;
};
THALLO_FIELDS(ReadRequest, file)

// Draws a picture; needs no problem that was opened.
struct DrawRequest {
  using Answer = DrawnPicture;
  plot::CasePicture picture;
};
THALLO_FIELDS(DrawRequest, picture)

// Cancels the request that has the same id, whether it is waiting or carried out. Has no answer,
// and no effect on a request that was answered.
struct CancelRequest {};

using WorkerRequest =
    std::variant<OpenRequest, PrepareRequest, KernelsRequest, TimeRequest, SolveRequest, RunOrder,
                 ProfileRequest, ChooseRequest, ReadRequest, DrawRequest, CancelRequest>;

// Converts to a line of JSON, and back. Reading fails if the line is not a request; `id` is then
// set to that of the line, or 0.
std::string request_line(std::int64_t id, const WorkerRequest& request);
Expected<WorkerRequest> read_request(const std::string& line, std::int64_t& id);

}  // namespace thallo
