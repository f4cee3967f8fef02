#include "core/kernel/program.h"

#include <algorithm>

#include "core/base/error.h"

namespace thallo {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Setup: return "setup";
    case Phase::Values: return "values";
    case Phase::TrialValues: return "trial_values";
    case Phase::Cost: return "cost";
    case Phase::TrialCost: return "trial_cost";
    case Phase::Linearize: return "linearize";
    case Phase::SaveScale: return "save_scale";
    case Phase::Damp: return "damp";
    case Phase::Direction: return "direction";
    case Phase::Apply: return "apply";
    case Phase::Update: return "update";
    case Phase::ResetDirection: return "reset_direction";
    case Phase::ResetApply: return "reset_apply";
    case Phase::ResetUpdate: return "reset_update";
    case Phase::DirectSolve: return "direct_solve";
    case Phase::Retract: return "retract";
    case Phase::Accept: return "accept";
    case Phase::GroupSums: return "group_sums";
    case Phase::Keep: return "keep";
    case Phase::GoBack: return "go_back";
  }
  THALLO_UNREACHABLE();
}

const std::vector<Step>& KernelProgram::steps(Phase phase) const {
  static const std::vector<Step> none;
  const auto found = phases.find(phase);
  return found == phases.end() ? none : found->second;
}

std::span<const SparseMap> KernelProgram::bound_maps() const {
  std::size_t num_own = columns.size();
  for (const InverseMap& inverse : inverses) num_own += 2 + inverse.followed.size();
  for (const BlockPattern& pattern : patterns) num_own += 2 + pattern.meetings.size();
  num_own += 4 * block_products.size() + 2 * csr_rows.size() + 4 * mirrored_blocks.size();
  for (const AdditionOrder& order : addition_orders) {
    num_own += 3 * order.lists.size();
    for (const MapId elements : order.elements) num_own += elements.valid() ? 1 : 0;
  }
  return std::span(maps).first(maps.size() - num_own);
}

std::size_t KernelProgram::vector(SolverVector v) const {
  const auto found = vectors.find(v);
  THALLO_ASSERT(found != vectors.end(), "no vector '{}'", to_string(v));
  return found->second;
}

std::size_t KernelProgram::mask(FieldId unknown) const {
  const auto found = masks.find(unknown);
  THALLO_ASSERT(found != masks.end(), "no mask of '{}'", field(unknown).name);
  return found->second;
}

std::size_t KernelProgram::find_buffer(std::string_view buffer_name) const {
  const auto found = std::ranges::find(buffers, buffer_name, &BufferDecl::name);
  THALLO_ASSERT(found != buffers.end(), "no buffer '{}'", buffer_name);
  return static_cast<std::size_t>(found - buffers.begin());
}

}  // namespace thallo
