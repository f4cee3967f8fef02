#include "core/language/motions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/language/functions.h"

namespace thallo::language {
namespace {

const Vector* find_motion(Call& call, int i) {
  const auto* vector = call.find<Vector>(i);
  return vector != nullptr && is_group(vector->manifold) ? vector : nullptr;
}

const Vector& motion(Call& call, int i) {
  if (const Vector* found = find_motion(call, i)) return *found;
  call.fault_expected(i, "a rotation or pose: a read of an SE3, or of numbers SE3(v)");
}

// The second operand, which is of the type of the first.
const Vector& same_motion(Call& call, int i, const Vector& first) {
  const Vector& second = motion(call, i);
  if (second.manifold != first.manifold)
    call.fault("{} and {} are different types", to_string(first.manifold),
               to_string(second.manifold));
  return second;
}

Elements numbers(Call& call, int i, int count, std::string_view expected) {
  Elements values = call.elements(i, expected);
  if (static_cast<int>(values.size()) != count)
    call.fault("expected {} of {} numbers, found {}", expected, count, call.describe(i));
  return values;
}

Elements result_of(std::vector<ExprId> ids, Manifold manifold = Manifold::Euclidean) {
  return {std::move(ids), true, manifold};
}

int compose_motions(Call& call) {
  const Vector &a = motion(call, 1), &b = same_motion(call, 2, a);
  return call.push(result_of(compose(call.graph(), a.manifold, a.entries, b.entries), a.manifold));
}

// between(a, p): the point p as seen from a, which is the shift between a and a pose at p.
Elements seen_from(Call& call, const Vector& a) {
  const int channels = point_channels(a.manifold);
  const Elements point = numbers(call, 2, channels, "a point");
  if (shift_channels(a.manifold) == 0) {
    const std::vector<ExprId> back = inverse(call.graph(), a.manifold, a.entries);
    return result_of(act(call.graph(), a.manifold, back, point.ids));
  }
  std::vector<ExprId> pose = a.entries;
  std::ranges::copy(point.ids, pose.begin());
  std::vector<ExprId> way = between(call.graph(), a.manifold, a.entries, pose);
  way.resize(static_cast<std::size_t>(channels));
  return result_of(std::move(way));
}

int motion_between(Call& call) {
  const Vector& a = motion(call, 1);
  if (find_motion(call, 2) == nullptr) return call.push(seen_from(call, a));
  const Vector& b = same_motion(call, 2, a);
  return call.push(result_of(between(call.graph(), a.manifold, a.entries, b.entries), a.manifold));
}

int inverse_motion(Call& call) {
  const Vector& a = motion(call, 1);
  return call.push(result_of(inverse(call.graph(), a.manifold, a.entries), a.manifold));
}

Elements moved_point(Call& call, const Vector& a) {
  const Elements point = numbers(call, 2, point_channels(a.manifold), "a point");
  return result_of(act(call.graph(), a.manifold, a.entries, point.ids));
}
int act_on_point(Call& call) { return call.push(moved_point(call, motion(call, 1))); }

const Vector& point_of_manifold(Call& call, int i) {
  const auto* vector = call.find<Vector>(i);
  if (vector == nullptr || vector->manifold == Manifold::Euclidean)
    call.fault_expected(i, "a read of an SE2, SE3, SO3 or S2, or of numbers SE3(v)");
  return *vector;
}

// plus(x, d): x after the step d.
int move_by_step(Call& call) {
  const Vector& x = point_of_manifold(call, 1);
  const Elements step = numbers(call, 2, tangent_channels(x.manifold), "a step");
  return call.push(result_of(plus(call.graph(), x.manifold, x.entries, step.ids), x.manifold));
}

// minus(y, x): the step from x to y.
int step_between(Call& call) {
  const Vector &y = point_of_manifold(call, 1), &x = point_of_manifold(call, 2);
  if (y.manifold != x.manifold)
    call.fault("{} and {} are different types", to_string(y.manifold), to_string(x.manifold));
  return call.push(result_of(minus(call.graph(), x.manifold, y.entries, x.entries)));
}

constexpr HostFunction MotionFunctions[] = {
    {"act", &act_on_point},       {"between", &motion_between}, {"compose", &compose_motions},
    {"inverse", &inverse_motion}, {"minus", &step_between},     {"plus", &move_by_step},
};

}  // namespace

int make_point(Call& call) {
  const Manifold manifold = call.expect<Type>(1, "a type").manifold;
  if (manifold == Manifold::Euclidean)
    call.fault("{} cannot be called; SE2, SE3, SO3 and S2 are called with their numbers",
               call.describe(1));
  const Elements entries = call.elements(2, call.num_arguments(), "its numbers");
  if (static_cast<int>(entries.size()) != stored_channels(manifold))
    call.fault("an {} has {} numbers, found {}", to_string(manifold), stored_channels(manifold),
               entries.size());
  return call.push(result_of(entries.ids, manifold));
}

std::optional<Elements> product_of_motions(Call& call) {
  const Vector* a = find_motion(call, 1);
  const auto* b = call.find<Vector>(2);
  if (a == nullptr || b == nullptr) return {};
  if (b->manifold == a->manifold)
    return result_of(compose(call.graph(), a->manifold, a->entries, b->entries), a->manifold);
  if (static_cast<int>(b->entries.size()) != point_channels(a->manifold)) return {};
  return moved_point(call, *a);
}

// The type is also taken by its name, which Python has.
std::optional<Elements> exponential_of_step(Call& call) {
  if (!call.has(2)) return {};
  std::optional<Manifold> group;
  if (const auto* type = call.find<Type>(2)) group = type->manifold;
  if (call.is_text(2))
    if (const auto named = parse_as(call.text(2, "a type"), Manifold())) group = *named;
  if (!group || !is_group(*group)) call.fault_expected(2, "SE2, SE3 or SO3");
  const Elements step = numbers(call, 1, tangent_channels(*group), "a step");
  return result_of(exp(call.graph(), *group, step.ids), *group);
}

std::optional<Elements> logarithm_of_motion(Call& call) {
  const Vector* a = find_motion(call, 1);
  if (a == nullptr || call.has(2)) return {};
  return result_of(log(call.graph(), a->manifold, a->entries));
}

void add_motions(lua_State* state) { add_functions(state, MotionFunctions); }

}  // namespace thallo::language
