#include "core/cost/estimate/part_steps.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/kernel/memory_type.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

using Kind = Access::Kind;

class PartEstimate {
 public:
  PartEstimate(const Anatomy& anatomy, const EstimateSizes& sizes, const PartPieces& pieces,
               const PartEfforts& efforts, const Part& part, ScalarType vector_type,
               std::size_t number)
      : anatomy_(anatomy),
        sizes_(sizes),
        pieces_(pieces),
        efforts_(efforts),
        part_(part),
        vector_type_(vector_type),
        number_(number),
        first_(part.order.empty() ? DomainId() : anatomy.own_domain(part.order.front())) {}

  PartSteps run() {
    cost();
    gradient();
    if (sizes_.options.linear_solver == LinearSolverKind::Dense) {
      fill_dense_jtj();
    } else if (!stores_j(part_.strategy)) {
      stores_jtj(part_.strategy) ? jtj() : products_of_derivatives();
    } else if (part_.j_format == StorageFormat::Structured) {
      fill_j();
      stores_jtj(part_.strategy) ? jtj() : products_of_stored_j();
    } else {
      matrix_j();
    }
    return std::move(result_);
  }

 private:
  StepBuilder step(Phase phase, const std::string& role) const {
    return step(phase, role, pieces_.points, first_);
  }
  StepBuilder step(Phase phase, const std::string& role, double points, DomainId first) const {
    return {anatomy_.graph(), sizes_.extents, phase, role + " [" + part_.name + "]", points, first};
  }
  void compute(StepBuilder& step, const Effort& effort, double times = 1) {
    step.operations(effort, times);
    add_loads(step, anatomy_, sizes_, effort, times);
  }
  void launch(StepBuilder&& step) { result_.steps.push_back(std::move(step).take()); }

  Table vector(SolverVector v, FieldId unknown) const {
    const bool is_pcg = v != SolverVector::B && v != SolverVector::D;
    return vector_table(anatomy_.energy(), sizes_, v, unknown,
                        is_pcg ? vector_type_ : ScalarType::Working);
  }
  // A stored product with so many scalars for each point.
  Table product(int which, double points, double scalars, ScalarType type) {
    const double scalar = sizes_.scalar(type);
    return {{ProductTable, 8 * number_ + static_cast<std::size_t>(which)},
            points,
            scalars * scalar,
            scalar};
  }
  Table stored(int which, double points, double scalars, ScalarType type) {
    const Table table = product(which, points, scalars, type);
    result_.product_bytes += table.elements * table.element_bytes;
    return table;
  }
  enum Product { J, JtJ, Jp };

  bool damped() const { return sizes_.options.solver == SolverKind::LevenbergMarquardt; }
  double nonzeros() const { return pieces_.nonzeros; }

  void cost() {
    StepBuilder s = step(Phase::TrialCost, "cost");
    compute(s, efforts_.values);
    s.multiply_add(pieces_.num_residuals);
    s.reduce(1);
    launch(std::move(s));
  }

  // Products of the partials of an element, of which a block-Jacobi preconditioner keeps a triangle.
  double block_entries(const UnknownAccess& access) const {
    if (sizes_.options.preconditioner != PreconditionerKind::BlockJacobi) return 0;
    const auto channels = static_cast<double>(access.channels.size());
    return channels * (channels + 1) / 2;
  }
  Table block_table(FieldId unknown) const {
    const Field& field = anatomy_.energy().field(unknown);
    const double channels = field.tangent_channels();
    const double scalar = sizes_.scalar(ScalarType::Working);
    return {{VectorTable, 1000 + unknown.index()},
            sizes_.elements(field.dims),
            channels * (channels + 1) / 2 * scalar,
            scalar};
  }

