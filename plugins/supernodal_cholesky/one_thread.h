// Keeps CHOLMOD and BLAS on the calling thread.
#pragma once

namespace thallo {

// While there is one, loops of OpenMP that this thread meets run on it alone, and OpenBLAS, whose
// number of threads is that of the process, uses one. Then both are as they were. So a solve takes
// no cores from the threads of the backend or of the program that Thallo is part of, and adds up in
// the same order on every machine.
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
