#include "core/energy/random/scope.h"

namespace thallo::random_energy {
namespace {

using DrawIndex = std::function<IndexExpr()>;

// A place that may be outside. Where an index never is, a test of its bounds is always true, and
// what it masks in a Problem would be all or nothing.
IndexExpr perhaps_outside(const RandomInputs& in, const IndexExpr& at) {
  return in.is_problem() && at.affine().constant == 0 ? at + 1 : at;
}

// Reads of points at one of several indices.
void add_point_reads(RandomInputs& in, Scope& scope, const DrawIndex& at) {
  for (const FieldHandle& field : in.points) {
    scope.unknowns.push_back([=, &in] { return in.any_channel(field(at())); });
    scope.raw.push_back(scope.unknowns.back());
  }
  for (const FieldHandle& field : in.point_values)
    scope.unknowns.push_back([=, &in] { return in.any_channel(field(at())); });
  scope.constants.push_back([=, &in] { return in.any_channel((*in.point_data)(at())); });
  scope.conditions.push_back([=, &in] {
    const double limit = in.threshold();
    return in.any_channel((*in.point_data)(at())) < limit;
  });
  scope.conditions.push_back([=, &in] {
    const double limit = in.threshold();
    return in.any_channel(in.points[0](at())) < limit;
  });
  scope.conditions.push_back([=, &in] { return in.e.in_bounds(perhaps_outside(in, at()), in.N); });
}

void add_image_reads(RandomInputs& in, Scope& scope, const DrawIndex& at_x, const DrawIndex& at_y) {
  const auto read = [=, &in](const FieldHandle& field) {
    const IndexExpr y = at_y();
    const IndexExpr x = at_x();
    return in.any_channel(field(x, y));
  };
  for (const FieldHandle& field : in.images) {
    scope.unknowns.push_back([=] { return read(field); });
    scope.raw.push_back(scope.unknowns.back());
  }
  for (const FieldHandle& field : in.image_values)
    scope.unknowns.push_back([=] { return read(field); });
  scope.constants.push_back([=, &in] { return read(*in.image_data); });
  scope.conditions.push_back([=, &in] {
    const double limit = in.threshold();
    return read(*in.image_data) < limit;
  });
  scope.conditions.push_back([=, &in] {
    const double limit = in.threshold();
    return read(in.images[0]) >= limit;
  });
  scope.conditions.push_back([=, &in] {
    const IndexExpr x = perhaps_outside(in, at_x());
    const IndexExpr y = perhaps_outside(in, at_y());
    return in.e.in_bounds(x, in.W) && in.e.in_bounds(y, in.H);
  });
  if (in.mask) scope.conditions.push_back([=, &in] { return equal(read(*in.mask), 0); });
}

// Reads that exist everywhere.
void add_common(RandomInputs& in, Scope& scope) {
  scope.constants.push_back([&in] { return in.draws.pick(in.params); });
  scope.constants.push_back([&in] { return Expr(Grid * in.draws.between(1, 8)); });
  if (!in.is_local())
    scope.unknowns.push_back(
        [&in] { return in.any_channel((*in.weights)(in.draws.between(0, 2))); });
  for (const FieldHandle& field : in.single_values)
    scope.unknowns.push_back([=, &in] { return in.any_channel(field()); });
  for (const DomainId domain : scope.domains) {
    const IndexExpr plain = in.index(domain);
    scope.constants.push_back([=, &in] {
      if (in.is_problem()) return sin(0.05 * in.e.value_of(plain));  // extents are large
      return 0.25 * in.e.value_of(plain + in.draws.between(0, 1));
    });
    scope.conditions.push_back(
        [=, &in] { return in.e.value_of(plain) < in.draws.between(0, 3) + 0.5; });
  }
}

DrawIndex near(RandomInputs& in, DomainId domain, int reach) {
  return [=, &in] {
    return in.draws.chance(0.5) ? in.index(domain)
                                : in.index(domain) + in.draws.between(-reach, reach);
  };
}

}  // namespace

Scope image_scope(RandomInputs& in) {
  const DomainId x = in.e.add_domain(in.W), y = in.e.add_domain(in.H);
  Scope scope;
  scope.domains = {x, y};
  add_image_reads(in, scope, near(in, x, 2), near(in, y, 2));
  add_common(in, scope);
  scope.shifted = [=, &in](const IndexExpr& by) {
    return in.any_channel(in.images[0](in.index(x) + by, in.index(y)));
  };
  scope.anchor = [=, &in] { return in.any_channel((*in.image_data)(in.index(x), in.index(y))); };
  return scope;
}

Scope volume_scope(RandomInputs& in) {
  Scope scope = image_scope(in);
  const DomainId x = scope.domains[0], y = scope.domains[1], z = in.e.add_domain(in.K, "z");
  scope.domains.push_back(z);
  for (const FieldHandle& field : in.volumes) {
    const auto read = [=, &in] {
      const IndexExpr at_x = near(in, x, 1)();
      const IndexExpr at_y = near(in, y, 1)();
      const IndexExpr at_z = near(in, z, 1)();
      return in.any_channel(field(at_x, at_y, at_z));
    };
    // More often than the image, which has fewer elements.
    for (int i = 0; i < 3; ++i) scope.unknowns.emplace_back(read);
  }
  scope.anchor = [=, &in] { return Expr((*in.layers)(in.index(x), in.index(y), in.index(z))); };
  scope.shifted = nullptr;
  return scope;
}

Scope point_scope(RandomInputs& in) {
  const DomainId n = in.e.add_domain(in.N);
  Scope scope;
  scope.domains = {n};
  add_point_reads(in, scope, [=, &in] {
    const int kind = in.draws.between(0, 9);
    if (kind < 5) return in.index(n);
    if (kind < 8 || in.is_local()) return in.index(n) + in.draws.between(-2, 2);
    return kind == 8 ? 2 * in.index(n) - 1 : IndexExpr(in.draws.between(0, 3));
  });
  add_common(in, scope);
  scope.shifted = [=, &in](const IndexExpr& by) {
    return in.any_channel(in.points[0](in.index(n) - by));
  };
  scope.anchor = [=, &in] { return in.any_channel((*in.point_data)(in.index(n))); };
  return scope;
}

Scope graph_scope(RandomInputs& in) {
  const DomainId edge = in.e.add_domain(in.E);
  Scope scope;
  scope.domains = {edge};
  add_point_reads(in, scope, [=, &in] {
    if (in.is_problem()) {
      if (in.far && in.draws.chance(0.15)) return (*in.far)(in.index(edge));
      return in.draws.pick(in.corners)(in.index(edge));
    }
    const IndexExpr at = in.draws.chance(0.9) ? in.index(edge) : in.index(edge) + 1;
    const int kind = in.draws.between(0, 9);
    if (kind < 4) return in.corners[0](at);
    if (kind < 7) return in.corners[1](at);
    return kind < 9 ? (*in.far)(at) : in.corners[0](at) + in.draws.between(-1, 1);
  });
  add_common(in, scope);
  scope.anchor = [=, &in] { return Expr((*in.edge_data)(in.index(edge))); };
  return scope;
}

Scope link_scope(RandomInputs& in) {
  const DomainId f = in.e.add_domain(in.F);
  Scope scope;
  scope.domains = {f};
  add_point_reads(in, scope, [=, &in] {
    const IndexExpr edge = (*in.edge)(in.index(f));
    if (in.is_problem()) return in.draws.pick(in.corners)(edge);
    const int kind = in.draws.between(0, 3);
    return kind < 2 ? in.corners[0](edge) : kind == 2 ? (*in.far)(edge) : in.corners[1](edge) + 1;
  });
  const auto coordinate = [=, &in](int output) {
    return [=, &in] {
      const IndexExpr at = in.pixel->at({in.index(f)}, output);
      return in.draws.chance(0.7) ? at : at + in.draws.between(-1, 1);
    };
  };
  if (in.pixel) add_image_reads(in, scope, coordinate(0), coordinate(1));
  add_common(in, scope);
  scope.anchor = [=, &in] { return Expr((*in.link_data)(in.index(f))); };
  return scope;
}

Scope product_scope(RandomInputs& in) {
  Scope scope = point_scope(in);
  const DomainId x = in.e.add_domain(in.W), y = in.e.add_domain(in.H);
  scope.domains.insert(scope.domains.end(), {x, y});
  add_image_reads(
      in, scope, [=, &in] { return in.index(x); }, [=, &in] { return in.index(y); });
  scope.anchor = [=, &in, inner = scope.anchor] {
    const Expr pixel = in.any_channel((*in.image_data)(in.index(x), in.index(y)));
    return inner() + pixel;
  };
  return scope;
}

Scope kernel_scope(RandomInputs& in, DomainId t) {
  Scope scope;
  scope.domains = {t};
  scope.unknowns.push_back([=, &in] { return in.any_channel((*in.weights)(in.index(t))); });
  scope.raw.push_back(scope.unknowns.back());
  scope.unknowns.push_back([=, &in] { return in.any_channel(in.points[0](in.index(t) + 1)); });
  scope.constants.push_back([=, &in] { return Expr((*in.kernel)(in.index(t), 0)); });
  scope.conditions.push_back([=, &in] { return (*in.kernel)(in.index(t), 1) < in.threshold(); });
  scope.anchor = [=, &in] { return Expr((*in.kernel)(in.index(t), 0)); };
  return scope;
}

Scope global_scope(RandomInputs& in) {
  Scope scope;
  scope.unknowns.push_back([&in] { return in.any_channel((*in.weights)(in.draws.between(0, 1))); });
  scope.raw.push_back(scope.unknowns.back());
  scope.constants.push_back([&in] { return in.draws.pick(in.params); });
  scope.conditions.push_back([&in] {
    const double limit = in.threshold();
    return in.any_channel((*in.weights)(0)) < limit;
  });
  return scope;
}

}  // namespace thallo::random_energy
