#include "core/energy/loss.h"

#include "core/base/error.h"

namespace thallo {

// ρ of soft_l1 and tukey is written without the difference of its definition, which cancels where s
// is small. Where s is not a number, comparisons take the branch that computes with s.

std::string_view to_string(LossKind kind) {
  switch (kind) {
    case LossKind::Huber: return "huber";
    case LossKind::SoftL1: return "soft_l1";
    case LossKind::Cauchy: return "cauchy";
    case LossKind::Arctan: return "arctan";
    case LossKind::GemanMcClure: return "geman_mcclure";
    case LossKind::Tukey: return "tukey";
  }
  THALLO_UNREACHABLE();
}

LossValue evaluate_loss(LossKind kind, const Rounded& scale, const Rounded& s) {
  const Rounded a2 = scale * scale;
  switch (kind) {
    case LossKind::Huber: {
      if (s.value <= a2.value) return {s, Rounded::factor(1)};
      const Rounded norm = sqrt(s);
      return {2 * scale * norm - a2, scale / norm};
    }
    case LossKind::SoftL1: {
      const Rounded root = sqrt(1 + s / a2);
      return {2 * s / (root + 1), 1 / root};
    }
    case LossKind::Cauchy: return {a2 * log1p(s / a2), 1 / (1 + s / a2)};
    case LossKind::Arctan: {
      const Rounded relative = s / a2;
      return {a2 * atan(relative), 1 / (1 + relative * relative)};
    }
    case LossKind::GemanMcClure: {
      const Rounded share = 1 / (1 + s / a2);
      return {s * share, share * share};
    }
    case LossKind::Tukey: {
      if (a2.value < s.value) return {a2 / 3, Rounded::factor(0)};
      const Rounded relative = s / a2;
      const Rounded left = 1 - relative;
      return {s * (left + relative * relative / 3), left * left};
    }
  }
  THALLO_UNREACHABLE();
}

ExprId loss_rho(ExprGraph& graph, const Loss& loss, ExprId s) {
  const ExprId a2 = graph.powi(loss.scale, 2);
  const ExprId one = graph.constant(1);
  const ExprId relative = graph.div(s, a2);
  switch (loss.kind) {
    case LossKind::Huber: {
      const ExprId twice = graph.mul(graph.constant(2), loss.scale);
      const ExprId linear = graph.sub(graph.mul(twice, graph.unary(Op::Sqrt, s)), a2);
      return graph.select(graph.binary(Op::LessEq, s, a2), s, linear);
    }
    case LossKind::SoftL1: {
      const ExprId root = graph.unary(Op::Sqrt, graph.add(one, relative));
      return graph.div(graph.mul(graph.constant(2), s), graph.add(root, one));
    }
    case LossKind::Cauchy: return graph.mul(a2, graph.unary(Op::Log, graph.add(one, relative)));
    case LossKind::Arctan: return graph.mul(a2, graph.unary(Op::Atan, relative));
    case LossKind::GemanMcClure: return graph.div(s, graph.add(one, relative));
    case LossKind::Tukey: {
      const ExprId three = graph.constant(3);
      const ExprId share =
          graph.add(graph.sub(one, relative), graph.div(graph.powi(relative, 2), three));
      return graph.select(graph.binary(Op::Less, a2, s), graph.div(a2, three), graph.mul(s, share));
    }
  }
  THALLO_UNREACHABLE();
}

ExprId loss_weight(ExprGraph& graph, const Loss& loss, ExprId s) {
  const ExprId a2 = graph.powi(loss.scale, 2);
  const ExprId one = graph.constant(1);
  const ExprId relative = graph.div(s, a2);
  const ExprId share = graph.powi(graph.add(one, relative), -1);
  switch (loss.kind) {
    case LossKind::Huber:
      return graph.select(graph.binary(Op::LessEq, s, a2), one,
                          graph.div(loss.scale, graph.unary(Op::Sqrt, s)));
    case LossKind::SoftL1: return graph.unary(Op::Sqrt, share);
    case LossKind::Cauchy: return share;
    case LossKind::Arctan: return graph.powi(graph.add(one, graph.powi(relative, 2)), -1);
    case LossKind::GemanMcClure: return graph.powi(share, 2);
    case LossKind::Tukey:
      return graph.select(graph.binary(Op::Less, a2, s), graph.constant(0),
                          graph.powi(graph.sub(one, relative), 2));
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
