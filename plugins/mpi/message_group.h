#pragma once

// The library that connects processes by MPI, as the plugin beside it opens it.

#include "core/plugin/process_group.h"

namespace thallo {

inline constexpr const char* MessageGroupLibrary = "libthallo_mpi.so";
inline constexpr const char* JoinMessageGroupName = "thallo_join_message_group";
// Initializes MPI, which ends the process if it cannot. The caller owns the result.
using JoinMessageGroup = ProcessGroup* (*)();

}  // namespace thallo
