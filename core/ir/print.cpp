#include "core/ir/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace thallo {
namespace {

// The shortest text that reads back as the same number.
std::string number(double value) { return fmt::format("{}", value); }

std::string parenthesized(const std::string& text) { return "(" + text + ")"; }

}  // namespace

void ExprPrinter::name(ExprId expression, std::string name) {
  given_[expression] = std::move(name);
}

std::string ExprPrinter::text(ExprId expression) const {
  return print(expression, Level::Condition);
}

std::string ExprPrinter::text(IndexId index) const {
  std::string text;
  for (const Affine& component : graph_.indices()[index]) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", this->text(component));
  }
  return text;
}

std::string ExprPrinter::text(const Affine& component) const {
  const IndexTable& indices = graph_.indices();
  std::string text;
  for (const AffineTerm& term : component.terms) {
    const Atom& atom = indices.atom(term.atom);
    const std::string name =
        atom.is_domain() ? indices.domain(atom.domain).name
                         : fmt::format("{}({}){}", names_.map(atom.map), this->text(atom.argument),
                                       channel(atom.output, names_.num_outputs(atom.map)));
    const std::int64_t factor = text.empty() ? term.coefficient : std::abs(term.coefficient);
    if (!text.empty()) text += term.coefficient < 0 ? " - " : " + ";
    text += factor == 1 ? name : factor == -1 ? "-" + name : fmt::format("{}*{}", factor, name);
  }
  if (text.empty()) return fmt::format("{}", component.constant);
  if (component.constant != 0) {
    text += fmt::format(" {} {}", component.constant < 0 ? '-' : '+', std::abs(component.constant));
  }
  return text;
}

std::string ExprPrinter::channel(int channel, int num_channels) const {
  return num_channels == 1 ? std::string() : fmt::format("[{}]", channel);
}

std::string ExprPrinter::call(std::string_view function, ExprId expression) const {
  std::string arguments;
  for (const ExprId operand : graph_.operands(expression)) {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", text(operand));
  }
  return fmt::format("{}({})", function, arguments);
}

// a + b - c: a term with a negative coefficient is subtracted. It comes first only if all terms
// have negative coefficients.
std::string ExprPrinter::sum(ExprId expression) const {
  std::vector<std::string> parts;
  for (const ExprId term : graph_.operands(expression)) parts.push_back(print(term, Level::Sum));
  std::ranges::stable_partition(parts, [](const auto& part) { return !part.starts_with('-'); });
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += parts[i].starts_with('-') ? " - " + parts[i].substr(1) : " + " + parts[i];
  }
  return text;
}

// a * b / (c * d): negative powers go below the bar.
std::string ExprPrinter::product(std::span<const ExprId> factors) const {
  std::string above, below;
  int num_below = 0;
  std::string sign;
  const auto append = [](std::string& text, const std::string& factor) {
    text += (text.empty() ? "" : " * ") + factor;
  };
  for (const ExprId factor : factors) {
    const bool is_named = given_.contains(factor);
    if (graph_.is_constant(factor) && graph_.constant_value(factor) < 0 && sign.empty()) {
      sign = "-";
      if (const double value = -graph_.constant_value(factor); value != 1) {
        append(above, number(value));
      }
    } else if (!is_named && graph_[factor].op == Op::PowI && graph_.exponent(factor) < 0) {
      const ExprId base = graph_.operands(factor)[0];
      const int exponent = -graph_.exponent(factor);
      append(below, exponent == 1 ? print(base, Level::Power)
                                  : fmt::format("{}^{}", print(base, Level::Atom), exponent));
      ++num_below;
    } else {
      append(above, print(factor, Level::Power));
    }
  }
  if (above.empty()) above = "1";
  if (num_below == 0) return sign + above;
  return fmt::format("{}{} / {}", sign, above, num_below == 1 ? below : parenthesized(below));
}

std::string ExprPrinter::power(ExprId expression) const {
  const ExprId base = graph_.operands(expression)[0];
  return fmt::format("{}^{}", print(base, Level::Atom), graph_.exponent(expression));
}