  // b, d and the blocks of the preconditioner.
  void gradient() {
    if (part_.jtf == ComputeAt::Output) {
      gather(Phase::Linearize, "gather_jtf", efforts_.around_with_values, 4, [&](auto& s, auto& a) {
        for (const SolverVector v : {SolverVector::B, SolverVector::D}) {
          const Table table = vector(v, a.unknown);
          s.at_point(Kind::Read, table, table.element_bytes / table.scalar_bytes);
          s.at_point(Kind::Store, table, table.element_bytes / table.scalar_bytes);
        }
        if (const double entries = block_entries(a); entries > 0) {
          s.at_point(Kind::Read, block_table(a.unknown), entries);
          s.at_point(Kind::Store, block_table(a.unknown), entries);
        }
      });
      return;
    }
    StepBuilder s = step(Phase::Linearize, "jtf");
    compute(s, efforts_.both);
    s.multiply_add(2 * nonzeros());
    for (const UnknownAccess& access : pieces_.accesses) {
      const auto channels = static_cast<double>(access.channels.size());
      s.access(Kind::Add, vector(SolverVector::B, access.unknown), access.index, channels,
               access.times);
      s.access(Kind::Add, vector(SolverVector::D, access.unknown), access.index, channels,
               access.times);
      if (const double entries = block_entries(access); entries > 0) {
        s.access(Kind::Add, block_table(access.unknown), access.index, entries, access.times);
        s.multiply_add(access.times * entries);
      }
    }
    launch(std::move(s));
  }

  void load_direction(StepBuilder& s) {
    for (const UnknownAccess& access : pieces_.accesses) load_direction(s, access);
  }
  void load_direction(StepBuilder& s, const UnknownAccess& access, double times = 1) {
    s.access(Kind::Read, vector(SolverVector::P, access.unknown), access.index,
             static_cast<double>(access.channels.size()), times * access.times);
  }
  void add_product(StepBuilder& s) {
    for (const UnknownAccess& access : pieces_.accesses) {
      s.access(Kind::Add, vector(SolverVector::Ap, access.unknown), access.index,
               static_cast<double>(access.channels.size()), access.times);
    }
  }

  // A kernel over the elements of the unknowns that visits, for each access, the points that read
  // the element. `efforts` are those of a visit; `finish` is called once for each unknown.
  template <class Finish>
  void gather(Phase phase, const char* role, const std::vector<Effort>& efforts,
              double products_per_entry, Finish finish, bool loads_direction = false,
              const Table* stored_j = nullptr, const Table* stored_jp = nullptr) {
    std::set<FieldId> done;
    double elements = 0;
    DomainId element_domain;
    for (const UnknownAccess& a : pieces_.accesses) {
      elements = std::max(elements, sizes_.elements(anatomy_.energy().field(a.unknown).dims));
      // Neighboring elements are read by points that are neighbors along this domain.
      const MultiIndex& index = anatomy_.graph().indices()[a.index];
      if (!index.empty() && !element_domain.valid()) {
        const auto& domains = anatomy_.graph().indices().domains_of(index.front());
        if (!domains.empty()) element_domain = domains.front();
      }
    }
    if (elements == 0) return;
    StepBuilder s = step(phase, role, elements, element_domain);
    for (std::size_t a = 0; a < pieces_.accesses.size(); ++a) {
      const UnknownAccess& access = pieces_.accesses[a];
      // All elements together make as many visits as there are points.
      const double visits = pieces_.points * access.times / elements;
      compute(s, efforts[a], visits);
      s.multiply_add(products_per_entry * visits * static_cast<double>(access.entries.size()) /
                     access.times);
      if (loads_direction) {
        for (const UnknownAccess& other : pieces_.accesses) load_direction(s, other, visits);
      }
      const bool by_list = !goes_along(access.index);
      const auto load_stored = [&](const Table& table, double channels) {
        if (by_list) {
          s.through_list(Kind::Read, table, channels, visits);
        } else {
          s.access(Kind::Read, table, access.index, channels, visits);
        }
      };
      if (stored_j != nullptr) {
        const double all = stored_j->element_bytes / stored_j->scalar_bytes;
        load_stored(*stored_j, loads_direction ? all : static_cast<double>(access.entries.size()));
      }
      if (stored_jp != nullptr) load_stored(*stored_jp, pieces_.num_residuals);
      if (done.insert(access.unknown).second) finish(s, access);
    }
    launch(std::move(s));
  }
  // Does the index lead to neighboring elements at neighboring points?
  bool goes_along(IndexId index) const {
    const IndexTable& indices = anatomy_.graph().indices();
    return std::ranges::all_of(indices[index], [&](const Affine& component) {
      return std::ranges::all_of(component.terms, [&](const AffineTerm& term) {
        return indices.atom(term.atom).is_domain();
      });
    });
  }
  // Ap at a thread's own element, and its share of p.Ap.
  auto finish_product(bool reduces) {
    return [this, reduces](StepBuilder& s, const UnknownAccess& access) {
      const double channels = anatomy_.energy().field(access.unknown).tangent_channels();
      s.at_point(Kind::Read, vector(SolverVector::P, access.unknown), channels);
      s.at_point(Kind::Store, vector(SolverVector::Ap, access.unknown), channels);
      if (reduces) s.reduce(channels);
    };
  }

