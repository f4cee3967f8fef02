#include "core/explore/worker/step_key.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/backend/step_info.h"
#include "core/base/hash.h"
#include "core/base/overloaded.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/multigrid.h"

namespace thallo {
namespace {

// Lists the fields, maps and extents that a launch is bound to, by name and size.
std::string bound_to(const GeneratedProgram& generated, const ProgramSizes& sizes,
                     const LaunchKernel& launch) {
  const KernelProgram& program = generated.program;
  const KernelCode& code = generated.codes[launch.kernel];
  std::string text;
  for (const FieldId slot : code.slots.fields) {
    const auto rebound = launch.rebind.find(slot);
    const FieldId field = rebound == launch.rebind.end() ? slot : rebound->second;
    text += fmt::format("{}:{} ", program.field(field).name, sizes.num_scalars(field));
  }
  for (const MapId map : code.slots.maps)
    text += fmt::format("{}:{} ", program.maps[map.index()].name, sizes.num_entries(map));
  for (const CodeBody& section : code.sections)
    text += fmt::format("over {} ", sizes.num_points(section.extents));
  return text;
}

// Returns the dims that the kernel filling a matrix loops over, the fastest first. They define the
// row order of a J, which determines which threads add to the same element at the same time.
std::string order_of_rows(const GeneratedProgram& generated, FieldId values) {
  for (const KernelCode& code : generated.codes) {
    for (const auto* fields : {&code.written, &code.scattered}) {
      if (std::ranges::find(*fields, values) == fields->end()) continue;
      std::string order;
      for (const DimId dim : code.sections.front().extents)
        order += fmt::format("{} ", dim.index());
      return order;
    }
  }
  return {};
}

std::string matrix_text(const GeneratedProgram& generated, const ProgramSizes& sizes,
                        const LibraryOp& op, Precision precision) {
  const KernelProgram& program = generated.program;
  const StoredMatrix& matrix = program.matrices[matrix_of(op)];
  const MatrixShape shape = shape_of(program, sizes, matrix);
  const FieldId values = program.buffers[matrix.values].fields.front();
  return fmt::format("{} {}x{} {} entries of {} bytes by {}", program.buffers[matrix.values].name,
                     shape.rows, shape.cols, shape.entries,
                     size_of(memory_type(program, values, precision)),
                     order_of_rows(generated, values));
}

}  // namespace

std::string step_key(const GeneratedProgram& program, const ProgramSizes& sizes, const Step& step,
                     std::string_view kernel_key, Precision precision) {
  return std::visit(
      Overloaded{[&](const LaunchKernel& launch) {
                   return fmt::format(
                       "{}.{}", kernel_key,
                       hash_text(bound_to(program, sizes, launch)).hex().substr(0, 12));
                 },
                 [&](const ClearBuffer& clear) {
                   const BufferDecl& buffer = program.program.buffers[clear.buffer];
                   const auto scalar =
                       size_of(memory_type(program.program, buffer.fields.front(), precision));
                   return fmt::format("clear {} bytes", sizes.buffer_size(buffer) *
                                                            static_cast<std::int64_t>(scalar));
                 },
                 [&](const MultiplyMatrix& product) {
                   return fmt::format("{}{} {}", product.is_transposed ? "transposed " : "",
                                      product.adds ? "add product" : "product",
                                      matrix_text(program, sizes, product, precision));
                 },
                 [&](const AddGram& gram) {
                   return fmt::format("gram {}", matrix_text(program, sizes, gram, precision));
                 },
                 [&](const RunMultigrid& multigrid) {
                   const KernelProgram& p = program.program;
                   return fmt::format("{} of {} entries, {} scalars", label_of(multigrid),
                                      p.multigrid->entries.size(),
                                      sizes.buffer_size(p.buffers[p.multigrid->levels]));
                 },
                 [&](const SolveDirect& solve) {
                   return fmt::format("{} solve of {} unknowns, {} entries", solve.solver->name(),
                                      sizes.num_unknowns(),
                                      sizes.buffer_size(program.program.buffers[solve.matrix]));
                 }},
      step);
}

std::vector<LaunchedStep> launched_steps(const GeneratedProgram& program, const ProgramSizes& sizes,
                                         std::span<const std::string> kernel_keys,
                                         Precision precision) {
  std::vector<LaunchedStep> launched;
  std::size_t next = 0;
  for (const auto& [phase, steps] : program.program.phases) {
    for (const Step& step : steps) {
      const std::size_t position = next++;
      if (!is_launched(program, sizes, step)) continue;
      const auto* launch = std::get_if<LaunchKernel>(&step);
      std::string kernel = launch ? kernel_keys[launch->kernel] : "";
      std::string key = step_key(program, sizes, step, kernel, precision);
      launched.push_back({std::move(key), phase, std::move(kernel), position});
    }
  }
  return launched;
}

}  // namespace thallo
