#include "tests/cuda/distinct_kernels.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/kernel/emit.h"
#include "core/kernel/lower.h"

namespace thallo::test {

void DistinctKernels::add(const std::string& what, const Energy& energy, const Plan& plan,
                          const ProgramOptions& options, bool double_precision) {
  KernelProgram program = make_program(energy, plan, options);
  const std::vector<Kernel> kernels = program.kernels;  // generating code extends the program
  for (const Kernel& kernel : kernels) {
    const KernelCode code = generate_code(program, kernel);
    std::string text =
        emit(program, code, {.dialect = Dialect::Cuda, .double_precision = double_precision});
    kernels_.try_emplace(
        text, Asked{{.name = code.role, .text = text}, fmt::format("{}: {}", what, code.label)});
  }
}

void DistinctKernels::expect_compile_silently(std::string_view architecture) const {
  std::vector<const Asked*> asked;
  for (const auto& [text, kernel] : kernels_) asked.push_back(&kernel);
  std::vector<std::string> faults(asked.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < asked.size(); i = next++) {
      const auto image = cuda::compile_to_cubin(asked[i]->source, architecture);
      faults[i] = image ? image->log : image.error().message();
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const unsigned num_threads = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < num_threads; ++i) threads.emplace_back(work);
    work();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("{} kernels for {} in {:.1f} s by {} threads\n", asked.size(),
                           architecture, elapsed.count(), num_threads);
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(faults[i], "") << asked[i]->what << "\n" << asked[i]->source.text;
}

}  // namespace thallo::test
