#include "core/backend/step_memory.h"

#include <algorithm>
#include <variant>

namespace thallo {
namespace {

class Collector {
 public:
  explicit Collector(const GeneratedProgram& generated) : generated_(generated) {
    change(program().state);
  }

  StepMemory collect(const Step& step) && {
    std::visit([this](const auto& its) { add(its); }, step);
    return std::move(memory_);
  }

 private:
  const KernelProgram& program() const { return generated_.program; }

  void add(const LaunchKernel& launch) {
    const KernelCode& code = generated_.codes[launch.kernel];
    const auto bound = [&](FieldId field) {
      const auto rebound = launch.rebind.find(field);
      return rebound == launch.rebind.end() ? field : rebound->second;
    };
    for (const FieldId field : code.slots.fields) memory_.fields.insert(bound(field));
    for (const MapId map : code.slots.maps) memory_.maps.insert(map);
    for (const auto* fields : {&code.written, &code.scattered})
      for (const FieldId field : *fields) change(bound(field));
  }
  void add(const ClearBuffer& clear) { change_buffer(clear.buffer); }
  void add(const MultiplyMatrix& product) {
    read(program().matrices[product.matrix]);
    read_buffer(product.x);
    change_buffer(product.y);
  }
  void add(const AddGram& gram) {
    read(program().matrices[gram.matrix]);
    change_buffer(gram.to);
  }
  void add(const SolveDirect& solve) {
    for (const std::size_t buffer : {solve.matrix, solve.free, solve.b}) read_buffer(buffer);
    if (solve.damping) read_buffer(*solve.damping);
    add_map(solve.offsets);
    add_map(solve.columns);
    change_buffer(solve.x);
  }

  void add(const RunMultigrid& step) {
    const Multigrid& multigrid = *program().multigrid;
    read_buffer(multigrid.matrix);
    change_buffer(multigrid.levels);
    if (step.pass == RunMultigrid::Pass::Build) {
      if (const auto damping = program().vectors.find(SolverVector::Damping);
          damping != program().vectors.end())
        read_buffer(damping->second);
    } else {
      read_buffer(program().vector(SolverVector::R));
      change_buffer(program().vector(SolverVector::Z));
    }
  }

  void read(const StoredMatrix& matrix) {
    read_buffer(matrix.values);
    add_map(matrix.offsets);
    add_map(matrix.columns);
  }
  void add_map(MapId map) {
    if (map.valid()) memory_.maps.insert(map);
  }
  void read_buffer(std::size_t buffer) {
    const std::vector<FieldId>& views = program().buffers[buffer].fields;
    memory_.fields.insert(views.begin(), views.end());
  }
  void change_buffer(std::size_t buffer) {
    memory_.changed.insert(program().unknowns.size() + buffer);
    read_buffer(buffer);
  }

  void change(FieldId field) {
    memory_.fields.insert(field);
    const auto& unknowns = program().unknowns;
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      if (unknowns[u] == field) memory_.changed.insert(u);
    for (std::size_t b = 0; b < program().buffers.size(); ++b) {
      const BufferDecl& buffer = program().buffers[b];
      if (buffer.flat == field || std::ranges::find(buffer.fields, field) != buffer.fields.end())
        memory_.changed.insert(unknowns.size() + b);
    }
  }

  const GeneratedProgram& generated_;
  StepMemory memory_;
};

}  // namespace

StepMemory memory_of(const GeneratedProgram& generated, const Step& step) {
  return Collector(generated).collect(step);
}

}  // namespace thallo
