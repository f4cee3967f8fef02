// What the estimates of a part's steps have in common: tables, efforts, and kernels that gather.
// Private to estimates.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/pricing/estimate/part_steps.h"
#include "core/schedule/storage_format.h"

namespace thallo {

// A part, and the plan that it is in.
struct PartContext {
  const Anatomy& anatomy;
  const EstimateSizes& sizes;
  const PartPieces& pieces;
  const PartEfforts& efforts;
  const Part& part;
  VectorStorage vectors;
};

class PartKernels {
 protected:
  using Kind = Access::Kind;

  PartKernels(const PartContext& context, PartSteps& result)
      : anatomy_(context.anatomy),
        sizes_(context.sizes),
        pieces_(context.pieces),
        efforts_(context.efforts),
        part_(context.part),
        vectors_(context.vectors),
        first_(context.part.order.empty() ? DomainId()
                                          : context.anatomy.own_domain(context.part.order.front())),
        result_(result) {}

  StepBuilder step(Phase phase, const std::string& role) const {
    return step(phase, role, pieces_.points, first_);
  }
  StepBuilder step(Phase phase, const std::string& role, double points, DomainId first) const {
    return {anatomy_.graph(), sizes_.extents, phase, role + " [" + part_.name + "]", points, first};
  }
  // A step that is not the part's alone.
  StepBuilder step_of_all(Phase phase, const std::string& role, double points) const {
    return {anatomy_.graph(), sizes_.extents, phase, role, points, first_};
  }
  void compute(StepBuilder& step, const Effort& effort, double times = 1) {
    step.operations(effort, times);
    add_loads(step, anatomy_, sizes_, effort, times);
  }
  void launch(StepBuilder&& step) { result_.steps.push_back(std::move(step).take()); }

  // Also of what is stored in the place of p for a parallel Sum.
  Table direction(FieldId unknown_or_sum) const {
    const int sum = anatomy_.sum_of(unknown_or_sum);
    return sum < 0 ? vector(SolverVector::P, unknown_or_sum)
                   : field_table(anatomy_, sizes_,
                                 anatomy_.sums()[static_cast<std::size_t>(sum)].product);
  }
  Table vector(SolverVector v, FieldId unknown) const {
    return vector_table(anatomy_.energy(), sizes_, v, unknown, vectors_);
  }
  // A vector as one table of scalars.
  Table whole(SolverVector v) const {
    const double scalar = sizes_.scalar(vectors_.type);
    return {{VectorTable, static_cast<std::size_t>(v)}, sizes_.num_unknowns, scalar, scalar};
  }
  // A stored product with so many scalars for each point.
  Table product(int which, double points, double scalars, ScalarType type) {
    const double scalar = sizes_.scalar(type);
    return {{ProductTable, static_cast<std::size_t>(which)}, points, scalars * scalar, scalar};
  }
  Table stored(int which, double points, double scalars, ScalarType type) {
    const Table table = product(which, points, scalars, type);
    result_.product_bytes += table.elements * table.element_bytes;
    return table;
  }
  enum Product { J, JtJ, Jp };

  double nonzeros() const { return pieces_.nonzeros; }

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
  // A matrix that a library multiplies in each linear iteration, as op_features() counts it
  // (core/kernel/library_ops.cpp).
  StepWork library_product(MatrixKind kind, std::string label, double entries, double rows,
                           bool is_transposed = false) const {
    StepWork work{.phase = Phase::Apply,
                  .kind = StepWork::Kind::Library,
                  .label = std::move(label),
                  .in_double = sizes_.options.precision == Precision::Double};
    const double scalar = sizes_.scalar(ScalarType::Working);
    const double n = sizes_.num_unknowns;
    KernelFeatures& f = work.features;
    f.points = static_cast<std::int64_t>(is_transposed ? n : rows);
    f.flops = {.adds = entries, .multiplies = entries, .fused = entries};
    f.reads.coalesced = scalar * (kind == MatrixKind::Symmetric ? n * (n + 1) / 2 : entries);
    if (kind == MatrixKind::Csr) {
      f.index_bytes = sizeof(std::int32_t) * (entries + rows + 1);
      f.accesses.push_back({.kind = is_transposed ? Kind::Add : Kind::Read,
                            .motion = Motion::Jumps,
                            .count = entries,
                            .bytes = scalar,
                            .element = scalar,
                            .table = scalar * n});
      (is_transposed ? f.scatters : f.reads).gathered += scalar * entries;
      f.atomics = is_transposed ? entries : 0;
    }
    f.must_read = f.reads.coalesced + f.index_bytes + scalar * (is_transposed ? rows : n);
    f.must_write = scalar * (is_transposed ? n : rows);
    return work;
  }
  // p.Ap, of which a library knows no shares.
  void add_dot() {
    StepBuilder s = step_of_all(Phase::Apply, "dot", sizes_.num_unknowns);
    for (const SolverVector v : {SolverVector::P, SolverVector::Ap})
      s.at_point(Kind::Read, whole(v), 1);
    s.reduce(1);
    launch(std::move(s));
  }

