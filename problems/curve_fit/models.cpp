#include "problems/curve_fit/models.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thallo::curve_fit {
namespace {

// With these, exp(...) below is std::exp for numbers and, found by its argument, ours for Expr.
using std::atan;
using std::cos;
using std::exp;
using std::pow;
using std::sin;

constexpr double Pi = std::numbers::pi;

// A captureless formula (b, x) → value, taken twice: for expressions and for numbers.
template <class Formula>
constexpr Model make_model(std::string_view name, std::string_view text, int num_parameters,
                           Formula formula, int num_predictors = 1, bool log_response = false) {
  return {name, text, num_parameters, num_predictors, log_response, formula, formula};
}

constexpr Model Models[] = {
    make_model("bennett", "b1 * (b2+x)^(-1/b3)", 3,
               [](const auto& b, const auto& x) { return b[1] * pow(b[2] + x[1], -1.0 / b[3]); }),
    make_model("cubic_over_cubic", "(b1+b2*x+b3*x^2+b4*x^3) / (1+b5*x+b6*x^2+b7*x^3)", 7,
               [](const auto& b, const auto& x) {
                 return (b[1] + x[1] * (b[2] + x[1] * (b[3] + x[1] * b[4]))) /
                        (1.0 + x[1] * (b[5] + x[1] * (b[6] + x[1] * b[7])));
               }),
    make_model(
        "exponential_over_linear", "exp(-b1*x) / (b2+b3*x)", 3,
        [](const auto& b, const auto& x) { return exp(-b[1] * x[1]) / (b[2] + b[3] * x[1]); }),
    make_model("exponential_reciprocal", "b1 * exp(b2/(x+b3))", 3,
               [](const auto& b, const auto& x) { return b[1] * exp(b[2] / (x[1] + b[3])); }),
    make_model("exponential_rise", "b1 * (1-exp(-b2*x))", 2,
               [](const auto& b, const auto& x) { return b[1] * (1.0 - exp(-b[2] * x[1])); }),
    make_model("gaussian", "(b1/b2) * exp(-0.5*((x-b3)/b2)^2)", 3,
               [](const auto& b, const auto& x) {
                 return b[1] / b[2] * exp(-0.5 * pow((x[1] - b[3]) / b[2], 2));
               }),
    make_model(
        "hyperbola", "b1*b2*x / (1+b2*x)", 2,
        [](const auto& b, const auto& x) { return b[1] * b[2] * x[1] / (1.0 + b[2] * x[1]); }),
    make_model("inverse_root_rise", "b1 * (1-(1+2*b2*x)^(-1/2))", 2,
               [](const auto& b, const auto& x) {
                 return b[1] * (1.0 - pow(1.0 + 2.0 * b[2] * x[1], -0.5));
               }),
    make_model("inverse_square_rise", "b1 * (1-(1+b2*x/2)^(-2))", 2,
               [](const auto& b, const auto& x) {
                 return b[1] * (1.0 - pow(1.0 + b[2] * x[1] / 2.0, -2));
               }),
    make_model("linear_and_arctan", "b1 - b2*x - arctan(b3/(x-b4))/pi", 4,
               [](const auto& b, const auto& x) {
                 return b[1] - b[2] * x[1] - atan(b[3] / (x[1] - b[4])) / Pi;
               }),
    make_model("logistic", "b1 / (1+exp(b2-b3*x))", 3,
               [](const auto& b, const auto& x) { return b[1] / (1.0 + exp(b[2] - b[3] * x[1])); }),
    make_model(
        "nelson", "log(y) = b1 - b2*x1*exp(-b3*x2)", 3,
        [](const auto& b, const auto& x) { return b[1] - b[2] * x[1] * exp(-b[3] * x[2]); }, 2,
        true),
    make_model("power", "b1 * x^b2", 2,
               [](const auto& b, const auto& x) { return b[1] * pow(x[1], b[2]); }),
    make_model("quadratic_over_quadratic", "(b1+b2*x+b3*x^2) / (1+b4*x+b5*x^2)", 5,
               [](const auto& b, const auto& x) {
                 return (b[1] + x[1] * (b[2] + x[1] * b[3])) / (1.0 + x[1] * (b[4] + x[1] * b[5]));
               }),
    make_model("quadratic_over_quadratic_monic", "b1 * (x^2+b2*x) / (x^2+b3*x+b4)", 4,
               [](const auto& b, const auto& x) {
                 return b[1] * (x[1] * (x[1] + b[2])) / (x[1] * (x[1] + b[3]) + b[4]);
               }),
    make_model("richards", "b1 / (1+exp(b2-b3*x))^(1/b4)", 4,
               [](const auto& b, const auto& x) {
                 return b[1] / pow(1.0 + exp(b[2] - b[3] * x[1]), 1.0 / b[4]);
               }),
    make_model("three_cycles",
               "b1 + b2*cos(2*pi*x/12) + b3*sin(2*pi*x/12) + b5*cos(2*pi*x/b4) + "
               "b6*sin(2*pi*x/b4) + b8*cos(2*pi*x/b7) + b9*sin(2*pi*x/b7)",
               9,
               [](const auto& b, const auto& x) {
                 const auto t = 2.0 * Pi * x[1];
                 return b[1] + b[2] * cos(t / 12.0) + b[3] * sin(t / 12.0) + b[5] * cos(t / b[4]) +
                        b[6] * sin(t / b[4]) + b[8] * cos(t / b[7]) + b[9] * sin(t / b[7]);
               }),
    make_model("three_exponentials", "b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)", 6,
               [](const auto& b, const auto& x) {
                 return b[1] * exp(-b[2] * x[1]) + b[3] * exp(-b[4] * x[1]) +
                        b[5] * exp(-b[6] * x[1]);
               }),
    make_model("two_exponentials", "b1 + b2*exp(-b4*x) + b3*exp(-b5*x)", 5,
               [](const auto& b, const auto& x) {
                 return b[1] + b[2] * exp(-b[4] * x[1]) + b[3] * exp(-b[5] * x[1]);
               }),
    make_model("two_peaks", "b1*exp(-b2*x) + b3*exp(-(x-b4)^2/b5^2) + b6*exp(-(x-b7)^2/b8^2)", 8,
               [](const auto& b, const auto& x) {
                 return b[1] * exp(-b[2] * x[1]) + b[3] * exp(-pow((x[1] - b[4]) / b[5], 2)) +
                        b[6] * exp(-pow((x[1] - b[7]) / b[8], 2));
               }),
};

constexpr NistSet NistSets[] = {
    {"Misra1a", "lower", "exponential_rise"},
    {"Chwirut2", "lower", "exponential_over_linear"},
    {"Chwirut1", "lower", "exponential_over_linear"},
    {"Lanczos3", "lower", "three_exponentials"},
    {"Gauss1", "lower", "two_peaks"},
    {"Gauss2", "lower", "two_peaks"},
    {"DanWood", "lower", "power"},
    {"Misra1b", "lower", "inverse_square_rise"},
    {"Kirby2", "average", "quadratic_over_quadratic"},
    {"Hahn1", "average", "cubic_over_cubic"},
    {"Nelson", "average", "nelson"},
    {"MGH17", "average", "two_exponentials"},
    {"Lanczos1", "average", "three_exponentials"},
    {"Lanczos2", "average", "three_exponentials"},
    {"Gauss3", "average", "two_peaks"},
    {"Misra1c", "average", "inverse_root_rise"},
    {"Misra1d", "average", "hyperbola"},
    {"Roszman1", "average", "linear_and_arctan"},
    {"ENSO", "average", "three_cycles"},
    {"MGH09", "higher", "quadratic_over_quadratic_monic"},
    {"Thurber", "higher", "cubic_over_cubic"},
    {"BoxBOD", "higher", "exponential_rise"},
    {"Rat42", "higher", "logistic"},
    {"MGH10", "higher", "exponential_reciprocal"},
    {"Eckerle4", "higher", "gaussian"},
    {"Rat43", "higher", "richards"},
    {"Bennett5", "higher", "bennett"},
};

template <class Entry>
const Entry* find_by_name(std::span<const Entry> entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Model> models() { return Models; }
const Model* find_model(std::string_view name) { return find_by_name(models(), name); }

std::span<const NistSet> nist_sets() { return NistSets; }
const NistSet* find_nist_set(std::string_view name) { return find_by_name(nist_sets(), name); }

}  // namespace thallo::curve_fit
