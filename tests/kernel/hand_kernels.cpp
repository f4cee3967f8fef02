#include "tests/kernel/hand_kernels.h"

#include <limits>

namespace thallo::test {

// out[x,y] = weight * (u[x+1,y] - u[x,y]) + 0.1, with u = 0 outside.
StencilKernel::StencilKernel() {
  width = hand.dim("W");
  height = hand.dim("H");
  u = hand.field("u", {width, height});
  out = hand.field("out", {width, height}, 1, FieldKind::Buffer);
  weight = hand.param("weight");
  const DomainId x = hand.domain(width), y = hand.domain(height);
  HandBody body(hand, {x, y});
  const ValueId i = body.coordinate(x), j = body.coordinate(y);
  const ValueId here = body.element({width, height}, {i, j});
  const ValueId right = body.affine({{1, i}}, 1);
  const ValueId inside = body.in_range(right, width);
  const ValueId next = body.load(u, body.element({width, height}, {right, j}), 0, inside);
  const ValueId difference =
      body.op(Op::Add, {next, body.op(Op::Mul, {body.constant(-1), body.load(u, here)})});
  const ValueId product = body.op(Op::Mul, {body.load(weight), difference});
  body.store(out, here, body.op(Op::Add, {product, body.constant(0.1)}));
  code = finish_kernel(hand, "smooth", {body});
}

// Section 0, one point an edge (a, b): d = p[a] - p[b]; Ap[a] += d, Ap[b] -= d, PAp += d^2.
// Section 1, one point a vertex: Ap += p / x, BMax = max |p|. Epilogue: Beta = PAp / Rz,
// PAp = 0, Stop = Beta < 1e-30; the loop goes on while Stop == 0.
GraphKernel::GraphKernel() {
  vertices = hand.dim("V");
  edges = hand.dim("E");
  x = hand.field("x", {vertices}, 2);
  p = hand.field("p", {vertices}, 2, FieldKind::Buffer);
  Ap = hand.field("Ap", {vertices}, 2, FieldKind::Buffer);
  ends = hand.map("ends", {edges}, {vertices, vertices});
  const DomainId e = hand.domain(edges), v = hand.domain(vertices);

  HandBody along(hand, {e});
  const ValueId edge = along.element({edges}, {along.coordinate(e)});
  const ValueId a = along.element({vertices}, {along.map_load(ends, edge, 0)});
  const ValueId b = along.element({vertices}, {along.map_load(ends, edge, 1)});
  for (int c = 0; c < 2; ++c) {
    const ValueId minus_b = along.op(Op::Mul, {along.constant(-1), along.load(p, b, c)});
    const ValueId d = along.op(Op::Add, {along.load(p, a, c), minus_b});
    along.add(Ap, a, d, c);
    along.add(Ap, b, along.op(Op::Mul, {along.constant(-1), d}), c);
    along.reduce(0, along.powi(d, 2));
  }

  HandBody at(hand, {v});
  const ValueId vertex = at.element({vertices}, {at.coordinate(v)});
  for (int c = 0; c < 2; ++c) {
    const ValueId direction = at.load(p, vertex, c);
    at.add(Ap, vertex, at.op(Op::Mul, {direction, at.powi(at.load(x, vertex, c), -1)}), c);
    at.reduce(1, at.op(Op::Abs, {direction}));
  }
  code = finish_kernel(hand, "apply", {along, at},
                       {{ReduceOp::Sum, static_cast<int>(StateSlot::PAp)},
                        {ReduceOp::Max, static_cast<int>(StateSlot::BMax)}});

  HandBody epilogue(hand);
  const ValueId beta = epilogue.op(
      Op::Mul, {epilogue.state(StateSlot::PAp), epilogue.powi(epilogue.state(StateSlot::Rz), -1)});
  epilogue.set_state(StateSlot::Beta, beta);
  epilogue.set_state(StateSlot::PAp, epilogue.constant(0));
  const ValueId small = epilogue.op(Op::Less, {beta, epilogue.constant(1e-30)});
  epilogue.set_state(StateSlot::Stop,
                     epilogue.op(Op::Select, {small, epilogue.constant(1), epilogue.constant(0)}));
  set_epilogue(hand, code, epilogue, epilogue.op(Op::Not, {small}));
}

EverythingKernel::EverythingKernel() {
  width = hand.dim("W");
  height = hand.dim("H");
  depth = hand.dim("K");
  u = hand.field("u", {width, height}, 3, FieldKind::Unknown);
  image = hand.field("image", {width, height}, 1);
  bytes = hand.field("bytes", {width, height}, 1, FieldKind::Array, ScalarType::UInt8);
  counts = hand.field("counts", {depth}, 1, FieldKind::Array, ScalarType::Int32);
  exact = hand.field("exact", {depth}, 1, FieldKind::Array, ScalarType::Double);
  matrix = hand.field("matrix", {}, 1, FieldKind::Buffer, ScalarType::Working, BufferKind::Matrix);
  out = hand.field("out", {width, height}, 3, FieldKind::Buffer);
  scale = hand.param("scale");
  const DomainId x = hand.domain(width), y = hand.domain(height), t = hand.domain(depth);
  const DomainId k = hand.domain(depth), l = hand.domain(height);

  HandBody body(hand, {x, y, t});
  const ValueId i = body.coordinate(x), j = body.coordinate(y);
  const ValueId here = body.element({width, height}, {i, j});
  const ValueId in_depth = body.element({depth}, {body.coordinate(t)});
  // Scalars: computed in double.
  const ValueId alpha =
      body.op(Op::Mul, {body.state(StateSlot::Rz), body.powi(body.state(StateSlot::PAp), -1)});
  const ValueId positive = body.op(Op::Less, {body.constant(0), body.state(StateSlot::PAp)});
  const ValueId step = body.op(Op::Select, {positive, alpha, body.constant(0)});

  const ValueId u0 = body.load(u, here, 0), u1 = body.load(u, here, 1), u2 = body.load(u, here, 2);
  const ValueId norm2 =
      body.op(Op::Add, {body.powi(u0, 2), body.powi(u1, 2), body.powi(u2, 2), body.constant(1e-8)});
  const ValueId norm = body.op(Op::Sqrt, {norm2});
  const ValueId inverse = body.powi(norm, -1);
  const ValueId unit = body.op(Op::Mul, {u0, inverse});
  const ValueId cubed = body.op(Op::Mul, {body.powi(norm, -3), u1, body.powi(u2, 5)});
  const ValueId ratio = body.op(Op::Mul, {body.constant(-2.5), u1, body.powi(u2, -2),
                                          body.powi(body.op(Op::Add, {u0, u1}), -1)});
  const ValueId wave =
      body.op(Op::Add, {body.op(Op::Sin, {unit}), body.op(Op::Pow, {norm, body.load(scale)}),
                        body.op(Op::Atan2, {u1, u2}), body.op(Op::Abs, {ratio}),
                        body.op(Op::Tanh, {cubed})});
  const ValueId sampled =
      body.op(Op::Add, {body.sample(image, u0, u1), body.sample(bytes, u1, u0)});
  const ValueId typed = body.op(
      Op::Add, {body.load(bytes, here), body.load(counts, in_depth), body.load(exact, in_depth),
                body.to_real(body.affine({{2, i}, {-1, j}}, 3)), body.constant(0.1)});

  const std::vector<ValueId> loop = body.begin_loop({k, l});
  const ValueId far = body.affine({{1, i}, {-1, loop[0]}}, -2);
  const ValueId inside =
      body.op(Op::Mul, {body.in_range(far, width), body.in_range(loop[1], height)});
  const ValueId tap = body.load(u, body.element({width, height}, {far, loop[1]}), 2, inside);
  const ValueId weight = body.load(counts, body.element({depth}, {loop[0]}));
  const std::vector<ValueId> sums = body.end_loop({body.op(Op::Mul, {tap, weight})});

  const ValueId ordered = body.op(
      Op::Or, {body.op(Op::LessEq, {u0, u1}), body.op(Op::Not, {body.op(Op::Eq, {u1, u2})})});
  body.begin_if(ordered);
  body.store(out, here, body.op(Op::Add, {wave, sampled, sums[0]}), 0);
  const ValueId limit = body.constant(std::numeric_limits<double>::infinity());
  body.store(out, here, body.op(Op::Select, {body.op(Op::Less, {typed, limit}), typed, u0}), 1);
  body.store(out, here, body.op(Op::Add, {u2, body.op(Op::Mul, {step, u1})}), 2);
  body.end_if();
  const ValueId edge = body.in_range(body.affine({{1, i}}, 1), width);
  const ValueId next = body.element({width, height}, {body.affine({{1, i}}, 1), j});
  body.matrix_add(matrix, {u, here, 0}, {u, next, 2}, body.op(Op::Mul, {unit, u1}), edge);
  body.matrix_add(matrix, {u, next, 2}, {u, here, 0}, body.op(Op::Mul, {unit, u1}), edge);
  body.reduce(0, step);
  code = finish_kernel(hand, "everything", {body},
                       {{ReduceOp::Sum, static_cast<int>(StateSlot::SumB)}});
}

// Where bytes > 3: out = sum of all functions of u + u[x-2] if there is one, which is summed up and
// of which there is a maximum; elsewhere 0. Everywhere + step * u[y+1], where step = Rz / PAp.
WavesKernel::WavesKernel() {
  width = hand.dim("W");
  height = hand.dim("H");
  u = hand.field("u", {width, height}, 2);
  bytes = hand.field("bytes", {width, height}, 1, FieldKind::Array, ScalarType::UInt8);
  out = hand.field("out", {width, height}, 1, FieldKind::Buffer);
  const DomainId x = hand.domain(width), y = hand.domain(height);
  HandBody body(hand, {x, y});
  const ValueId i = body.coordinate(x), j = body.coordinate(y);
  const ValueId here = body.element({width, height}, {i, j});

  body.begin_if(body.op(Op::Less, {body.constant(0), body.state(StateSlot::PAp)}));
  const ValueId step =
      body.op(Op::Mul, {body.state(StateSlot::Rz), body.powi(body.state(StateSlot::PAp), -1)});
  body.end_if({step});
  const ValueId below = body.affine({{1, j}}, 1);
  const ValueId next =
      body.load(u, body.element({width, height}, {i, below}), 1, body.in_range(below, height));
  const ValueId far = body.affine({{1, i}}, -2);
  const ValueId is_far = body.in_range(far, width);

  body.begin_if(body.op(Op::Less, {body.constant(3), body.load(bytes, here)}));
  const ValueId angle = body.op(Op::Mul, {body.load(u, here), body.constant(0.125)});
  const ValueId large = body.op(Op::Add, {angle, body.constant(1)});
  std::vector<ValueId> terms;
  for (const Op op : {Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Acos, Op::Atan, Op::Sinh, Op::Cosh,
                      Op::Tanh, Op::Asinh, Op::Atanh, Op::Exp, Op::Log, Op::Log10})
    terms.push_back(body.op(op, {angle}));
  terms.push_back(body.op(Op::Acosh, {large}));
  terms.push_back(body.op(Op::Pow, {large, angle}));
  terms.push_back(body.op(Op::Atan2, {angle, large}));
  body.begin_if(is_far);
  const ValueId left = body.load(u, body.element({width, height}, {far, j}), 1);
  body.end_if({left});
  terms.push_back(left);
  const ValueId wave = body.op(Op::Add, terms);
  body.reduce(0, wave);
  body.reduce(1, wave);
  body.end_if({wave});
  body.store(out, here, body.op(Op::Add, {wave, body.op(Op::Mul, {step, next})}));
  code = finish_kernel(hand, "waves", {body},
                       {{ReduceOp::Sum, static_cast<int>(StateSlot::SumB)},
                        {ReduceOp::Max, static_cast<int>(StateSlot::Largest)}});
}

}  // namespace thallo::test
