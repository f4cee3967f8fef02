// A loop whose iterations run on several threads, for jobs that take milliseconds or more.
#pragma once

#include <cstddef>
#include <functional>

namespace thallo {

// Calls work(i) once for each i = 0 ... count - 1, in about that order, on the calling thread and
// num_threads - 1 others; 0 takes one thread per core. Returns when all calls are done. After a
// call has thrown, no further calls begin, and the first exception is thrown on. What stops the
// calling thread (core/base/stop_scope.h) stops the others too.
void parallel_for(std::size_t count, int num_threads, const std::function<void(std::size_t)>& work);

}  // namespace thallo
