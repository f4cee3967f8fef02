#include "core/solve/options.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/overloaded.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

constexpr std::pair<SolverKind, std::string_view> SolverKinds[] = {
    {SolverKind::GaussNewton, "gn"}, {SolverKind::LevenbergMarquardt, "lm"}};

std::vector<std::string> solver_kind_texts() {
  std::vector<std::string> texts;
  for (const auto& [kind, text] : SolverKinds) texts.emplace_back(text);
  return texts;
}

// The lower bound of a numeric option. The bound itself is legal only when `inclusive`.
struct Range {
  double low = 0;
  bool inclusive = true;
  bool holds(double value) const {
    return std::isfinite(value) && (inclusive ? value >= low : value > low);
  }
  std::string text() const { return fmt::format("{} {}", inclusive ? ">=" : ">", low); }
};
constexpr Range NoRange{}, AtLeastZero{};
constexpr Range AboveZero{0, false};
constexpr Range AtLeastOne{1};
constexpr Range AtLeastThree{3};
constexpr Range AboveOne{1, false};

using Member =
    std::variant<int SolverOptions::*, double SolverOptions::*, std::optional<int> SolverOptions::*,
                 std::optional<double> SolverOptions::*, SolverKind SolverOptions::*,
                 std::string SolverOptions::*, bool SolverOptions::*>;

// What an option names whose value is a name.
enum class Names { Nothing, LinearSolver, Preconditioner, Unknown };

// The solves in which an option has an effect: all, those of pcg, those of one solver, or both.
enum class Scope { All, Pcg, Gn, Lm, LmPcg };

struct Option {
  std::string_view name;
  Member member;
  Range range;  // for numbers
  std::string_view doc;
  Scope scope = Scope::All;
  Names names = Names::Nothing;

  bool is_of_pcg() const { return scope == Scope::Pcg || scope == Scope::LmPcg; }
  // The only solver that has it.
  std::optional<SolverKind> solver() const {
    if (scope == Scope::All || scope == Scope::Pcg) return std::nullopt;
    return scope == Scope::Gn ? SolverKind::GaussNewton : SolverKind::LevenbergMarquardt;
  }
};