  void products_of_derivatives() {
    if (stores_jp(part_.strategy)) {
      const Table jp = store_jp(nullptr);
      jt(&efforts_.at_element, nullptr, jp);
      return;
    }
    if (part_.jtjp == ComputeAt::Output) {
      result_.starts_product = true;
      gather(Phase::Apply, "gather_jtjp", efforts_.around, 4, finish_product(true), true);
      return;
    }
    StepBuilder s = step(Phase::Apply, "apply_jtjp");
    compute(s, efforts_.derivatives);
    s.multiply_add(2 * nonzeros());
    load_direction(s);
    add_product(s);
    s.reduce(1);
    launch(std::move(s));
  }

  // Stores Jp, from derivatives or from a stored J.
  Table store_jp(const Table* j) {
    const Table jp = stored(Jp, pieces_.points, pieces_.num_residuals, part_.jp_type);
    StepBuilder s = step(Phase::Apply, "apply_jp");
    if (j == nullptr) {
      compute(s, efforts_.derivatives);
    } else {
      s.at_point(Kind::Read, *j, nonzeros());
    }
    s.multiply_add(nonzeros());
    load_direction(s);
    s.at_point(Kind::Store, jp, pieces_.num_residuals);
    s.reduce(1);
    launch(std::move(s));
    return jp;
  }

  // J^T times the stored Jp.
  void jt(const std::vector<Effort>* efforts, const Table* j, const Table& jp) {
    static const Effort nothing;
    const std::vector<Effort> none(pieces_.accesses.size(), nothing);
    if (part_.jt == ComputeAt::Output) {
      result_.starts_product = true;
      gather(Phase::Apply, "gather_jt", efforts ? *efforts : none, 1, finish_product(false), false,
             j, &jp);
      return;
    }
    StepBuilder s = step(Phase::Apply, "apply_jt");
    if (efforts != nullptr) compute(s, efforts_.derivatives);
    if (j != nullptr) s.at_point(Kind::Read, *j, nonzeros());
    s.at_point(Kind::Read, jp, pieces_.num_residuals);
    s.multiply_add(nonzeros());
    add_product(s);
    launch(std::move(s));
  }

  void fill_j() {
    const Table j = stored(J, pieces_.points, nonzeros(), part_.j_type);
    StepBuilder s = step(Phase::Linearize, "fill_j");
    compute(s, efforts_.derivatives);
    s.at_point(Kind::Store, j, nonzeros());
    launch(std::move(s));
  }

  void products_of_stored_j() {
    const Table j = product(J, pieces_.points, nonzeros(), part_.j_type);
    const Table jp = store_jp(&j);
    jt(nullptr, &j, jp);
  }

  // --- JtJ ---

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

