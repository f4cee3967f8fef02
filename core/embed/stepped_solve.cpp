#include "core/embed/stepped_solve.h"

#include <utility>
#include <vector>

namespace thallo {
namespace {

// True if extents or sparse maps differ, on which index tables depend.
bool has_other_tables(const Energy& energy, const Binding& a, const Binding& b) {
  if (a.extents() != b.extents()) return true;
  for (std::size_t i = 0; i < energy.maps().size(); ++i) {
    if (a.map(MapId(i)) != b.map(MapId(i))) return true;
  }
  return false;
}

bool is_bound(const Field& field) {
  return field.kind == FieldKind::Unknown || field.kind == FieldKind::Array ||
         field.kind == FieldKind::Param;
}

}  // namespace

SteppedSolve::SteppedSolve(const Energy& energy, const BoundArrays& arrays, InstanceSolver& solver,
                           Instance instance, Minimizer minimizer)
    : energy_(energy),
      arrays_(arrays),
      solver_(solver),
      instance_(std::move(instance)),
      minimizer_(std::move(minimizer)) {}

Expected<bool> SteppedSolve::step() {
  if (auto done = upload_changes(); !done) return fail(done.error());
  auto more = minimizer_.step();
  if (!more) return fail(solver_.with_its_cause(instance_, more.error()));
  solver_.download_unknowns(instance_.binding);
  arrays_.write(energy_, instance_.binding);
  return more;
}

Expected<double> SteppedSolve::cost() {
  if (auto done = upload_changes(); !done) return fail(done.error());
  auto cost = minimizer_.cost();
  if (!cost) return fail(solver_.with_its_cause(instance_, cost.error()));
  return cost;
}

SolverSummary SteppedSolve::finish() { return solver_.finish(minimizer_, instance_); }

Expected<void> SteppedSolve::upload_changes() {
  auto now = arrays_.read(energy_);
  if (!now) return fail(now.error());
  std::vector<FieldId> changed;
  for (std::size_t i = 0; i < energy_.fields().size(); ++i) {
    const FieldId id(i);
    const Field& field = energy_.field(id);
    if (!is_bound(field)) continue;
    HostArray& before = instance_.binding.field(id);
    if (field.kind == FieldKind::Unknown) {
      // An array may hold less than the backend computes with: a step must not round the unknowns.
      if (arrays_.holds(energy_, id, instance_.binding)) {
        now->field(id) = before;
      } else {
        changed.push_back(id);
      }
    } else if (now->field(id).storage() != before.storage()) {
      changed.push_back(id);
    }
  }
  const bool has_new_tables = has_other_tables(energy_, *now, instance_.binding);
  instance_.binding = *std::move(now);
  if (!has_new_tables && changed.empty()) return {};
  is_broken_ = true;
  auto done = has_new_tables ? minimizer_.rebind(instance_.binding)
                             : minimizer_.upload(instance_.binding, changed);
  if (!done) return done;
  is_broken_ = false;
  return {};
}

}  // namespace thallo