const Option AllOptions[] = {
    {"solver", &SolverOptions::solver, {}, "Gauss-Newton or Levenberg-Marquardt"},
    {"linear_solver", &SolverOptions::linear_solver, NoRange,
     "what solves for a step; auto, or unset where no option of pcg is set: as the problem wants",
     Scope::All, Names::LinearSolver},
    {"preconditioner", &SolverOptions::preconditioner, NoRange,
     "of pcg; unset: chosen, else jacobi, or none where the energy asks for it", Scope::Pcg,
     Names::Preconditioner},
    {"eliminate", &SolverOptions::eliminate, NoRange,
     "of schur_pcg and schur_cholesky: all unknowns over the dims of this one are eliminated; "
     "auto: the most that can be",
     Scope::All, Names::Unknown},
    {"nIterations", &SolverOptions::num_iterations, AtLeastZero,
     "nonlinear iterations; lm counts rejected steps too"},
    {"lIterations", &SolverOptions::num_linear_iterations, AtLeastZero,
     "linear iterations (pcg) per nonlinear iteration", Scope::Pcg},
    {"loose_iterations", &SolverOptions::loose_iterations, AtLeastZero,
     "schur_cholesky finds its first steps by pcg, until one takes so many linear iterations or "
     "helps little; 0 = none; unset: a third of what an exact step costs, or 0 where that is "
     "little",
     Scope::Lm},
    {"function_tolerance", &SolverOptions::function_tolerance, AtLeastZero,
     "stop when |cost change| <= tolerance * cost; unset: 1e-6 in lm, no test in gn"},
    {"gradient_tolerance", &SolverOptions::gradient_tolerance, AtLeastZero,
     "stop when |JtF| <= tolerance * |J| * sqrt(2 cost), for each column of J; 0 = off"},
    {"parameter_tolerance", &SolverOptions::parameter_tolerance, AtLeastZero,
     "stop when |delta| <= tolerance * (|x| + tolerance); 0 = off"},
    {"max_solver_time_in_seconds", &SolverOptions::max_solver_time_in_seconds, AtLeastZero,
     "stop within this time, between the iterations of a linear solve and between the parts of a "
     "factorization if need be; 0 = off"},
    {"q_tolerance", &SolverOptions::q_tolerance, AtLeastZero,
     "pcg stops when an iteration lowers the quadratic model by less than this fraction of the "
     "mean decrease so far; 0 = off",
     Scope::LmPcg},
    {"residual_tolerance", &SolverOptions::residual_tolerance, AtLeastZero,
     "pcg stops when |r| <= tolerance * |b|; 0 = at 1e-15 |b|, where nothing is left", Scope::Pcg},
    {"residual_reset_period", &SolverOptions::residual_reset_period, AtLeastZero,
     "pcg computes its residual anew every so many iterations; 0 = never", Scope::LmPcg},
    {"max_step_halvings", &SolverOptions::max_step_halvings, AtLeastZero,
     "a step that raises the cost is halved up to this many times; 0 = steps are taken as they "
     "are",
     Scope::Gn},
    {"max_step_lengthening", &SolverOptions::max_step_lengthening, AtLeastOne,
     "a step that lowers the cost by much more than the model promised is made up to this many "
     "times as long; 1 = steps are taken as they are",
     Scope::Lm},
    {"trust_region_radius", &SolverOptions::trust_region_radius, AboveZero,
     "radius at the start, 1 / lambda", Scope::Lm},
    {"min_trust_region_radius", &SolverOptions::min_trust_region_radius, AboveZero,
     "stop when the radius falls below this", Scope::Lm},
    {"max_trust_region_radius", &SolverOptions::max_trust_region_radius, AboveZero,
     "the radius grows no further", Scope::Lm},
    {"max_radius_growth", &SolverOptions::max_radius_growth, AtLeastThree,
     "the radius grows by this after a step that changes the cost exactly as promised, and by 3 at "
     "most after others; above 3 it grows four times at once for a step that confirms the end",
     Scope::Lm},
    {"radius_decrease_factor", &SolverOptions::radius_decrease_factor, AboveOne,
     "the radius is divided by this after a rejected step, and by twice as much after the next "
     "in a row",
     Scope::Lm},
    {"min_relative_decrease", &SolverOptions::min_relative_decrease, AtLeastZero,
     "a step is accepted when the cost falls by more than this fraction of the model decrease",
     Scope::Lm},
    {"min_lm_diagonal", &SolverOptions::min_lm_diagonal, AtLeastZero,
     "lower limit of the damping diagonal, times the first scale (l + sqrt d0)^2, l = min(1, "
     "|F|), or (1 + sqrt d)^2 of now, if it is less",
     Scope::Lm},
    {"max_lm_diagonal", &SolverOptions::max_lm_diagonal, AboveZero,
     "upper limit of the damping diagonal, times the first scale", Scope::Lm},
    {"deterministic", &SolverOptions::is_deterministic, NoRange,
     "sums are added up in a fixed order, so that equal runs have equal results to the last bit"},
};

const Option* find_option(std::string_view name) {
  const auto* found = std::ranges::find(AllOptions, name, &Option::name);
  return found == std::end(AllOptions) ? nullptr : found;
}

// What is in the registry that an option names items of, in both by name.
struct NamedPart {
  std::string_view name, doc;
};
std::vector<NamedPart> named_parts(const Option& option, const SolverParts& parts) {
  std::vector<NamedPart> named;
  const auto add_all = [&](const auto& registry) {
    for (const auto* entry : registry.entries()) named.push_back({entry->name, entry->item->doc()});
  };
  if (option.names == Names::LinearSolver) add_all(*parts.linear_solvers);
  if (option.names == Names::Preconditioner) add_all(*parts.preconditioners);
  return named;
}

