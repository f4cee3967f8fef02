#include "core/cli/output/numbers_output.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/io/matrix_market.h"
#include "core/base/io/npy.h"
#include "core/cli/flags/help_formatter.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/json_text.h"
#include "core/cli/require.h"
#include "core/energy/evaluate/evaluator.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// Identifies a row or a column, for people and for programs.
struct Label {
  std::string text;
  Json json;
};

struct NamedMatrix {
  std::string name;  // "jacobian"
  std::vector<Label> rows, columns;
  std::variant<SparseMatrix, std::vector<double>> values;  // a vector has no columns
  Symmetry symmetry = Symmetry::General;
};

const char* name_of(Numbers what) {
  switch (what) {
    case Numbers::Jacobian: return "jacobian";
    case Numbers::Gradient: return "gradient";
    case Numbers::Jtj: return "jtj";
  }
  THALLO_UNREACHABLE();
}

// Refuses numbers beyond the limit.
class Limit {
 public:
  Limit(Numbers what, const Energy& energy, std::int64_t most)
      : whose_(fmt::format("{} of '{}'", name_of(what), energy.name())), most_(most) {}

  void check(std::int64_t count, const char* things) const {
    if (count <= most_) return;
    refuse(fmt::format("it has {} {}", count, things), "take a smaller instance");
  }
  // `entries` is absent if counting stopped early.
  void check_entries(std::optional<std::size_t> entries) const {
    if (entries && std::cmp_less_equal(*entries, most_)) return;
    refuse(entries ? fmt::format("it has {} entries", *entries) : "it has more entries",
           "take a smaller instance");
  }
  void check_dense(std::int64_t rows, std::int64_t columns) const {
    if (columns == 0 || rows <= most_ / columns) return;
    refuse(fmt::format("it has {} x {} numbers in a .npy file", rows, columns),
           "write its entries alone (--mtx)");
  }
  std::size_t most() const { return static_cast<std::size_t>(most_); }

 private:
  void refuse(const std::string& found, const char* instead) const {
    throw UserError(fmt::format("{}: {}, and the limit is {}; {}, or raise --limit", whose_, found,
                                most_, instead));
  }

  std::string whose_;
  std::int64_t most_;
};

std::vector<Label> labels_of_residuals(const Energy& energy, const EnergyEvaluator& evaluator,
                                       const Linearization& at) {
  std::vector<Label> labels;
  for (std::size_t row = 0; row < at.rows().size(); ++row) {
    const ResidualPlace place = evaluator.place(static_cast<std::int64_t>(row));
    const std::string& group = energy.groups()[place.group].name;
    const double value = at.rows()[row].residual.value;
    const double weight = at.rows()[row].weight.value;
    std::string text = fmt::format("{}[{}] at ({}) = {}", group, place.residual,
                                   fmt::join(place.point, ", "), value);
    if (weight != 1) text += fmt::format(", weight {}", weight);
    labels.push_back({std::move(text),
                      {{"group", group},
                       {"residual", place.residual},
                       {"point", place.point},
                       {"value", value},
                       {"weight", weight}}});
  }
  return labels;
}

std::vector<Label> labels_of_unknowns(const Energy& energy, const Binding& binding,
                                      EnergyEvaluator& evaluator) {
  const std::vector<std::uint8_t> excluded = evaluator.excluded();
  std::vector<Label> labels;
  for (std::size_t column = 0; column < excluded.size(); ++column) {
    const UnknownEntry entry = evaluator.layout().entry(static_cast<std::int64_t>(column));
    const Field& unknown = energy.field(entry.unknown);
    const std::vector<std::int64_t> element = binding.coordinates(unknown.dims, entry.element);
    const bool is_excluded = excluded[column] != 0;
    labels.push_back({fmt::format("{}({}) channel {}{}", unknown.name, fmt::join(element, ", "),
                                  entry.channel, is_excluded ? ", excluded" : ""),
                      {{"unknown", unknown.name},
                       {"element", element},
                       {"channel", entry.channel},
                       {"is_excluded", is_excluded}}});
  }
  return labels;
}

