#include "core/solve/options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

template <class Enum>
struct KindName {
  Enum value;
  std::string_view text;
};

constexpr KindName<SolverKind> SolverKinds[] = {{SolverKind::GaussNewton, "gn"},
                                                {SolverKind::LevenbergMarquardt, "lm"}};
constexpr KindName<PreconditionerKind> PreconditionerKinds[] = {
    {PreconditionerKind::None, "none"},
    {PreconditionerKind::Jacobi, "jacobi"},
    {PreconditionerKind::BlockJacobi, "block_jacobi"},
    {PreconditionerKind::Multigrid, "multigrid"}};

std::span<const KindName<SolverKind>> spellings(SolverKind) { return SolverKinds; }
std::span<const KindName<PreconditionerKind>> spellings(PreconditionerKind) {
  return PreconditionerKinds;
}

template <class Enum>
std::vector<std::string> texts_of() {
  std::vector<std::string> texts;
  for (const auto& kind_name : spellings(Enum{})) texts.emplace_back(kind_name.text);
  return texts;
}

template <class Enum>
std::string_view spell(Enum value) {
  for (const auto& kind_name : spellings(Enum{})) {
    if (kind_name.value == value) return kind_name.text;
  }
  THALLO_UNREACHABLE();
}

template <class Enum>
Expected<Enum> parse_spelling(std::string_view what, std::string_view text) {
  for (const auto& kind_name : spellings(Enum{})) {
    if (kind_name.text == text) return kind_name.value;
  }
  const auto legal = texts_of<Enum>();
  return fail(
      Diagnostic{fmt::format("no {} '{}'{}", what, text, did_you_mean(text, legal)), {}, legal});
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
constexpr Range AtLeastZero{};
constexpr Range AboveZero{0, false};
constexpr Range AtLeastOne{1};
constexpr Range AtLeastThree{3};
constexpr Range AboveOne{1, false};

using Member = std::variant<int SolverOptions::*, double SolverOptions::*,
                            std::optional<double> SolverOptions::*, SolverKind SolverOptions::*,
                            std::optional<PreconditionerKind> SolverOptions::*,
                            std::string SolverOptions::*>;  // the last: linear_solver, eliminate

struct Option {
  std::string_view name;
  Member member;
  Range range;  // for numbers; unused for enumerators and names
  std::string_view doc;
  bool is_of_pcg = false;
  bool names_unknown = false;
  std::optional<SolverKind> of = {};  // the only solver that has it
};

const Option AllOptions[] = {
    {"solver", &SolverOptions::solver, {}, "Gauss-Newton or Levenberg-Marquardt"},
    {"linear_solver",
     &SolverOptions::linear_solver,
     {},
     "what solves for a step; auto, or unset where no option of pcg is set: as the problem wants"},
    {"preconditioner",
     &SolverOptions::preconditioner,
     {},
     "of pcg: none, the diagonal, the diagonal block of every element, or multigrid for unknowns "
     "over one grid; unset: jacobi, or none where the energy asks for it",
     true},
    {"eliminate",
     &SolverOptions::eliminate,
     {},
     "of schur_pcg and schur_cholesky: all unknowns over the dims of this one are eliminated; "
     "auto: the most that can be",
     false,
     true},
    {"nIterations", &SolverOptions::num_iterations, AtLeastZero,
     "nonlinear iterations; lm counts rejected steps too"},
    {"lIterations", &SolverOptions::num_linear_iterations, AtLeastZero,
     "linear iterations (pcg) per nonlinear iteration", true},
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
     true, false, SolverKind::LevenbergMarquardt},
    {"residual_tolerance", &SolverOptions::residual_tolerance, AtLeastZero,
     "pcg stops when |r| <= tolerance * |b|; 0 = at 1e-15 |b|, where nothing is left", true},
    {"residual_reset_period", &SolverOptions::residual_reset_period, AtLeastZero,
     "pcg computes its residual anew every so many iterations; 0 = never", true, false,
     SolverKind::LevenbergMarquardt},
    {"max_step_halvings", &SolverOptions::max_step_halvings, AtLeastZero,
     "a step that raises the cost is halved up to this many times; 0 = steps are taken as they "
     "are",
     false, false, SolverKind::GaussNewton},
    {"max_step_lengthening", &SolverOptions::max_step_lengthening, AtLeastOne,
     "a step that lowers the cost by much more than the model promised is made up to this many "
     "times as long; 1 = steps are taken as they are",
     false, false, SolverKind::LevenbergMarquardt},
    {"trust_region_radius", &SolverOptions::trust_region_radius, AboveZero,
     "radius at the start, 1 / lambda", false, false, SolverKind::LevenbergMarquardt},
    {"min_trust_region_radius", &SolverOptions::min_trust_region_radius, AboveZero,
     "stop when the radius falls below this", false, false, SolverKind::LevenbergMarquardt},
    {"max_trust_region_radius", &SolverOptions::max_trust_region_radius, AboveZero,
     "the radius grows no further", false, false, SolverKind::LevenbergMarquardt},
    {"max_radius_growth", &SolverOptions::max_radius_growth, AtLeastThree,
     "the radius grows by this after a step that changes the cost exactly as promised, and by 3 at "
     "most after others; above 3 it grows four times at once for a step that confirms the end",
     false, false, SolverKind::LevenbergMarquardt},
    {"radius_decrease_factor", &SolverOptions::radius_decrease_factor, AboveOne,
     "the radius is divided by this after a rejected step, and by twice as much after the next "
     "in a row",
     false, false, SolverKind::LevenbergMarquardt},
    {"min_relative_decrease", &SolverOptions::min_relative_decrease, AtLeastZero,
     "a step is accepted when the cost falls by more than this fraction of the model decrease",
     false, false, SolverKind::LevenbergMarquardt},
    {"min_lm_diagonal", &SolverOptions::min_lm_diagonal, AtLeastZero,
     "lower limit of the damping diagonal, times the first scale (l + sqrt d0)^2, l = min(1, "
     "|F|)",
     false, false, SolverKind::LevenbergMarquardt},
    {"max_lm_diagonal", &SolverOptions::max_lm_diagonal, AboveZero,
     "upper limit of the damping diagonal, times the first scale", false, false,
     SolverKind::LevenbergMarquardt},
};

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const Option& option : AllOptions) names.emplace_back(option.name);
  return names;
}