std::string legal_values(const Option& option, const SolverParts& parts) {
  return std::visit(
      Overloaded{
          [&](std::string SolverOptions::*) {
            if (option.names == Names::Unknown)
              return fmt::format("an unknown, {}", AutoEliminated);
            std::string names;
            for (const NamedPart& part : named_parts(option, parts))
              names += fmt::format("{}, ", part.name);
            if (option.names == Names::LinearSolver) names += fmt::format("{}, ", AutoLinearSolver);
            return names + "unset";
          },
          [&](int SolverOptions::*) {
            return fmt::format("integer from {} to {}", option.range.low,
                               std::numeric_limits<int>::max());
          },
          [&](std::optional<int> SolverOptions::*) {
            return fmt::format("integer from {} to {}, unset", option.range.low,
                               std::numeric_limits<int>::max());
          },
          [&](double SolverOptions::*) { return fmt::format("number {}", option.range.text()); },
          [&](std::optional<double> SolverOptions::*) {
            return fmt::format("number {}, unset", option.range.text());
          },
          [](SolverKind SolverOptions::*) {
            return fmt::format("{}", fmt::join(solver_kind_texts(), ", "));
          },
          [](bool SolverOptions::*) { return std::string("true, false"); }},
      option.member);
}

// The documentation of an option, with what each item is that it can name.
std::string doc_of(const Option& option, const SolverParts& parts) {
  const auto solver = option.solver();
  std::string doc =
      solver ? fmt::format("{}: {}", to_string(*solver), option.doc) : std::string(option.doc);
  for (const NamedPart& part : named_parts(option, parts))
    doc += fmt::format("; {}: {}", part.name, part.doc);
  return doc;
}

// The value of the first argument's type that `text` spells; absent when there is none.
std::optional<int> parse_as(int, std::string_view text) { return parse_number<int>(text); }
std::optional<double> parse_as(double, std::string_view text) { return parse_number<double>(text); }
std::optional<SolverKind> parse_as(SolverKind, std::string_view spelled) {
  for (const auto& [kind, text] : SolverKinds) {
    if (text == spelled) return kind;
  }
  return std::nullopt;
}
template <class Number>
std::optional<std::optional<Number>> parse_as(std::optional<Number>, std::string_view text) {
  if (text == "unset") return std::optional<Number>{};
  if (const auto value = parse_number<Number>(text)) return value;
  return std::nullopt;
}
std::optional<bool> parse_as(bool, std::string_view text) { return parse_bool(text); }
// Linear solvers that were there once, and that others have become sooner than everywhere.
constexpr std::string_view FormerLinearSolvers[] = {"amg_pcg", "supernodal_cholesky"};

std::optional<std::string> parse_name(const Option& option, std::string_view text,
                                      const SolverParts& parts) {
  // Which unknowns there are is known with the energy only.
  if (option.names == Names::Unknown)
    return text.empty() ? std::nullopt : std::optional(std::string(text));
  if (text == "unset") return std::string();
  const bool is_auto = option.names == Names::LinearSolver && text == AutoLinearSolver;
  const std::vector<NamedPart> named = named_parts(option, parts);
  const bool is_known = std::ranges::find(named, text, &NamedPart::name) != named.end();
  if (option.names == Names::LinearSolver && !is_known &&
      std::ranges::find(FormerLinearSolvers, text) != std::end(FormerLinearSolvers)) {
    logger("solve").warn("linear_solver {} is no longer there; it counts as {}", text,
                         AutoLinearSolver);
    return std::string(AutoLinearSolver);
  }
  return is_auto || is_known ? std::optional(std::string(text)) : std::nullopt;
}

bool in_range(const Range& range, double value) { return range.holds(value); }
template <class Number>
bool in_range(const Range& range, const std::optional<Number>& value) {
  return !value || range.holds(*value);
}
bool in_range(const Range&, const std::string&) { return true; }
bool in_range(const Range&, SolverKind) { return true; }

std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(int value) { return fmt::format("{}", value); }
std::string value_text(double value) { return fmt::format("{}", value); }
template <class Number>
std::string value_text(const std::optional<Number>& value) {
  return value ? value_text(*value) : "unset";
}
std::string value_text(const std::string& name) { return name.empty() ? "unset" : name; }
std::string value_text(SolverKind kind) { return std::string(to_string(kind)); }

}  // namespace

std::string_view to_string(SolverKind kind) {
  return std::ranges::find(SolverKinds, kind, &std::pair<SolverKind, std::string_view>::first)
      ->second;
}