NamedMatrix evaluate(Numbers what, const Energy& energy, const Binding& binding,
                     const NumbersFlags& flags) {
  const Limit limit(what, energy, flags.limit);
  EnergyEvaluator evaluator(energy, binding);
  const std::int64_t num_unknowns = evaluator.layout().size();
  limit.check(evaluator.num_residuals(), "residuals");
  limit.check(num_unknowns, "unknowns");
  if (!flags.npy.empty() && what != Numbers::Gradient) {
    limit.check_dense(what == Numbers::Jtj ? num_unknowns : evaluator.num_residuals(),
                      num_unknowns);
  }

  const Linearization at = evaluator.linearize();
  NamedMatrix matrix{.name = name_of(what)};
  std::vector<Label> unknowns = labels_of_unknowns(energy, binding, evaluator);
  if (what == Numbers::Gradient) {
    matrix.values = at.jtf();
    matrix.rows = std::move(unknowns);
  } else if (what == Numbers::Jacobian) {
    SparseMatrix jacobian = at.jacobian();
    limit.check_entries(jacobian.num_entries());
    matrix.values = std::move(jacobian);
    matrix.rows = labels_of_residuals(energy, evaluator, at);
    matrix.columns = std::move(unknowns);
  } else {
    auto jtj = at.jtj(limit.most());
    if (!jtj) limit.check_entries({});
    matrix.values = *std::move(jtj);
    matrix.rows = unknowns;
    matrix.columns = std::move(unknowns);
    matrix.symmetry = Symmetry::Symmetric;
  }
  return matrix;
}

std::string comment_of(const NamedMatrix& matrix, const Energy& energy) {
  std::string text = fmt::format("{} of '{}'\n", matrix.name, energy.name());
  const auto add = [&](const char* what, const std::vector<Label>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      text += fmt::format("{} {}: {}\n", what, i + 1, labels[i].text);
  };
  add("row", matrix.rows);
  // The columns of a symmetric matrix have the same labels as its rows.
  if (matrix.symmetry == Symmetry::General) add("column", matrix.columns);
  return text;
}

std::string mtx_text(const NamedMatrix& matrix, const Energy& energy) {
  const std::string comment = comment_of(matrix, energy);
  if (const auto* vector = std::get_if<std::vector<double>>(&matrix.values))
    return matrix_market_text(*vector, comment);
  return matrix_market_text(std::get<SparseMatrix>(matrix.values), matrix.symmetry, comment);
}

NpyArray npy_array(const NamedMatrix& matrix) {
  if (const auto* vector = std::get_if<std::vector<double>>(&matrix.values))
    return {{static_cast<std::int64_t>(vector->size())}, *vector};
  const auto& sparse = std::get<SparseMatrix>(matrix.values);
  return {{sparse.num_rows(), sparse.num_columns}, sparse.to_dense()};
}

std::string json_text(const NamedMatrix& matrix, const Energy& energy) {
  const auto all = [](const std::vector<Label>& labels) {
    Json list = Json::array();
    for (const Label& label : labels) list.push_back(label.json);
    return list;
  };
  Json json = {{"energy", energy.name()}, {"what", matrix.name}, {"rows", all(matrix.rows)}};
  if (const auto* vector = std::get_if<std::vector<double>>(&matrix.values)) {
    json["values"] = *vector;
    return dumped(json, -1) + "\n";
  }
  json["columns"] = all(matrix.columns);
  json["entries"] = Json::array();
  const auto& sparse = std::get<SparseMatrix>(matrix.values);
  for (std::size_t row = 0; row + 1 < sparse.offsets.size(); ++row) {
    for (std::size_t k = sparse.offsets[row]; k < sparse.offsets[row + 1]; ++k)
      json["entries"].push_back({row, sparse.columns[k], sparse.values[k]});
  }
  return dumped(json, -1) + "\n";
}

}  // namespace

void NumbersFlags::add_to(CLI::App& command) {
  const HelpGroup group(command, "Numbers of jacobian, gradient and jtj");
  add_value(command, "--mtx", mtx, "FILE", "write them as text of the Matrix Market, sparse");
  add_value(command, "--npy", npy, "FILE", "write them as an array of NumPy, dense");
  add_count(command, "--limit", limit,
            fmt::format("residuals, unknowns and numbers there may be at most [{}]", limit));
}

void print_numbers(Numbers what, const Energy& energy, const Binding& binding,
                   const NumbersFlags& flags, bool json) {
  require(binding.validate(energy));
  const NamedMatrix matrix = evaluate(what, energy, binding, flags);
  if (!flags.npy.empty()) require(write_npy(flags.npy, npy_array(matrix)));
  if (!flags.mtx.empty()) require(write_file(flags.mtx, mtx_text(matrix, energy)));
  if (json) {
    fmt::print("{}", json_text(matrix, energy));
  } else if (flags.npy.empty() && flags.mtx.empty()) {
    fmt::print("{}", mtx_text(matrix, energy));
  }
}

}  // namespace thallo::cli