  // What fills a JtJ computes: derivatives, or it reads a stored J.
  void compute_partials(StepBuilder& s, double times = 1) {
    if (!stores_j(part_.strategy)) return compute(s, efforts_.derivatives, times);
    s.at_point(Kind::Read, product(J, pieces_.points, nonzeros(), part_.j_type), nonzeros());
  }

  // Pairs of entries of one residual: what is multiplied for J^T J, half of it.
  double num_products() const {
    std::map<std::size_t, double> entries;  // by residual
    for (const UnknownAccess& access : pieces_.accesses)
      for (const UnknownAccess::Entry& entry : access.entries) entries[entry.residual] += 1;
    double products = 0;
    for (const auto& [residual, count] : entries) products += count * (count + 1) / 2;
    return products;
  }
  // Entries of J^T J that two accesses of one point add to, half of them.
  double num_pairs() const {
    double channels = 0;
    for (const UnknownAccess& access : pieces_.accesses)
      channels += access.times * static_cast<double>(access.channels.size());
    return channels * (channels + 1) / 2;
  }

  // Diagonals at different offsets: a channel pair of two accesses each, one of it and its mirror.
  double num_diagonals() const {
    using Offset = std::tuple<FieldId, FieldId, std::vector<std::int64_t>>;
    std::map<Offset, std::set<std::pair<int, int>>> diagonals;
    const IndexTable& indices = anatomy_.graph().indices();
    for (const UnknownAccess& row : pieces_.accesses) {
      for (const UnknownAccess& col : pieces_.accesses) {
        std::vector<std::int64_t> offset;
        const MultiIndex& a = indices[row.index];
        const MultiIndex& b = indices[col.index];
        for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
          offset.push_back(b[k].constant - a[k].constant);
        for (const int i : row.channels)
          for (const int j : col.channels)
            diagonals[{row.unknown, col.unknown, offset}].emplace(i, j);
      }
    }
    double entries = 0;
    double symmetric = 0;
    for (const auto& [offset, channels] : diagonals) {
      entries += static_cast<double>(channels.size());
      const auto& [row, col, distance] = offset;
      if (row == col && std::ranges::all_of(distance, [](auto d) { return d == 0; }))
        symmetric += static_cast<double>(std::ranges::count_if(
            channels, [](const auto& pair) { return pair.first == pair.second; }));
    }
    return (entries + symmetric) / 2;
  }