  // Pairs of entries of one residual: what is multiplied for J^T J, half of it.
  double num_products() const {
    std::map<std::size_t, double> entries;  // by residual
    for (const UnknownAccess& access : pieces_.accesses) {
      for (const UnknownAccess::Entry& entry : access.entries)
        entries[entry.residual] += access.times;
    }
    double products = 0;
    for (const auto& [residual, count] : entries) products += count * (count + 1) / 2;
    return products;
  }
  Table dense_table() const {
    const double n = sizes_.num_unknowns;
    const double scalar = sizes_.scalar(ScalarType::Working);
    return {{ProductTable, JtJ}, n * n, scalar, scalar};
  }
  // Of Sums around an access the most points; 0: there are no Sums.
  double most_loop_points() const {
    double points = 0;
    for (const UnknownAccess& access : pieces_.accesses)
      if (!access.loops.empty()) points = std::max(points, access.times);
    return points;
  }
  // The form of what parts add for a direct solver: blocks, where it is a Schur complement.
  MatrixForm solver_form() const {
    return sizes_.options.forms_schur_complement() ? MatrixForm::Csr
                                                   : sizes_.options.linear_solver->form();
  }
  // A kernel that scatters the gradient adds to a dense JtJ, too, unless there are Sums.
  bool gradient_adds_jtj() const {
    if (solver_form() == MatrixForm::Csr) return false;
    const bool is_dense = solver_form() == MatrixForm::Dense ||
                          (stores_jtj(part_.strategy) && !stores_j(part_.strategy) &&
                           jtj_form(anatomy_.energy(), part_) == JtJForm::Matrix);
    return is_dense && part_.jtf == ComputeAt::Residual && most_loop_points() == 0;
  }

  void add_dense_jtj(StepBuilder& s) const {
    s.multiply_add(num_products());
    for (const Meeting& meeting : pieces_.meetings)
      s.access(Kind::Add, dense_table(), meeting.index, 1, meeting.entries);
  }

  void load_direction(StepBuilder& s, const std::vector<UnknownAccess>& accesses,
                      double times = 1) const {
    for (const UnknownAccess& access : accesses) {
      s.access(Kind::Read, direction(access.unknown), access.index,
               static_cast<double>(access.channels.size()), times * access.times);
    }
  }
  // Of the kernel that scatters: how many threads there are for a point, of which one is that of
  // the point itself if something is done there.
  double threads_of_scatter(bool point_has_own) const {
    if (pieces_.threads_of_sums == 0) return 1;
    for (const UnknownAccess& access : pieces_.accesses)
      point_has_own = point_has_own || access.loops.empty();
    return pieces_.threads_of_sums + (point_has_own ? 1 : 0);
  }
  void add_product(StepBuilder& s, ComputeAt where) {
    for (const UnknownAccess& access : pieces_.accesses) {
      if (where.gathers_at(access.space)) continue;
      s.multiply_add(access.times * static_cast<double>(access.entries.size()));
      Table product = vector(SolverVector::Ap, access.unknown);
      product.is_added_in_vectors = product.is_added_in_vectors && access.is_one_run;
      s.access(Kind::Add, product, access.index, static_cast<double>(access.channels.size()),
               access.times);
    }
  }

  // A kernel over the elements of the unknowns that are gathered at, which visits the points that
  // read its element. `efforts` are those of the visits; `finish` is called once for each unknown.
  template <class Finish>
  void gather(Phase phase, const char* role, ComputeAt where, const std::vector<Effort>& efforts,
              double products_per_entry, Finish finish, bool loads_direction = false,
              const Table* stored_j = nullptr, const Table* stored_jp = nullptr) {
    double elements = 0;
    DomainId element_domain;
    for (const UnknownAccess& a : pieces_.accesses) {
      if (!where.gathers_at(a.space)) continue;
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
    for (std::size_t v = 0; v < pieces_.visits.size(); ++v) {
      const Visit& visit = pieces_.visits[v];
      if (!where.gathers_at(visit.space)) continue;
      s.follow_list(visit.index.valid() ? map_of(visit.index) : std::nullopt);
      compute(s, efforts[v], visit.total / elements);
      if (loads_direction) load_direction(s, visit.directions, visit.total / elements);
    }
    s.follow_list({});
    std::set<FieldId> done;
    for (const UnknownAccess& access : pieces_.accesses) {
      if (!where.gathers_at(access.space)) {
        if (phase == Phase::Apply) start_product(s, access, elements);
        continue;
      }
      const double visits = pieces_.points * access.times / elements;
      const auto entries = static_cast<double>(access.entries.size());
      s.multiply_add(products_per_entry * visits * entries / access.times);
      const std::optional<MapId> map = map_of(access.index);
      const bool by_list = map.has_value();
      if (by_list) s.visit(*map, visits);
      const auto load_stored = [&](const Table& table, double channels) {
        if (by_list) {
          s.through_list(Kind::Read, table, channels, visits);
        } else {
          s.access(Kind::Read, table, access.index, channels, visits);
        }
      };
      if (stored_j != nullptr) load_stored(*stored_j, entries);
      if (stored_jp != nullptr) load_stored(*stored_jp, pieces_.num_residuals);
      if (done.insert(access.unknown).second) finish(s, access);
    }
    launch(std::move(s));
  }
  // The map that leads to the element; none where neighboring points have neighboring elements.
  std::optional<MapId> map_of(IndexId index) const {
    const IndexTable& indices = anatomy_.graph().indices();
    for (const Affine& component : indices[index]) {
      for (const AffineTerm& term : component.terms) {
        if (!indices.atom(term.atom).is_domain()) return indices.atom(term.atom).map;
      }
    }
    return std::nullopt;
  }
  // The kernel that starts Ap writes all of it, also what is scattered to behind it.
  void start_product(StepBuilder& s, const UnknownAccess& access, double threads) const {
    const Table product = vector(SolverVector::Ap, access.unknown);
    s.at_point(Kind::Store, product, product.element_bytes / product.scalar_bytes,
               product.elements / threads);
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

  const Anatomy& anatomy_;
  const EstimateSizes& sizes_;
  const PartPieces& pieces_;
  const PartEfforts& efforts_;
  const Part& part_;
  VectorStorage vectors_;
  DomainId first_;
  PartSteps& result_;
};

}  // namespace thallo
