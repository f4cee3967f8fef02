// The session of all solvers that are given no other one.
#pragma once

namespace thallo {

class Session;

// Loads plugins at the first call. The registries of this session are filled then and not changed,
// so that any number of threads may read them.
Session& shared_session();

}  // namespace thallo
