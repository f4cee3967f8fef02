#include "core/language/expression_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thallo::language {
namespace {

// The shortest text that reads back as the same number.
std::string number(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

// The function of the language for an op that its operands describe.
std::string_view function_of(Op op) {
  switch (op) {
    case Op::Less: return "less";
    case Op::LessEq: return "lesseq";
    case Op::Eq: return "eq";
    case Op::Not: return "Not";
    case Op::Or: return "Or";
    case Op::Select: return "Select";
    case Op::Freeze: return "Constant";
    default: return info(op).text;
  }
}

}  // namespace

std::string text_name(const Field& field) {
  return field.name.starts_with('%') ? "stored_" + field.name.substr(1) : field.name;
}

std::string ExpressionText::term(const AffineTerm& term) const {
  const Atom& atom = graph_.indices().atom(term.atom);
  std::string text;
  if (atom.is_domain()) {
    text = domains_.at(atom.domain);
  } else {
    const SparseMap& map = energy_.map(atom.map);
    text = fmt::format("{}({})", map.name, indices(atom.argument));
    if (map.out.size() > 1) text += fmt::format("[{}]", atom.output);
  }
  const std::int64_t factor = std::abs(term.coefficient);
  return factor == 1 ? text : fmt::format("{} * {}", factor, text);
}

std::string ExpressionText::component(const Affine& component) const {
  std::string text;
  for (const AffineTerm& one : component.terms)
    if (one.coefficient > 0) text += (text.empty() ? "" : " + ") + term(one);
  if (text.empty()) {
    text = std::to_string(component.constant);
  } else if (component.constant != 0) {
    text += fmt::format(" {} {}", component.constant < 0 ? '-' : '+', std::abs(component.constant));
  }
  for (const AffineTerm& one : component.terms)
    if (one.coefficient < 0) text += " - " + term(one);
  return text;
}

std::string ExpressionText::indices(IndexId index) const {
  std::vector<std::string> texts;
  for (const Affine& one : graph_.indices()[index]) texts.push_back(component(one));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ExpressionText::channel_argument(ExprId expression, FieldId field) const {
  if (energy_.field(field).channels == 1) return "";
  const bool is_first = energy_.field(field).dims.empty();
  return fmt::format("{}{}", is_first ? "" : ", ", graph_.channel(expression));
}

std::string ExpressionText::access(ExprId expression) const {
  const FieldId field = graph_.field(expression);
  if (energy_.field(field).kind == FieldKind::Param) return field_name(field);
  return fmt::format("{}({}{})", field_name(field), indices(graph_.index(expression)),
                     channel_argument(expression, field));
}

std::string ExpressionText::operands(ExprId expression) const {
  std::vector<std::string> texts;
  for (const ExprId operand : graph_.operands(expression)) texts.push_back(text(operand));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ExpressionText::call(std::string_view function, ExprId expression) const {
  return fmt::format("{}({})", function, operands(expression));
}

std::string ExpressionText::sample(ExprId expression) const {
  const Sampler& sampler = graph_.sampler(expression);
  std::string images = field_name(sampler.image);
  if (sampler.dx.valid())
    images += fmt::format(", {}, {}", field_name(sampler.dx), field_name(sampler.dy));
  return fmt::format("SampledImage({})({}{})", images, operands(expression),
                     channel_argument(expression, sampler.image));
}

std::string ExpressionText::sample_layer(ExprId expression) const {
  const FieldId images = graph_.layers(expression);
  return fmt::format("SampledImageArray({})({}{})", field_name(images), operands(expression),
                     channel_argument(expression, images));
}

// a + b - c; a term that is subtracted comes first only if all are.
std::string ExpressionText::sum(ExprId expression) const {
  std::vector<std::string> parts;
  for (const ExprId term : graph_.operands(expression)) parts.push_back(write(term, Level::Sum));
  std::ranges::stable_partition(parts, [](const auto& part) { return !part.starts_with('-'); });
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    text += parts[i].starts_with('-') ? " - " + parts[i].substr(1) : " + " + parts[i];
  return text;
}

// a * b / (c * d): negative powers go below the bar.
std::string ExpressionText::product(std::span<const ExprId> factors) const {
  std::vector<std::string> above, below;
  std::string sign;
  for (const ExprId factor : factors) {
    if (graph_.is_constant(factor) && graph_.constant_value(factor) < 0 && sign.empty()) {
      sign = "-";
      const double value = -graph_.constant_value(factor);
      if (value != 1) above.push_back(number(value));
    } else if (!given_.contains(factor) && graph_[factor].op == Op::PowI &&
               graph_.exponent(factor) < 0) {
      const ExprId base = graph_.operands(factor)[0];
      const int exponent = -graph_.exponent(factor);
      below.push_back(exponent == 1 ? write(base, Level::Power)
                                    : fmt::format("{}^{}", write(base, Level::Atom), exponent));
    } else {
      above.push_back(write(factor, Level::Power));
    }
  }
  if (above.empty()) above.emplace_back("1");
  std::string text = sign + fmt::format("{}", fmt::join(above, " * "));
  if (below.size() == 1) return text + " / " + below.front();
  return below.empty() ? text : fmt::format("{} / ({})", text, fmt::join(below, " * "));
}

std::string ExpressionText::write(ExprId expression, Level level) const {
  if (const auto given = given_.find(expression); given != given_.end()) return given->second;
  const auto at = [&](Level own, const std::string& text) {
    return own < level ? "(" + text + ")" : text;
  };
  const auto one_product = [&](std::span<const ExprId> factors) {
    const std::string text = product(factors);
    return at(text.starts_with('-') ? Level::Sum : Level::Product, text);
  };
  switch (graph_[expression].op) {
    case Op::Constant: {
      const double value = graph_.constant_value(expression);
      return value < 0 ? at(Level::Sum, number(value)) : number(value);
    }
    case Op::Access: return access(expression);
    case Op::InBounds:
      return fmt::format("InBounds({}, {})", indices(graph_.index(expression)),
                         energy_.dim(graph_.bound_dim(expression)).name);
    case Op::IndexValue: {
      const std::string index = indices(graph_.index(expression));
      const bool is_one = index.find(' ') == std::string::npos;
      return is_one ? index + ":asvalue()" : fmt::format("({}):asvalue()", index);
    }
    case Op::Sample: return sample(expression);
    case Op::SampleLayer: return sample_layer(expression);
    case Op::Sum: {
      std::vector<std::string> variables;
      for (const DomainId domain : graph_.sum_domains(expression))
        variables.push_back(domains_.at(domain));
      return fmt::format("Sum({{{}}}, {})", fmt::join(variables, ", "), operands(expression));
    }
    case Op::Add: return at(Level::Sum, sum(expression));
    case Op::Mul: return one_product(graph_.operands(expression));
    case Op::PowI:
      if (graph_.exponent(expression) < 0) return one_product(std::span(&expression, 1));
      return at(Level::Power,
                fmt::format("{}^{}", write(graph_.operands(expression)[0], Level::Atom),
                            graph_.exponent(expression)));
    default: return call(function_of(graph_[expression].op), expression);
  }
}

}  // namespace thallo::language
