// The formulas of curve_fit. A formula is written once, as a template over the scalar: with Expr it
// becomes the energy's expression, with double the number for plots, reports and generated data.
// The 27 NIST data sets use 20 of them (Misra1a and BoxBOD are the same curve, and so on).
#pragma once

#include <span>
#include <string_view>

#include "core/energy/builder.h"

namespace thallo::curve_fit {

// b[1], b[2] ...: counted from 1 as in the published formulas; also x[1], x[2] for predictors.
template <class T>
class Numbered {
 public:
  explicit Numbered(std::span<const T> values) : values_(values) {}
  const T& operator[](std::size_t k) const { return values_[k - 1]; }

 private:
  std::span<const T> values_;
};

struct Model {
  std::string_view name;
  std::string_view formula;  // as NIST prints it, for people
  int num_parameters;
  int num_predictors;
  bool log_response;  // the model is of log(y)

  Expr (*expression)(const Numbered<Expr>& b, const Numbered<Expr>& x);
  double (*value)(const Numbered<double>& b, const Numbered<double>& x);
};

// Sorted by name.
std::span<const Model> models();
// Null when there is none.
const Model* find_model(std::string_view name);

struct NistSet {
  std::string_view name;   // of the file without .dat
  std::string_view level;  // NIST's difficulty: lower, average, higher
  std::string_view model;
};

// The 27 data sets, by difficulty as NIST lists them.
std::span<const NistSet> nist_sets();
const NistSet* find_nist_set(std::string_view name);

}  // namespace thallo::curve_fit
