// Code generation: a Kernel (statements on expressions) becomes a KernelCode (values in executable
// order), and a KernelProgram a GeneratedProgram, which backends compile and run.
//
// A kernel goes through these passes; the first three are files of codegen/. The first four write a
// line into the log (logger "kernel", level debug):
//
//   separate_domains   renames what a Sum runs over where something around it runs over the same
//   factor_sums        takes common factors out of sums
//   share_partials     gives common partial sums and products a node of their own
//   build_bodies       places every value in the outermost loop that defines what it needs, decides
//                      under which conditions it is computed, and puts everything in sequence
//   list_slots         lists the fields, maps and extents that the code is handed at launch
//
// The first three passes rewrite expressions. They add nodes to a copy of the program's graph,
// which are removed before the next kernel; the program is never changed. KernelProgram::passes
// says which of those that can be switched off are left out (passes.h).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/kernel/code.h"
#include "core/kernel/program.h"

namespace thallo {

// Called after each pass over expressions, with its name and the resulting kernel. The kernel's
// expressions are in `graph`.
using PassObserver =
    std::function<void(std::string_view pass, const ExprGraph& graph, const Kernel& kernel)>;

// Generates the kernels of one program, in any order and repeatedly. The emitted text of a kernel
// does not depend on which kernels were generated before it.
class KernelGenerator {
 public:
  // `program` must outlive the generator, and its graph must contain everything that the kernels
  // use.
  explicit KernelGenerator(const KernelProgram& program, PassObserver observer = {});
  explicit KernelGenerator(KernelProgram&&, PassObserver = {}) = delete;

  // `kernel` is an element of program.kernels, or was made from the same graph.
  KernelCode generate(const Kernel& kernel);

 private:
  using ExpressionPass = std::function<void(ExprGraph& graph, Kernel& kernel)>;
  void run(std::string_view name, const ExpressionPass& pass, Kernel& kernel);

  const KernelProgram& program_;
  ExprGraph graph_;        // the program's, with nodes that the passes add for a kernel
  ExprGraph::Mark begin_;  // the program's
  PassObserver observer_;
};

struct GeneratedProgram {
  KernelProgram program;
  std::vector<KernelCode> codes;  // in the order of program.kernels
};

GeneratedProgram generate(KernelProgram program);

}  // namespace thallo