const Option* find_option(std::string_view name) {
  const auto* found = std::ranges::find(AllOptions, name, &Option::name);
  return found == std::end(AllOptions) ? nullptr : found;
}

std::string legal_values(const Option& option, const LinearSolverRegistry& solvers) {
  return std::visit(
      Overloaded{
          [&](std::string SolverOptions::*) {
            if (option.names_unknown) return fmt::format("an unknown, {}", AutoEliminated);
            return fmt::format("{}, {}, unset", fmt::join(solvers.names(), ", "), AutoLinearSolver);
          },
          [&](int SolverOptions::*) {
            return fmt::format("integer from {} to {}", option.range.low,
                               std::numeric_limits<int>::max());
          },
          [&](double SolverOptions::*) { return fmt::format("number {}", option.range.text()); },
          [&](std::optional<double> SolverOptions::*) {
            return fmt::format("number {}, unset", option.range.text());
          },
          []<class Enum>(Enum SolverOptions::*) {
            return fmt::format("{}", fmt::join(texts_of<Enum>(), ", "));
          },
          []<class Enum>(std::optional<Enum> SolverOptions::*) {
            return fmt::format("{}, unset", fmt::join(texts_of<Enum>(), ", "));
          }},
      option.member);
}

// The documentation of an option. That of linear_solver has what each solver is.
std::string doc_of(const Option& option, const LinearSolverRegistry& solvers) {
  std::string doc = option.of ? fmt::format("{}: {}", to_string(*option.of), option.doc)
                              : std::string(option.doc);
  if (option.names_unknown || !std::holds_alternative<std::string SolverOptions::*>(option.member))
    return doc;
  for (const auto* entry : solvers.entries())
    doc += fmt::format("; {}: {}", entry->name, entry->item->doc());
  return doc;
}

// The value of the first argument's type that `text` spells; absent when there is none.
std::optional<int> parse_as(int, std::string_view text) { return parse_number<int>(text); }
std::optional<double> parse_as(double, std::string_view text) { return parse_number<double>(text); }
template <class Enum>
std::optional<Enum> parse_as(Enum, std::string_view text) {
  for (const auto& kind_name : spellings(Enum{})) {
    if (kind_name.text == text) return kind_name.value;
  }
  return std::nullopt;
}
std::optional<std::string> parse_name(const Option& option, std::string_view text,
                                      const LinearSolverRegistry& solvers) {
  // Which unknowns there are is known with the energy only.
  if (option.names_unknown) return text.empty() ? std::nullopt : std::optional(std::string(text));
  if (text == "unset") return std::string();
  if (text == AutoLinearSolver || solvers.find(text) != nullptr) return std::string(text);
  return std::nullopt;
}
template <class T>
std::optional<std::optional<T>> parse_as(std::optional<T>, std::string_view text) {
  if (text == "unset") return std::optional<T>{};
  if (auto value = parse_as(T{}, text)) return std::optional<T>{*value};
  return std::nullopt;
}

