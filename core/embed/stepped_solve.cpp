#include "core/embed/stepped_solve.h"

#include <utility>
#include <vector>

namespace thallo {
namespace {

// True if extents or sparse maps differ, on which index tables depend. Equal maps have the same
// address (BoundArrays::read).
bool has_other_tables(const Energy& energy, const Binding& a, const Binding& b) {
  if (a.extents() != b.extents()) return true;
  for (std::size_t i = 0; i < energy.maps().size(); ++i) {
    if (a.shared_map(MapId(i)) != b.shared_map(MapId(i))) return true;
  }
  return false;
}

}  // namespace

SteppedSolve::SteppedSolve(const Energy& energy, BoundArrays& arrays, DeviceArrays* devices,
                           InstanceSolver& solver, Instance instance, Minimizer minimizer)
    : energy_(energy),
      arrays_(arrays),
      devices_(devices),
      solver_(solver),
      instance_(std::move(instance)),
      minimizer_(std::move(minimizer)) {
  remember_fingerprints();
}

Expected<bool> SteppedSolve::step() {
  THALLO_CHECK(upload_changes());
  auto more = minimizer_.step();
  if (!more) return fail(solver_.with_its_cause(instance_, more.error()));
  write_unknowns();
  if (devices_ == nullptr) return more;
  THALLO_CHECK(arrays_.look_at_unknowns(energy_, instance_.binding, *devices_));
  remember_fingerprints();
  return more;
}

void SteppedSolve::write_unknowns() {
  solver_.download_unknowns(instance_.binding);
  arrays_.write(energy_, instance_.binding);
}

Expected<double> SteppedSolve::cost() {
  THALLO_CHECK(upload_changes());
  auto cost = minimizer_.cost();
  if (!cost) return fail(solver_.with_its_cause(instance_, cost.error()));
  return cost;
}

SolverSummary SteppedSolve::finish() { return solver_.finish(minimizer_, instance_); }

Expected<void> SteppedSolve::upload_changes() {
  THALLO_TRY(auto now, arrays_.read(energy_, devices_));
  THALLO_CHECK(arrays_.keep_shared_data(energy_, now, &instance_.binding, devices_));
  std::vector<FieldId> changed;
  for (std::size_t i = 0; i < energy_.fields().size(); ++i) {
    const FieldId id(i);
    if (!energy_.field(id).is_input()) continue;
    if (has_changed(id, now)) {
      changed.push_back(id);
    } else {
      // An array may hold less than the backend computes with: a step must not round the unknowns.
      now.field(id) = instance_.binding.field(id);
    }
  }
  const bool has_new_tables = has_other_tables(energy_, now, instance_.binding);
  instance_.binding = std::move(now);
  remember_fingerprints();
  if (!has_new_tables && changed.empty()) return {};
  is_broken_ = true;
  THALLO_CHECK(has_new_tables ? minimizer_.rebind(instance_.binding)
                              : minimizer_.upload(instance_.binding, changed));
  is_broken_ = false;
  return {};
}

// True if the backend does not have the values of a field as they are now.
bool SteppedSolve::has_changed(FieldId field, const Binding& now) const {
  const DeviceArray* array = now.device_array(field);
  const DeviceArray* before = instance_.binding.device_array(field);
  if (array != nullptr || before != nullptr) {
    return array == nullptr || before == nullptr || *array != *before ||
           arrays_.fingerprint(energy_, field) != fingerprints_.at(field);
  }
  if (energy_.field(field).kind == FieldKind::Unknown)
    return !arrays_.holds(energy_, field, instance_.binding);
  return now.field(field).storage() != instance_.binding.field(field).storage();
}

void SteppedSolve::remember_fingerprints() {
  for (const FieldId field : instance_.binding.fields_on_device())
    fingerprints_[field] = arrays_.fingerprint(energy_, field);
}

}  // namespace thallo
