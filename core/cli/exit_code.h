// What the process of `thallo` answers the shell. What a signal has ended answers 128 + its number,
// as shells do: 130 for Ctrl-C.
#pragma once

namespace thallo::cli {

enum class ExitCode : int {
  Ok = 0,
  GoalMissed = 1,  // it ran, but did not reach its goal: a failed solve, a derivative that is off
  User = 2,        // the request cannot be carried out as given
  Device = 3,      // a driver or a device library failed, or the device asked for is not there
  Internal = 4,    // a bug of Thallo
};

}  // namespace thallo::cli
