#include "core/cost/pricing/estimate/jtj_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// Keys of the tables of a JtJ that has several (step_builder.h).
constexpr int FirstOfSeveral = 1000;

class JtJSteps : PartKernels {
 public:
  JtJSteps(const PartContext& context, PartSteps& result) : PartKernels(context, result) {}

  void jtj() {
    switch (jtj_form(anatomy_.energy(), part_)) {
      case JtJForm::Diagonals: diagonals(); break;
      case JtJForm::Blocks: blocks(false); break;
      case JtJForm::Csr: blocks(true); break;
      case JtJForm::Matrix:
        fill_dense_jtj();
        multiply_dense_jtj();
        break;
    }
  }

  // What fills a JtJ computes: derivatives, or it reads a stored J, inside of Sums again for each
  // product.
  void compute_partials(StepBuilder& s, double times = 1) {
    if (!stores_j(part_.strategy)) return compute(s, efforts_.derivatives, times);
    s.at_point(Kind::Read, product(J, pieces_.points, nonzeros(), part_.j_type),
               most_loop_points() > 0 ? 2 * num_products() : nonzeros());
  }

  using Offset = std::tuple<FieldId, FieldId, std::vector<std::int64_t>>;
  using ChannelPairs = std::set<std::pair<int, int>>;

  // Which entries of a pair of elements are not 0: pairs of channels that a residual reads.
  static ChannelPairs channels_of(const UnknownAccess& row, const UnknownAccess& col) {
    ChannelPairs channels;
    for (const UnknownAccess::Entry& i : row.entries)
      for (const UnknownAccess::Entry& j : col.entries)
        if (i.residual == j.residual) channels.emplace(i.channel, j.channel);
    return channels;
  }

