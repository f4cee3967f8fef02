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

// Keys of their tables (step_builder.h).
constexpr int FirstDiagonal = 1000;

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

  static Offset mirrored(const Offset& offset) {
    auto [row, col, distance] = offset;
    for (std::int64_t& d : distance) d = -d;
    return {col, row, std::move(distance)};
  }

  // The scalars of an element of each diagonal, which are at different offsets: a pair of channels
  // each that some residual reads. Of it and its mirror one is stored.
  std::vector<double> scalars_of_diagonals() const {
    std::map<Offset, std::set<std::pair<int, int>>> diagonals;
    const IndexTable& indices = anatomy_.graph().indices();
    for (const UnknownAccess& row : pieces_.accesses) {
      for (const UnknownAccess& col : pieces_.accesses) {
        check_stop();
        std::vector<std::int64_t> offset;
        const MultiIndex& a = indices[row.index];
        const MultiIndex& b = indices[col.index];
        for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
          offset.push_back(b[k].constant - a[k].constant);
        for (const UnknownAccess::Entry& i : row.entries)
          for (const UnknownAccess::Entry& j : col.entries)
            if (i.residual == j.residual)
              diagonals[{row.unknown, col.unknown, offset}].emplace(i.channel, j.channel);
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
      table.key.first = FirstDiagonal + static_cast<int>(tables.size());
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

  // Pairs of elements that meet in a residual: at most as many as there are points of the domains
  // that occur in the two accesses.
  double num_blocks(const UnknownAccess& row, const UnknownAccess& col) const {
    const IndexTable& indices = anatomy_.graph().indices();
    const double rows = sizes_.elements(anatomy_.energy().field(row.unknown).dims);
    if (&row == &col) return rows;
    double points = 1;
    for (const DomainId domain :
         merge_domains(indices.domains_of(row.index), indices.domains_of(col.index)))
      points *= static_cast<double>(sizes_.extents[indices.domain(domain).dim.index()]);
    return std::min(points, rows * sizes_.elements(anatomy_.energy().field(col.unknown).dims));
  }

  // Returns the number of entries and of blocks.
  std::pair<double, double> fill_blocks() {
    double entries = 0;
    StepBuilder fill = step(Phase::Linearize, "fill_block_jtj");
    compute_partials(fill);
    fill.multiply_add(num_products());
    std::vector<std::pair<const UnknownAccess*, const UnknownAccess*>> pairs;
    for (std::size_t i = 0; i < pieces_.accesses.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        pairs.emplace_back(&pieces_.accesses[i], &pieces_.accesses[j]);
    double num_blocks_of_all = 0;
    for (const auto& [row, col] : pairs) {
      check_stop();
      const auto channels = static_cast<double>(row->channels.size() * col->channels.size());
      const double blocks = num_blocks(*row, *col);
      const double values =
          row == col ? (channels + static_cast<double>(row->channels.size())) / 2 : channels;
      entries += blocks * values;
      num_blocks_of_all += blocks;
      const double scalar = sizes_.scalar(ScalarType::Working);
      fill.through_list(Kind::Add, {{ProductTable, JtJ}, blocks, values * scalar, scalar}, values,
                        row->times * col->times);
    }
    if (entries > 0) {
      clear(entries * sizes_.scalar(ScalarType::Working));
      launch(std::move(fill));
    }
    return {entries, num_blocks_of_all};
  }

  // H of a direct solver, and JtJ = H + H^T, both in double.
  void fill_csr_jtj() {
    const auto [entries, blocks] = fill_blocks();
    result_.product_bytes += 3 * entries * sizeof(double);
  }

  void blocks(bool as_csr) {
    const auto [entries, num_blocks_of_all] = fill_blocks();
    if (entries == 0) return;
    result_.product_bytes += entries * sizes_.scalar(ScalarType::Working) * (as_csr ? 3 : 1);
    if (as_csr) {
      result_.steps.push_back(
          library_product(MatrixKind::Csr, "spmv JtJ", 2 * entries, sizes_.num_unknowns));
      return add_dot();
    }
    StepBuilder s = step(Phase::Apply, "apply_block_jtj", num_blocks_of_all, first_);
    const double per_block = entries / num_blocks_of_all;
    s.at_point(Kind::Read, product(JtJ, num_blocks_of_all, per_block, ScalarType::Working),
               per_block);
    s.multiply_add(2 * per_block);
    for (const UnknownAccess* end : {&pieces_.accesses.front(), &pieces_.accesses.back()}) {
      const auto channels = static_cast<double>(end->channels.size());
      s.through_list(Kind::Read, vector(SolverVector::P, end->unknown), channels);
      s.through_list(Kind::Add, vector(SolverVector::Ap, end->unknown), channels);
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