SolverOptions SolverOptions::until_converged() {
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.linear_solver = AutoLinearSolver;
  options.num_iterations = 500;
  options.num_linear_iterations = 1000;
  options.function_tolerance = 1e-6;
  options.gradient_tolerance = 1e-10;
  options.parameter_tolerance = 1e-15;
  options.q_tolerance = 1e-2;
  options.residual_tolerance = 1e-6;
  return options;
}

Expected<void> SolverOptions::set(std::string_view name, std::string_view text,
                                  const SolverParts& parts) {
  const Option* option = find_option(name);
  if (!option)
    return fail(unknown_name("no solver option", name, names_of(AllOptions, &Option::name)));
  return std::visit(
      [&](auto member) -> Expected<void> {
        const auto value = [&] {
          if constexpr (std::is_same_v<decltype(member), std::string SolverOptions::*>) {
            return parse_name(*option, text, parts);
          } else {
            return parse_as(this->*member, text);
          }
        }();
        if (!value || !in_range(option->range, *value)) {
          return fail(Diagnostic{fmt::format("solver option {} cannot be '{}'", name, text),
                                 {},
                                 {legal_values(*option, parts)}});
        }
        this->*member = *value;
        named.insert(std::string(name));
        if (option->is_of_pcg() && chooses_linear_solver() && !named.contains("linear_solver"))
          linear_solver = pcg_solver()->name();
        return {};
      },
      option->member);
}

bool operator==(const SolverOptions& a, const SolverOptions& b) {
  return std::ranges::all_of(AllOptions, [&](const Option& option) {
    return std::visit([&](auto member) { return a.*member == b.*member; }, option.member);
  });
}

std::string SolverOptions::text(std::string_view name) const {
  const Option* option = find_option(name);
  THALLO_ASSERT(option, "no solver option '{}'", name);
  return std::visit([this](auto member) { return value_text(this->*member); }, option->member);
}

Expected<void> SolverOptions::validate() const {
  std::vector<std::string> faults;
  for (const Option& option : AllOptions) {
    std::visit(
        [&](auto member) {
          if (in_range(option.range, this->*member)) return;
          faults.push_back(fmt::format("SolverOptions: {} = {}, must be {}", option.name,
                                       value_text(this->*member), option.range.text()));
        },
        option.member);
  }
  if (min_trust_region_radius > max_trust_region_radius) {
    faults.push_back(fmt::format(
        "SolverOptions: min_trust_region_radius = {} exceeds max_trust_region_radius = {}",
        min_trust_region_radius, max_trust_region_radius));
  }
  if (min_lm_diagonal > max_lm_diagonal) {
    faults.push_back(fmt::format("SolverOptions: min_lm_diagonal = {} exceeds max_lm_diagonal = {}",
                                 min_lm_diagonal, max_lm_diagonal));
  }
  if (faults.empty()) return {};
  return fail("{}", fmt::join(faults, "\n"));
}

std::vector<SolverOptionInfo> solver_option_infos(const SolverParts& parts) {
  std::vector<SolverOptionInfo> result;
  for (const Option& option : AllOptions)
    result.push_back({option.name, doc_of(option, parts), legal_values(option, parts)});
  return result;
}

bool SolverOptions::chooses_linear_solver() const {
  return linear_solver.empty() || linear_solver == AutoLinearSolver;
}

std::vector<std::string_view> SolverOptions::named_in_vain(bool solves_directly) const {
  const bool is_without_pcg = solves_directly && loose_iterations.value_or(0) == 0;
  std::vector<std::string_view> names;
  for (const Option& option : AllOptions) {
    const bool has_effect =
        !(option.is_of_pcg() && is_without_pcg) && option.solver().value_or(solver) == solver;
    if (!has_effect && named.contains(option.name)) names.push_back(option.name);
  }
  return names;
}

bool SolverOptions::names_pcg() const {
  const SolverOptions unnamed;
  return std::ranges::any_of(AllOptions, [&](const Option& option) {
    return option.is_of_pcg() &&
           std::visit([&](auto member) { return this->*member != unnamed.*member; }, option.member);
  });
}

}  // namespace thallo
