// Keeps CHOLMOD and BLAS on the calling thread.
#pragma once

namespace thallo {

// While an object exists, OpenMP loops of this thread run on it alone, and OpenBLAS, whose number
// of threads applies to the whole process, uses one thread. Afterwards, both are as before. So a
// solve takes no cores from the threads of the backend or of the program that embeds Thallo, and
// sums in the same order on every machine.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int openmp_levels_ = 0;
};

}  // namespace thallo