  void diagonals() {
    double elements = 0;
    for (const UnknownAccess& a : pieces_.accesses)
      elements = std::max(elements, sizes_.elements(anatomy_.energy().field(a.unknown).dims));
    const double count = num_diagonals();
    const Table table = stored(JtJ, elements, count, part_.jtj_type);
    gather(Phase::Linearize, "fill_jtj", efforts_.around,
           num_products() / std::max(1.0, static_cast<double>(pieces_.accesses.size())),
           [&, first = true](StepBuilder& s, const UnknownAccess&) mutable {
             if (std::exchange(first, false)) s.at_point(Kind::Store, table, count);
           });
    result_.starts_product = true;
    StepBuilder s = step(Phase::Apply, "apply_jtj", elements, first_);
    // Each is read by the element where it starts and by the one where it ends.
    s.at_point(Kind::Read, table, count);
    s.at_point(Kind::Read, table, count);
    s.multiply_add(2 * count);
    load_direction(s);
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

  void blocks(bool as_csr) {
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
      const auto channels = static_cast<double>(row->channels.size() * col->channels.size());
      const double blocks = num_blocks(*row, *col);
      const double values =
          row == col ? (channels + static_cast<double>(row->channels.size())) / 2 : channels;
      entries += blocks * values;
      num_blocks_of_all += blocks;
      const double scalar = sizes_.scalar(ScalarType::Working);
      fill.through_list(Kind::Add,
                        {{ProductTable, 8 * number_ + JtJ}, blocks, values * scalar, scalar},
                        values, row->times * col->times);
    }
    if (entries == 0) return;
    clear(entries * sizes_.scalar(ScalarType::Working));
    launch(std::move(fill));
    result_.product_bytes += entries * sizes_.scalar(ScalarType::Working) * (as_csr ? 3 : 1);
    if (as_csr) {
      multiply_by_library("spmv", 2 * entries, sizes_.num_unknowns, false);
      return;
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

  void clear(double bytes) {
    StepWork work{.phase = Phase::Linearize, .kind = StepWork::Kind::Clear, .label = "clear"};
    work.features.points = static_cast<std::int64_t>(bytes / 4);
    work.features.writes.coalesced = bytes;
    work.features.must_write = bytes;
    result_.steps.push_back(std::move(work));
  }

  double dense_bytes() const {
    return sizes_.num_unknowns * sizes_.num_unknowns * sizes_.scalar(ScalarType::Working);
  }
  void fill_dense_jtj() {
    clear(dense_bytes());
    result_.product_bytes += dense_bytes();
    StepBuilder s = step(Phase::Linearize, "dense_jtj");
    compute_partials(s);
    s.multiply_add(num_products());
    const double n = sizes_.num_unknowns;
    const double scalar = sizes_.scalar(ScalarType::Working);
    s.through_list(Kind::Add, {{ProductTable, 8 * number_ + JtJ}, n * n, scalar, scalar}, 1,
                   num_pairs());
    launch(std::move(s));
  }
  void multiply_dense_jtj() {
    const double n = sizes_.num_unknowns;
    StepBuilder s = step(Phase::Apply, "dense_product", n, first_);
    const double scalar = sizes_.scalar(ScalarType::Working);
    s.at_point(Kind::Read, {{ProductTable, 8 * number_ + JtJ}, n, n * scalar, scalar}, n);
    s.multiply_add(n);
    s.reduce(1);
    launch(std::move(s));
  }

  // --- matrices of libraries ---

  // A matrix that a library multiplies in each linear iteration.
  void multiply_by_library(const std::string& name, double entries, double rows, bool is_csr_j,
                           bool is_transposed = false, bool is_dense = false) {
    StepWork work{.phase = Phase::Apply,
                  .kind = StepWork::Kind::Library,
                  .label = name + " [" + part_.name + "]",
                  .in_double = sizes_.precision == Precision::Double};
    const double scalar = sizes_.scalar(ScalarType::Working);
    const double n = sizes_.num_unknowns;
    KernelFeatures& f = work.features;
    f.points = static_cast<std::int64_t>(is_transposed ? n : rows);
    f.flops = {.adds = entries, .multiplies = entries, .fused = entries};
    f.index_bytes = is_dense ? 0 : sizeof(std::int32_t) * (entries + rows + 1);
    f.reads.coalesced = scalar * entries;
    const bool scatters = is_csr_j && is_transposed;
    const Access at_columns{.kind = scatters ? Kind::Add : Kind::Read,
                            .motion = Motion::Jumps,
                            .map = {},
                            .count = entries,
                            .bytes = scalar,
                            .element = scalar,
                            .table = scalar * n};
    if (!is_dense) f.accesses.push_back(at_columns);
    (scatters ? f.scatters : f.reads).gathered += is_dense ? 0 : scalar * entries;
    f.atomics = scatters ? entries : 0;
    f.must_read = f.reads.coalesced + f.index_bytes + scalar * (is_transposed ? rows : n);
    f.must_write = scalar * (is_transposed ? n : rows);
    result_.steps.push_back(std::move(work));
  }

  void matrix_j() {
    const bool is_dense = part_.j_format == StorageFormat::Dense;
    const double rows = pieces_.points * pieces_.num_residuals;
    const double entries = is_dense ? rows * sizes_.num_unknowns : pieces_.points * nonzeros();
    const double scalar = sizes_.scalar(ScalarType::Working);
    result_.product_bytes += (entries + rows) * scalar;
    if (is_dense) clear(entries * scalar);
    StepBuilder fill = step(Phase::Linearize, "fill_j");
    compute(fill, efforts_.derivatives);
    fill.at_point(Kind::Store, product(J, pieces_.points, nonzeros(), ScalarType::Working),
                  nonzeros());
    launch(std::move(fill));
    if (!stores_jtj(part_.strategy)) {
      multiply_by_library(is_dense ? "gemv" : "spmv", entries, rows, !is_dense, false, is_dense);
      multiply_by_library(is_dense ? "gemv transposed" : "spmv transposed", entries, rows,
                          !is_dense, true, is_dense);
      return;
    }
    if (!is_dense) return jtj();
    gram(rows);
    multiply_dense_jtj();
  }

  // JtJ of a dense J.
  void gram(double rows) {
    const double n = sizes_.num_unknowns;
    const double products = n * (n + 1) / 2 * rows;
    StepWork work{.phase = Phase::Linearize,
                  .kind = StepWork::Kind::Library,
                  .label = "syrk [" + part_.name + "]",
                  .in_double = sizes_.precision == Precision::Double};
    work.features.points = static_cast<std::int64_t>(n * (n + 1) / 2);
    work.features.flops = {.adds = products, .multiplies = products, .fused = products};
    work.features.must_read = rows * n * sizes_.scalar(ScalarType::Working);
    work.features.must_write = dense_bytes() / 2;
    work.features.reads.coalesced = work.features.must_read;
    work.features.writes.coalesced = work.features.must_write;
    result_.product_bytes += dense_bytes();
    result_.steps.push_back(std::move(work));
  }

  const Anatomy& anatomy_;
  const EstimateSizes& sizes_;
  const PartPieces& pieces_;
  const PartEfforts& efforts_;
  const Part& part_;
  ScalarType vector_type_;
  std::size_t number_;
  DomainId first_;
  PartSteps result_;
};

}  // namespace

double EstimateSizes::elements(const std::vector<DimId>& dims) const {
  double elements = 1;
  for (const DimId dim : dims) elements *= static_cast<double>(extents[dim.index()]);
  return elements;
}

double EstimateSizes::scalar(ScalarType type) const {
  return static_cast<double>(size_of(memory_type(type, precision)));
}

Table field_table(const Anatomy& anatomy, const EstimateSizes& sizes, FieldId field) {
  const std::pair<int, std::size_t> key{FieldTable, field.index()};
  if (anatomy.is_gradient(field)) {
    const auto i = static_cast<std::size_t>(anatomy.intermediate_of(field));
    const Intermediate& intermediate = anatomy.energy().intermediates()[i];
    const double scalar = sizes.scalar(ScalarType::Working);
    return {key, sizes.elements(anatomy.energy().field(intermediate.field).dims),
            scalar * static_cast<double>(anatomy.intermediates()[i].derivatives.size()), scalar};
  }
  const Field& f = anatomy.energy().field(field);
  const double scalar = sizes.scalar(f.type);
  return {key, sizes.elements(f.dims), scalar * f.channels, scalar};
}

Table vector_table(const Energy& energy, const EstimateSizes& sizes, SolverVector vector,
                   FieldId unknown, ScalarType type) {
  const Field& field = energy.field(unknown);
  const double scalar = sizes.scalar(type);
  return {{VectorTable, 64 * unknown.index() + static_cast<std::size_t>(vector)},
          sizes.elements(field.dims),
          scalar * field.tangent_channels(),
          scalar};
}

void add_loads(StepBuilder& step, const Anatomy& anatomy, const EstimateSizes& sizes,
               const Effort& effort, double times) {
  for (const Load& load : effort.loads) {
    step.access(Kind::Read, field_table(anatomy, sizes, load.field), load.index,
                static_cast<double>(load.channels.size()), times * load.times);
  }
}

PartSteps part_steps(const Anatomy& anatomy, const EstimateSizes& sizes, const PartPieces& pieces,
                     const PartEfforts& efforts, const Part& part, ScalarType vector_type,
                     std::size_t number) {
  return PartEstimate(anatomy, sizes, pieces, efforts, part, vector_type, number).run();
}

}  // namespace thallo