  // How far the column's element is from the row's; empty if that is not the same everywhere.
  std::vector<std::int64_t> distance(const UnknownAccess& row, const UnknownAccess& col) const {
    const MultiIndex& from = anatomy_.graph().indices()[row.index];
    const MultiIndex& to = anatomy_.graph().indices()[col.index];
    if (from.size() != to.size() || !row.loops.empty() || !col.loops.empty()) return {};
    std::vector<std::int64_t> offset;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (from[k].terms != to[k].terms) return {};
      offset.push_back(to[k].constant - from[k].constant);
    }
    return offset;
  }

  static Offset mirrored(const Offset& offset) {
    auto [row, col, distance] = offset;
    for (std::int64_t& d : distance) d = -d;
    return {col, row, std::move(distance)};
  }

  // The scalars of an element of each diagonal, which are at different offsets: a pair of channels
  // each that some residual reads. Of it and its mirror one is stored.
  std::vector<double> scalars_of_diagonals() const {
    std::map<Offset, ChannelPairs> diagonals;
    for (const UnknownAccess& row : pieces_.accesses) {
      for (const UnknownAccess& col : pieces_.accesses) {
        check_stop();
        if (ChannelPairs channels = channels_of(row, col); !channels.empty())
          diagonals[{row.unknown, col.unknown, distance(row, col)}].merge(channels);
      }
    }
    std::vector<double> scalars;
    for (const auto& [offset, channels] : diagonals) {
      const Offset mirror = mirrored(offset);
      if (mirror < offset) continue;
      const auto all = static_cast<double>(channels.size());
      const auto symmetric = static_cast<double>(std::ranges::count_if(
          channels, [](const auto& pair) { return pair.first == pair.second; }));
      scalars.push_back(offset == mirror ? (all + symmetric) / 2 : all);
    }
    return scalars;
  }

  // Each is a field of its own.
  std::vector<std::pair<Table, double>> store_diagonals(double elements) {
    std::vector<std::pair<Table, double>> tables;
    for (const double scalars : scalars_of_diagonals()) {
      Table table = stored(JtJ, elements, scalars, part_.jtj_type);
      table.key.first = FirstOfSeveral + static_cast<int>(tables.size());
      tables.emplace_back(table, scalars);
    }
    return tables;
  }

  void diagonals() {
    double elements = 0;
    for (const UnknownAccess& a : pieces_.accesses)
      elements = std::max(elements, sizes_.elements(anatomy_.energy().field(a.unknown).dims));
    const auto tables = store_diagonals(elements);
    gather(Phase::Linearize, "fill_jtj", ComputeAt::Output, efforts_.around,
           num_products() / std::max(1.0, static_cast<double>(pieces_.accesses.size())),
           [&, first = true](StepBuilder& s, const UnknownAccess&) mutable {
             if (!std::exchange(first, false)) return;
             for (const auto& [table, scalars] : tables) s.at_point(Kind::Store, table, scalars);
           });
    result_.starts_product = true;
    StepBuilder s = step(Phase::Apply, "apply_jtj", elements, first_);
    for (const auto& [table, scalars] : tables) {
      // Each is read by the element where it starts and by the one where it ends.
      s.at_point(Kind::Read, table, scalars);
      s.at_point(Kind::Read, table, scalars);
      s.multiply_add(2 * scalars);
    }
    load_direction(s, pieces_.accesses);
    std::set<FieldId> done;
    for (const UnknownAccess& access : pieces_.accesses)
      if (done.insert(access.unknown).second) finish_product(true)(s, access);
    launch(std::move(s));
  }

  // The blocks of two unknowns: pairs of their elements that meet in a residual.
  struct Blocks {
    ChannelPairs channels;  // a scalar of each block for each
    double number = 0;
    Table table;
    double scalars() const { return static_cast<double>(channels.size()); }
  };
  using BlocksOfUnknowns = std::map<std::pair<FieldId, FieldId>, Blocks>;
  using AccessPair = std::pair<const UnknownAccess*, const UnknownAccess*>;

  // The row's unknown is the first of the two.
  std::vector<AccessPair> pairs_of_accesses() const {
    std::vector<AccessPair> pairs;
    for (auto row = pieces_.accesses.begin(); row != pieces_.accesses.end(); ++row) {
      for (auto col = row; col != pieces_.accesses.end(); ++col) {
        const bool is_ordered = row->unknown <= col->unknown;
        pairs.emplace_back(is_ordered ? &*row : &*col, is_ordered ? &*col : &*row);
      }
    }
    return pairs;
  }

  // Those of which there is a half.
  static ChannelPairs half_channels_of(const AccessPair& pair) {
    ChannelPairs channels = channels_of(*pair.first, *pair.second);
    if (pair.first == pair.second)
      std::erase_if(channels, [](const auto& its) { return its.first > its.second; });
    return channels;
  }

  // Bounds of the numbers: two accesses meet in as many blocks as there are points of the domains
  // that occur in them. Those that are equally far apart meet in the same ones, of which each row
  // has one.
  BlocksOfUnknowns blocks_of_unknowns() {
    const IndexTable& indices = anatomy_.graph().indices();
    BlocksOfUnknowns blocks;
    std::map<Offset, double> equally_far;
    for (const AccessPair& pair : pairs_of_accesses()) {
      check_stop();
      const auto& [row, col] = pair;
      ChannelPairs channels = half_channels_of(pair);
      if (channels.empty()) continue;
      Blocks& its = blocks[{row->unknown, col->unknown}];
      its.channels.merge(channels);
      const double points = sizes_.points(
          merge_domains(indices.domains_of(row->index), indices.domains_of(col->index)), indices);
      if (Offset offset{row->unknown, col->unknown, distance(*row, *col)};
          !std::get<2>(offset).empty()) {
        equally_far[std::move(offset)] += points;
      } else {
        its.number += points;
      }
    }
    const auto elements = [&](FieldId unknown) {
      return sizes_.elements(anatomy_.energy().field(unknown).dims);
    };
    for (const auto& [offset, points] : equally_far) {
      const auto& [row, col, distance] = offset;
      blocks[{row, col}].number += std::min(points, elements(row));
    }
    int number = 0;
    for (auto& [unknowns, its] : blocks) {
      its.number = std::min(its.number, elements(unknowns.first) * elements(unknowns.second));
      its.table = product(JtJ, its.number, its.scalars(), ScalarType::Working);
      its.table.key.first = FirstOfSeveral + number++;
    }
    return blocks;
  }

  // Returns the number of entries of all blocks.
  double fill_blocks(const BlocksOfUnknowns& blocks) {
    double entries = 0;
    for (const auto& [unknowns, its] : blocks) entries += its.number * its.scalars();
    if (entries == 0) return 0;
    StepBuilder fill = step(Phase::Linearize, "fill_block_jtj");
    compute_partials(fill);
    fill.multiply_add(num_products());
    for (const AccessPair& pair : pairs_of_accesses()) {
      check_stop();
      const auto& [row, col] = pair;
      const auto found = blocks.find({row->unknown, col->unknown});
      const auto values = static_cast<double>(half_channels_of(pair).size());
      if (found == blocks.end() || values == 0) continue;
      fill.through_list(Kind::Add, found->second.table, values, row->times * col->times);
    }
    clear(entries * sizes_.scalar(ScalarType::Working));
    launch(std::move(fill));
    return entries;
  }

  // H of a direct solver, and JtJ = H + H^T, both in double.
  void fill_csr_jtj() {
    result_.product_bytes += 3 * fill_blocks(blocks_of_unknowns()) * sizeof(double);
  }

  void blocks(bool as_csr) {
    const BlocksOfUnknowns blocks = blocks_of_unknowns();
    const double entries = fill_blocks(blocks);
    if (entries == 0) return;
    result_.product_bytes += entries * sizes_.scalar(ScalarType::Working) * (as_csr ? 3 : 1);
    if (as_csr) {
      result_.steps.push_back(
          library_product(MatrixKind::Csr, "spmv JtJ", 2 * entries, sizes_.num_unknowns));
      return add_dot();
    }
    double all = 0;
    for (const auto& [unknowns, its] : blocks) all += its.number;
    StepBuilder s = step(Phase::Apply, "apply_block_jtj", all, first_);
    for (const auto& [unknowns, its] : blocks) {
      const double times = its.number / all;
      s.at_point(Kind::Read, its.table, its.scalars(), times);
      s.multiply_add(2 * its.scalars() * times);
      std::set<int> rows, cols;
      for (const auto& [row, col] : its.channels) {
        rows.insert(row);
        cols.insert(col);
      }
      const auto meet = [&](FieldId unknown, const std::set<int>& channels) {
        const auto number = static_cast<double>(channels.size());
        s.through_list(Kind::Read, vector(SolverVector::P, unknown), number, times);
        s.through_list(Kind::Add, vector(SolverVector::Ap, unknown), number, times);
      };
      meet(unknowns.first, rows);
      meet(unknowns.second, cols);
    }
    s.reduce(1);
    launch(std::move(s));
  }

  // Derivatives inside of Sums are computed for each point of a row's Sums again at all of a
  // column's.
  void fill_dense_jtj() {
    clear(dense_bytes());
    result_.product_bytes += dense_bytes();
    if (gradient_adds_jtj()) return;
    StepBuilder s = step(Phase::Linearize, "dense_jtj");
    compute_partials(s, 1 + most_loop_points());
    add_dense_jtj(s);
    launch(std::move(s));
  }
  void multiply_dense_jtj() {
    const double n = sizes_.num_unknowns;
    if (multiplies_by_library(part_)) {
      result_.dense_product = library_product(MatrixKind::Symmetric, "symv JtJ", n * n, n);
      return add_dot();
    }
    StepBuilder s = step_of_all(Phase::Apply, "dense_product", n * n);
    s.at_point(Kind::Read, dense_table(), 1);
    // Neighbors are in one row, to whose element all of them add.
    s.at_point(Kind::Read, whole(SolverVector::P), 1);
    s.at_one(Kind::Read, whole(SolverVector::P), 1);
    s.at_one(Kind::Add, whole(SolverVector::Ap), 1);
    s.multiply_add(2);
    s.reduce(1);
    result_.dense_product = std::move(s).take();
  }

  // JtJ of a dense J.
  void gram(double rows) {
    const double n = sizes_.num_unknowns;
    const double products = n * (n + 1) / 2 * rows;
    StepWork work{.phase = Phase::Linearize,
                  .kind = StepWork::Kind::Library,
                  .label = "syrk [" + part_.name + "]",
                  .in_double = sizes_.options.precision == Precision::Double};
    work.features.points = static_cast<std::int64_t>(n * (n + 1) / 2);
    work.features.flops = {.adds = products, .multiplies = products, .fused = products};
    work.features.must_read = rows * n * sizes_.scalar(ScalarType::Working);
    work.features.must_write = dense_bytes() / 2;
    work.features.reads.coalesced = work.features.must_read;
    work.features.writes.coalesced = work.features.must_write;
    result_.product_bytes += dense_bytes();
    result_.steps.push_back(std::move(work));
    multiply_dense_jtj();
  }
};

}  // namespace

void add_jtj_steps(const PartContext& context, PartSteps& result) {
  JtJSteps(context, result).jtj();
}

void add_dense_fill(const PartContext& context, PartSteps& result) {
  JtJSteps(context, result).fill_dense_jtj();
}

void add_csr_fill(const PartContext& context, PartSteps& result) {
  JtJSteps(context, result).fill_csr_jtj();
}

void add_gram_steps(const PartContext& context, double rows, PartSteps& result) {
  JtJSteps(context, result).gram(rows);
}

}  // namespace thallo
