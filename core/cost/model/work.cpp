#include "core/cost/model/work.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/kernel/arguments.h"
#include "core/kernel/emit.h"
#include "core/kernel/frequency.h"
#include "core/kernel/lanes.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/multigrid.h"

namespace thallo {
namespace {

constexpr int UsualBlockSize = 256;  // CompileOptions::block_size

class WorkCollector {
 public:
  WorkCollector(const GeneratedProgram& generated, const ProgramSizes& sizes, Precision precision)
      : program_(generated.program),
        codes_(generated.codes),
        sizes_(sizes),
        precision_(precision) {}

  ProgramWork run(std::map<MapId, MapStatistics> statistics) {
    ProgramWork work;
    for (const auto& [phase, steps] : program_.phases) {
      for (const Step& step : steps) {
        work.steps.push_back(work_of(step));
        work.steps.back().phase = phase;
        if (frequency_of(phase) == Frequency::LinearIteration) touch(step);
      }
    }
    work.maps = std::move(statistics);
    for (std::size_t f = 0; f < program_.fields.size(); ++f) work.bytes += bytes_of(FieldId(f));
    for (std::size_t m = 0; m < program_.maps.size(); ++m) work.bytes += bytes_of(MapId(m));
    for (const FieldId field : fields_) work.loop_bytes += bytes_of(field);
    for (const MapId map : maps_) work.loop_bytes += bytes_of(map);
    return work;
  }

 private:
  StepWork work_of(const Step& step) const {
    if (const auto* launch = std::get_if<LaunchKernel>(&step)) return work_of(*launch);
    if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
      return {.kind = StepWork::Kind::Clear,
              .label = fmt::format("clear {}", program_.buffers[clear->buffer].name),
              .features = count_features(program_, *clear, sizes_, precision_)};
    }
    if (const auto op = library_op(step)) {
      return {.kind = StepWork::Kind::Library,
              .label = label_of(program_, *op),
              .features = count_features(program_, *op, sizes_, precision_),
              .in_double = precision_ == Precision::Double};
    }
    if (const auto* multigrid = std::get_if<RunMultigrid>(&step)) {
      return {.label = label_of(*multigrid),
              .features = count_features(program_, *multigrid, sizes_, precision_),
              .in_double = precision_ == Precision::Double};
    }
    const auto& solve = std::get<SolveDirect>(step);
    return {.kind = StepWork::Kind::DirectSolve,
            .label = fmt::format("solve {}", program_.buffers[solve.matrix].name),
            .features = count_features(program_, solve, sizes_, precision_),
            .in_double = true};
  }

  StepWork work_of(const LaunchKernel& launch) const {
    const KernelCode& code = codes_[launch.kernel];
    StepWork work{
        .label = code.label,
        .features = count_features(program_, code, sizes_, precision_),
        .in_double = precision_ == Precision::Double || code.compute == ComputeType::Double,
        .threads_per_block = code.shape.threads_per_block,
        .aggregates = code.aggregates_in_warps,
        .reduces = !code.reductions.empty()};
    std::vector<int> teams;
    for (const CodeBody& section : code.sections) {
      const int lanes = lanes_per_thread(program_, section, precision_);
      work.points_per_thread =
          std::max(work.points_per_thread,
                   static_cast<double>(lanes * std::max(1, code.shape.rows_per_thread)));
      if (section.team == 1) continue;
      teams.push_back(section.team == WholeBlock ? block_size_of(code, UsualBlockSize)
                                                 : section.team);
    }
    if (!teams.empty()) work.team = *std::ranges::max_element(teams);
    return work;
  }

  void touch(const Step& step) {
    if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
      const KernelCode& code = codes_[launch->kernel];
      for (const FieldId field : code.slots.fields) {
        const auto rebound = launch->rebind.find(field);
        fields_.insert(rebound == launch->rebind.end() ? field : rebound->second);
      }
      maps_.insert(code.slots.maps.begin(), code.slots.maps.end());
    } else if (const auto op = library_op(step)) {
      const StoredMatrix& matrix = program_.matrices[matrix_of(*op)];
      for (const FieldId field : program_.buffers[matrix.values].fields) fields_.insert(field);
      if (matrix.kind == MatrixKind::Csr) maps_.insert({matrix.offsets, matrix.columns});
    } else if (std::holds_alternative<RunMultigrid>(step)) {
      for (const std::size_t buffer : {program_.multigrid->matrix, program_.multigrid->levels}) {
        const std::vector<FieldId>& fields = program_.buffers[buffer].fields;
        fields_.insert(fields.begin(), fields.end());
      }
    }
  }

  double bytes_of(FieldId field) const {
    if (is_param(program_, field)) return 0;
    return static_cast<double>(sizes_.num_scalars(field)) *
           static_cast<double>(size_of(memory_type(program_, field, precision_)));
  }
  double bytes_of(MapId map) const {
    return static_cast<double>(sizes_.num_entries(map)) * sizeof(std::int32_t);
  }

  const KernelProgram& program_;
  const std::vector<KernelCode>& codes_;
  const ProgramSizes& sizes_;
  Precision precision_;
  std::set<FieldId> fields_;  // of a linear iteration
  std::set<MapId> maps_;
};

}  // namespace

ProgramWork work_of(const GeneratedProgram& program, const ProgramSizes& sizes,
                    std::map<MapId, MapStatistics> statistics, Precision precision) {
  return WorkCollector(program, sizes, precision).run(std::move(statistics));
}

Expected<ProgramWork> work_of(const Energy& energy, const Plan& plan, const ProgramOptions& options,
                              const Binding& binding) {
  THALLO_CHECK(check_program(energy, plan, options));
  const GeneratedProgram program = generate(make_program(energy, plan, options));
  THALLO_TRY(const auto sizes, ProgramSizes::make(program.program, binding));
  return work_of(program, sizes, map_statistics(program.program, sizes, binding),
                 options.precision);
}

}  // namespace thallo
