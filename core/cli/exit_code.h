// The exit codes of `thallo`. If a signal ends it, the exit code is 128 plus the signal's number,
// as shells use: 130 for Ctrl-C.
#pragma once

namespace thallo::cli {

enum class ExitCode : int {
  Ok = 0,
  GoalMissed = 1,  // it ran, but did not reach its goal: a failed solve, a derivative that is off
  User = 2,        // the request cannot be carried out as given
  Device = 3,      // a driver or device library failed, or the device is absent
  Internal = 4,    // a bug in Thallo
};

}  // namespace thallo::cli
