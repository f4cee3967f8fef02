#include "core/energy/loss.h"

#include "core/base/error.h"

namespace thallo {

std::string_view to_string(LossKind kind) {
  switch (kind) {
    case LossKind::Huber: return "huber";
    case LossKind::Cauchy: return "cauchy";
    case LossKind::GemanMcClure: return "geman_mcclure";
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
    case LossKind::Cauchy: return {a2 * log1p(s / a2), 1 / (1 + s / a2)};
    case LossKind::GemanMcClure: {
      const Rounded share = 1 / (1 + s / a2);
      return {s * share, share * share};
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
    case LossKind::Cauchy: return graph.mul(a2, graph.unary(Op::Log, graph.add(one, relative)));
    case LossKind::GemanMcClure: return graph.div(s, graph.add(one, relative));
  }
  THALLO_UNREACHABLE();
}

ExprId loss_weight(ExprGraph& graph, const Loss& loss, ExprId s) {
  const ExprId a2 = graph.powi(loss.scale, 2);
  const ExprId one = graph.constant(1);
  const ExprId share = graph.powi(graph.add(one, graph.div(s, a2)), -1);
  switch (loss.kind) {
    case LossKind::Huber:
      return graph.select(graph.binary(Op::LessEq, s, a2), one,
                          graph.div(loss.scale, graph.unary(Op::Sqrt, s)));
    case LossKind::Cauchy: return share;
    case LossKind::GemanMcClure: return graph.powi(share, 2);
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