std::string ExprPrinter::access(ExprId expression) const {
  const FieldId field = graph_.field(expression);
  const std::string index = text(graph_.index(expression));
  return fmt::format("{}{}{}", names_.field(field), index.empty() ? "" : parenthesized(index),
                     channel(graph_.channel(expression), names_.num_channels(field)));
}

std::string ExprPrinter::sample(ExprId expression, FieldId image) const {
  return call("sample " + names_.field(image), expression) +
         channel(graph_.channel(expression), names_.num_channels(image));
}

std::string ExprPrinter::sum_over_domains(ExprId expression) const {
  std::string domains;
  for (const DomainId domain : graph_.sum_domains(expression)) {
    domains +=
        fmt::format("{}{}", domains.empty() ? "" : ", ", graph_.indices().domain(domain).name);
  }
  return fmt::format("{}({}: {})",
                     graph_.sum_kind(expression) == SumKind::Largest ? "largest" : "sum", domains,
                     text(graph_.operands(expression)[0]));
}

std::string ExprPrinter::print(ExprId expression, Level level) const {
  if (const auto given = given_.find(expression); given != given_.end()) return given->second;
  const ExprNode& node = graph_[expression];
  const auto at = [&](Level own, std::string text) {
    return own < level ? parenthesized(text) : text;
  };
  const auto infix = [&](std::string_view op) {
    const auto operands = graph_.operands(expression);
    return at(Level::Condition, fmt::format("{} {} {}", print(operands[0], Level::Sum), op,
                                            print(operands[1], Level::Sum)));
  };
  switch (node.op) {
    case Op::Constant: {
      const double value = graph_.constant_value(expression);
      return value < 0 ? at(Level::Sum, number(value)) : number(value);
    }
    case Op::Access: return access(expression);
    case Op::InBounds:
      return fmt::format("in_bounds({}, {})", text(graph_.index(expression)),
                         names_.dim(graph_.bound_dim(expression)));
    case Op::IndexValue: return fmt::format("index({})", text(graph_.index(expression)));
    case Op::Argument: return node.channel == 0 ? "s" : "a";
    case Op::Sample: return sample(expression, graph_.sampler(expression).image);
    case Op::SampleLayer: return sample(expression, graph_.layers(expression));
    case Op::Sum: return sum_over_domains(expression);
    case Op::Add: return at(Level::Sum, sum(expression));
    case Op::Mul: {
      const auto factors = graph_.operands(expression);
      const std::string text = product(factors);
      return at(text.starts_with('-') ? Level::Sum : Level::Product, text);
    }
    case Op::PowI:
      if (graph_.exponent(expression) < 0) {
        return at(Level::Product, product(std::span(&expression, 1)));
      }
      return at(Level::Power, power(expression));
    case Op::Less:
    case Op::LessEq:
    case Op::Eq:
    case Op::Or: return infix(info(node.op).text);
    default: return call(info(node.op).text, expression);
  }
}

std::vector<ExprId> ExprPrinter::shared(std::span<const ExprId> roots) const {
  std::map<ExprId, int> num_uses;
  const std::vector<ExprId> reachable = graph_.reachable(roots);
  for (const ExprId root : roots) ++num_uses[root];
  for (const ExprId user : reachable) {
    for (const ExprId operand : graph_.operands(user)) ++num_uses[operand];
  }
  // The domains of a Sum mean nothing outside of it.
  std::map<ExprId, bool> is_inside_sum;
  for (auto user = reachable.rbegin(); user != reachable.rend(); ++user) {
    const bool inside = is_inside_sum[*user] || graph_[*user].op == Op::Sum;
    for (const ExprId operand : graph_.operands(*user)) {
      is_inside_sum[operand] = is_inside_sum[operand] || inside;
    }
  }
  std::vector<ExprId> shared;
  for (const ExprId id : reachable) {
    const auto operands = graph_.operands(id);
    const bool is_negation =
        graph_[id].op == Op::Mul && operands.size() == 2 &&
        std::ranges::any_of(operands, [&](ExprId o) { return graph_.is_constant(o, -1); });
    if (num_uses[id] > 1 && !operands.empty() && !is_negation && !is_inside_sum[id]) {
      shared.push_back(id);
    }
  }
  return shared;
}

}  // namespace thallo