bool in_range(const Range& range, int value) { return range.holds(value); }
bool in_range(const Range& range, double value) { return range.holds(value); }
bool in_range(const Range&, const std::string&) { return true; }
template <class Enum>
bool in_range(const Range&, Enum) {
  return true;
}
template <class T>
bool in_range(const Range& range, const std::optional<T>& value) {
  return !value || in_range(range, *value);
}

std::string value_text(int value) { return fmt::format("{}", value); }
std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(const std::string& name) { return name.empty() ? "unset" : name; }
template <class Enum>
std::string value_text(Enum value) {
  return std::string(spell(value));
}
template <class T>
std::string value_text(const std::optional<T>& value) {
  return value ? value_text(*value) : "unset";
}

}  // namespace

std::string_view to_string(SolverKind kind) { return spell(kind); }
std::string_view to_string(PreconditionerKind kind) { return spell(kind); }

Expected<SolverKind> parse_solver_kind(std::string_view text) {
  return parse_spelling<SolverKind>("solver", text);
}
Expected<PreconditionerKind> parse_preconditioner_kind(std::string_view text) {
  return parse_spelling<PreconditionerKind>("preconditioner", text);
}

SolverOptions SolverOptions::until_converged() {
  return {.solver = SolverKind::LevenbergMarquardt,
          .linear_solver = std::string(AutoLinearSolver),
          .num_iterations = 500,
          .num_linear_iterations = 1000,
          .function_tolerance = 1e-6,
          .gradient_tolerance = 1e-10,
          .parameter_tolerance = 1e-15,
          .q_tolerance = 1e-2,
          .residual_tolerance = 1e-6};
}

bool SolverOptions::has_test() const {
  return effective_function_tolerance().value_or(0) > 0 || gradient_tolerance > 0 ||
         parameter_tolerance > 0;
}

bool SolverOptions::keeps_best_point() const {
  return solver == SolverKind::GaussNewton && max_step_halvings == 0 && has_test();
}

bool SolverOptions::pcg_has_test() const {
  const bool damped = solver == SolverKind::LevenbergMarquardt;
  return (damped && q_tolerance > 0) || residual_tolerance > 0;
}

std::optional<double> SolverOptions::effective_function_tolerance() const {
  if (function_tolerance) return function_tolerance;
  if (solver == SolverKind::LevenbergMarquardt) return 1e-6;
  return std::nullopt;
}

Expected<void> SolverOptions::set(std::string_view name, std::string_view text,
                                  const LinearSolverRegistry& solvers) {
  const Option* option = find_option(name);
  if (!option) {
    const auto names = option_names();
    return fail(Diagnostic{
        fmt::format("no solver option '{}'{}", name, did_you_mean(name, names)), {}, names});
  }
  return std::visit(
      [&](auto member) -> Expected<void> {
        const auto value = [&] {
          if constexpr (std::is_same_v<decltype(member), std::string SolverOptions::*>) {
            return parse_name(*option, text, solvers);
          } else {
            return parse_as(this->*member, text);
          }
        }();
        if (!value || !in_range(option->range, *value)) {
          return fail(Diagnostic{fmt::format("solver option {} cannot be '{}'", name, text),
                                 {},
                                 {legal_values(*option, solvers)}});
        }
        this->*member = *value;
        named.insert(std::string(name));
        if (option->is_of_pcg && chooses_linear_solver() && !named.contains("linear_solver"))
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

std::vector<SolverOptionInfo> solver_option_infos(const LinearSolverRegistry& solvers) {
  std::vector<SolverOptionInfo> result;
  for (const Option& option : AllOptions)
    result.push_back({option.name, doc_of(option, solvers), legal_values(option, solvers)});
  return result;
}

bool SolverOptions::chooses_linear_solver() const {
  return linear_solver.empty() || linear_solver == AutoLinearSolver;
}

std::vector<std::string_view> SolverOptions::named_in_vain(bool solves_directly) const {
  std::vector<std::string_view> names;
  for (const Option& option : AllOptions) {
    const bool has_effect =
        !(option.is_of_pcg && solves_directly) && option.of.value_or(solver) == solver;
    if (!has_effect && named.contains(option.name)) names.push_back(option.name);
  }
  return names;
}

bool SolverOptions::names_pcg() const {
  const SolverOptions unnamed;
  return std::ranges::any_of(AllOptions, [&](const Option& option) {
    return option.is_of_pcg &&
           std::visit([&](auto member) { return this->*member != unnamed.*member; }, option.member);
  });
}

}  // namespace thallo
