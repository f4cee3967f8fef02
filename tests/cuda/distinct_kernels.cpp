#include "tests/cuda/distinct_kernels.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <iostream>

#include "core/base/error.h"
#include "core/base/parallel_for.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"

namespace thallo::test {

void DistinctKernels::add(const std::string& what, const Energy& energy, const Plan& plan,
                          const ProgramOptions& options, Precision precision) {
  const auto [program, codes] = generate(make_program(energy, plan, options));
  for (const KernelCode& code : codes) {
    std::string text = emit(program, code, {.dialect = Dialect::Cuda, .precision = precision});
    kernels_.try_emplace(
        text, Asked{{.name = code.role, .text = text}, fmt::format("{}: {}", what, code.label)});
  }
}

std::string DistinctKernels::asked_with(std::string_view word) const {
  for (const auto& [text, kernel] : kernels_)
    if (text.find(word) != text.npos) return kernel.what;
  return "";
}

void DistinctKernels::expect_compile_silently(const std::vector<std::string>& targets) const {
  std::vector<const Asked*> asked;
  for (const auto& [text, kernel] : kernels_) asked.push_back(&kernel);
  std::vector<std::string> faults(asked.size());
  const auto start = std::chrono::steady_clock::now();
  parallel_for(asked.size(), 0, [&](std::size_t i) {
    const std::string& architecture = targets[i % targets.size()];
    const auto image = cuda::compile_to_cubin(asked[i]->source, architecture);
    faults[i] = image ? image->log : image.error().message();
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("{} kernels for {} in {:.1f} s\n", asked.size(),
                           fmt::join(targets, " or "), elapsed.count());
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(faults[i], "") << asked[i]->what << "\n" << asked[i]->source.text;
}

}  // namespace thallo::test
