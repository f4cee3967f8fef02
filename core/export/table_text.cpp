#include "core/export/parts.h"

#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/energy/access.h"

namespace thallo {
namespace {

class TableText {
 public:
  explicit TableText(const ExportNames& names)
      : names_(names), program_(names.program()), indices_(program_.graph.indices()) {}

  std::string text() {
    std::string text;
    for (std::size_t p = 0; p < program_.patterns.size(); ++p) text += pattern(p);
    for (const BlockProducts& products : program_.block_products) text += pairs(products);
    return text;
  }

 private:
  static std::string blocks(std::size_t pattern) { return fmt::format("blocks{}", pattern); }
  std::string extent(DimId dim) const { return "m." + names_.dim(dim); }

  std::string pattern(std::size_t number) {
    const BlockPattern& pattern = program_.patterns[number];
    std::string text = fmt::format(
        "  // The blocks of {0}: pairs of elements that meet.\n"
        "  std::vector<std::int32_t> rows{1}, cols{1};\n",
        pattern.name, number);
    for (const BlockPattern::Meeting& meeting : pattern.meetings) text += pairs_of(meeting, number);
    text += fmt::format(
        "  const BlockList {0} = find_blocks(rows{1}, cols{1}, {2}, {3});\n"
        "  m.{4} = std::int64_t({0}.rows.size());\n"
        "  m.{5} = program.keep(coordinates_of({0}.rows, {6}));\n"
        "  m.{7} = program.keep(coordinates_of({0}.cols, {8}));\n",
        blocks(number), number, names_.num_points(program_.field(pattern.row).dims),
        names_.num_points(program_.field(pattern.col).dims), names_.dim(pattern.blocks),
        names_.map(pattern.row_element), extents(pattern.row), names_.map(pattern.col_element),
        extents(pattern.col));
    std::string begin = blocks(number) + ".block_of.begin()";
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      std::vector<DimId> dims;
      for (const DomainId domain : meeting.domains) dims.push_back(indices_.domain(domain).dim);
      const std::string end = fmt::format("{} + ({})", begin, names_.num_points(dims));
      text += fmt::format("  m.{} = program.keep({{{}, {}}});\n", names_.map(meeting.block), begin,
                          end);
      begin = end;
    }
    return text;
  }

  // A loop over the points of a meeting, the first domain fastest.
  std::string pairs_of(const BlockPattern::Meeting& meeting, std::size_t number) {
    const BlockPattern& pattern = program_.patterns[number];
    std::string text, space = "  ";
    variables_.clear();
    for (std::size_t d = meeting.domains.size(); d-- > 0;) {
      const std::string variable = fmt::format("i{}", d);
      variables_[meeting.domains[d]] = variable;
      text += fmt::format("{0}for (std::int64_t {1} = 0; {1} < {2}; ++{1}) {{\n", space, variable,
                          extent(indices_.domain(meeting.domains[d]).dim));
      space += "  ";
    }
    std::vector<std::string> tests = tests_of(pattern.row, meeting.row);
    const std::vector<std::string> others = tests_of(pattern.col, meeting.col);
    tests.insert(tests.end(), others.begin(), others.end());
    const std::string is_inside =
        tests.empty() ? "true" : fmt::format("{}", fmt::join(tests, " && "));
    text += fmt::format(
        "{0}const bool is_inside = {1};\n"
        "{0}rows{2}.push_back(is_inside ? std::int32_t({3}) : -1);\n"
        "{0}cols{2}.push_back(is_inside ? std::int32_t({4}) : -1);\n",
        space, is_inside, number, element(program_.field(pattern.row).dims, meeting.row),
        element(program_.field(pattern.col).dims, meeting.col));
    for (std::size_t d = 0; d < meeting.domains.size(); ++d) {
      space.resize(space.size() - 2);
      text += space + "}\n";
    }
    return meeting.domains.empty() ? "  {\n" + text + "  }\n" : text;
  }

  std::string extents(FieldId field) const {
    std::vector<std::string> list;
    for (const DimId dim : program_.field(field).dims) list.push_back(extent(dim));
    return fmt::format("std::vector<std::int64_t>{{{}}}", fmt::join(list, ", "));
  }

  std::vector<std::string> tests_of(FieldId field, IndexId index) const {
    std::vector<std::string> tests;
    for (const BoundsTest& test :
         bounds_tests(indices_, program_.maps, program_.field(field).dims, index)) {
      tests.push_back(fmt::format("is_in({}, {})", affine(test.component), extent(test.dim)));
    }
    return tests;
  }

  // The linear number of an element.
  std::string element(const std::vector<DimId>& dims, IndexId index) const {
    const MultiIndex& components = indices_[index];
    std::string text;
    for (std::size_t d = dims.size(); d-- > 0;) {
      const std::string component = affine(components[d]);
      text = text.empty() ? component
                          : fmt::format("({}) * {} + {}", text, extent(dims[d]), component);
    }
    return text.empty() ? "0" : text;
  }

  std::string affine(const Affine& affine) const {
    std::string text;
    for (const AffineTerm& term : affine.terms) {
      if (!text.empty()) text += " + ";
      if (term.coefficient != 1) text += fmt::format("{} * ", term.coefficient);
      text += atom(indices_.atom(term.atom));
    }
    if (affine.constant == 0 && !text.empty()) return text;
    return text.empty() ? fmt::format("std::int64_t{{{}}}", affine.constant)
                        : fmt::format("{} + {}", text, affine.constant);
  }

  std::string atom(const Atom& atom) const {
    if (atom.is_domain()) return variables_.at(atom.domain);
    const SparseMap& map = program_.maps[atom.map.index()];
    const std::string at = element(map.in, atom.argument);
    if (map.out.size() == 1) return fmt::format("m.{}[{}]", names_.map(atom.map), at);
    return fmt::format("m.{}[({}) * {} + {}]", names_.map(atom.map), at, map.out.size(),
                       atom.output);
  }

  std::string pairs(const BlockProducts& products) const {
    const BlockPattern& first = program_.patterns[products.first];
    const BlockPattern& second = program_.patterns[products.second];
    return fmt::format(
        "  {{  // The pairs of blocks of {0} and {1} in one column.\n"
        "    const BlockPairs pairs = pair_blocks({2}, {3}, {4}, {5});\n"
        "    m.{6} = std::int64_t(pairs.first.size());\n"
        "    m.{7} = program.keep(coordinates_of(picked({2}.rows, pairs.first), {8}));\n"
        "    m.{9} = program.keep(coordinates_of(picked({3}.rows, pairs.second), {10}));\n"
        "    m.{11} = program.keep(pairs.first);\n"
        "    m.{12} = program.keep(pairs.second);\n  }}\n",
        first.name, second.name, blocks(products.first), blocks(products.second),
        names_.num_points(program_.field(second.col).dims),
        names_.num_points(program_.field(second.row).dims), names_.dim(products.products),
        names_.map(products.first_row), extents(first.row), names_.map(products.second_row),
        extents(second.row), names_.map(products.first_block), names_.map(products.second_block));
  }

  const ExportNames& names_;
  const KernelProgram& program_;
  const IndexTable& indices_;
  std::map<DomainId, std::string> variables_;  // of the loops around an index
};

}  // namespace

std::string table_text(const ExportNames& names) { return TableText(names).text(); }

}  // namespace thallo
