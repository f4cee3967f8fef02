#include "core/cost/pricing/estimate/part_steps.h"

#include <fmt/format.h>

#include "core/cost/pricing/estimate/jtj_steps.h"
#include "core/cost/pricing/estimate/part_kernels.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

class PartEstimate : PartKernels {
 public:
  PartEstimate(const PartContext& context, PartSteps& result)
      : PartKernels(context, result), context_(context) {}

  void run() {
    cost();
    gradient();
    if (const MatrixForm form = solver_form(); form != MatrixForm::None) {
      form == MatrixForm::Dense ? add_dense_fill(context_, result_)
                                : add_csr_fill(context_, result_);
    }
    if (!sizes_.options.has_linear_loop()) return;
    if (!stores_j(part_.strategy)) {
      stores_jtj(part_.strategy) ? add_jtj_steps(context_, result_) : products_of_derivatives();
    } else if (part_.j_format == StorageFormat::Structured) {
      fill_j();
      stores_jtj(part_.strategy) ? add_jtj_steps(context_, result_) : products_of_stored_j();
    } else {
      matrix_j();
    }
  }

 private:
  void cost() {
    StepBuilder s = step(Phase::TrialCost, "cost");
    compute(s, efforts_.values);
    s.multiply_add(pieces_.num_residuals);
    s.reduce(1);
    launch(std::move(s));
  }

  // Products of the partials of an element, of which a block-Jacobi preconditioner
  // keeps a triangle.
  double block_entries(const UnknownAccess& access) const {
    if (sizes_.options.preconditioner->form() != InverseForm::Blocks) return 0;
    const auto channels = static_cast<double>(access.channels.size());
    return channels * (channels + 1) / 2;
  }
  // b, and d or the blocks of the preconditioner.
  void gradient() {
    if (part_.jtf.gathers()) gather_gradient();
    if (part_.jtf.scatters()) scatter_gradient();
  }
  void gather_gradient() {
    const auto finish = [this](StepBuilder& s, const UnknownAccess& a) {
      const double entries = block_entries(a);
      for (const SolverVector v : {SolverVector::B, SolverVector::D}) {
        if (v == SolverVector::D && entries > 0) continue;  // the blocks have it
        const Table table = vector(v, a.unknown);
        s.at_point(Kind::Read, table, table.element_bytes / table.scalar_bytes);
        s.at_point(Kind::Store, table, table.element_bytes / table.scalar_bytes);
      }
      if (entries > 0) {
        s.at_point(Kind::Read, block_table(anatomy_.energy(), sizes_, a.unknown, vectors_),
                   entries);
        s.at_point(Kind::Store, block_table(anatomy_.energy(), sizes_, a.unknown, vectors_),
                   entries);
      }
    };
    gather(Phase::Linearize, "gather_jtf", part_.jtf, efforts_.around_with_values, 4, finish);
  }
  void scatter_gradient() {
    StepBuilder s = step(Phase::Linearize, gradient_adds_jtj() ? "jtf_jtj" : "jtf");
    if (gradient_adds_jtj()) add_dense_jtj(s);
    if (pieces_.threads_of_sums == 0) {
      compute(s, efforts_.both);
    } else {
      // Every thread computes the residuals.
      const double threads = threads_of_scatter(false);
      compute(s, efforts_.derivatives);
      compute(s, efforts_.values, threads);
      s.in_threads(pieces_.points * threads);
    }
    for (const UnknownAccess& access : pieces_.accesses) {
      if (part_.jtf.gathers_at(access.space)) continue;
      s.multiply_add(2 * access.times * static_cast<double>(access.entries.size()));
      const auto channels = static_cast<double>(access.channels.size());
      s.access(Kind::Add, vector(SolverVector::B, access.unknown), access.index, channels,
               access.times);
      const double entries = block_entries(access);
      if (entries == 0) {
        s.access(Kind::Add, vector(SolverVector::D, access.unknown), access.index, channels,
                 access.times);
      } else {
        s.access(Kind::Add, block_table(anatomy_.energy(), sizes_, access.unknown, vectors_),
                 access.index, entries, access.times);
        s.multiply_add(access.times * entries);
      }
    }
    launch(std::move(s));
  }

  void products_of_derivatives() {
    result_.reads_products_of_sums = true;
    if (stores_jp(part_.strategy)) {
      const Table jp = store_jp(nullptr);
      jt(&efforts_.at_element, nullptr, jp);
      return;
    }
    if (part_.jtjp.gathers()) {
      result_.starts_product = true;
      gather(Phase::Apply, "gather_jtjp", part_.jtjp, efforts_.around, 4,
             finish_product(!part_.jtjp.scatters()), true);
    }
    if (!part_.jtjp.scatters()) return;
    StepBuilder s = step(Phase::Apply, "apply_jtjp");
    compute(s, efforts_.derivatives);
    // Every thread computes Jp; one for the point itself adds to p.Ap.
    const double threads = threads_of_scatter(true);
    if (threads > 1) compute(s, efforts_.directions, threads - 1);
    s.multiply_add(pieces_.num_directions * threads);
    load_direction(s, pieces_.directions, threads);
    s.in_threads(pieces_.points * threads);
    add_product(s, part_.jtjp);
    s.reduce(1);
    launch(std::move(s));
  }

  // Stores Jp, from derivatives or from a stored J.
  Table store_jp(const Table* j) {
    const Table jp = stored(Jp, pieces_.points, pieces_.num_residuals, part_.jp_type);
    StepBuilder s = step(Phase::Apply, "apply_jp");
    if (j == nullptr) {
      compute(s, efforts_.directions);
      s.multiply_add(pieces_.num_directions);
      load_direction(s, pieces_.directions);
    } else {
      s.at_point(Kind::Read, *j, nonzeros());
      s.multiply_add(nonzeros());
      load_direction(s, pieces_.accesses);
    }
    s.at_point(Kind::Store, jp, pieces_.num_residuals);
    s.reduce(1);
    launch(std::move(s));
    return jp;
  }

  // J^T times the stored Jp.
  void jt(const std::vector<Effort>* efforts, const Table* j, const Table& jp) {
    static const Effort nothing;
    const std::vector<Effort> none(pieces_.visits.size(), nothing);
    if (part_.jt.gathers()) {
      result_.starts_product = true;
      gather(Phase::Apply, "gather_jt", part_.jt, efforts ? *efforts : none, 1,
             finish_product(false), false, j, &jp);
    }
    if (!part_.jt.scatters()) return;
    StepBuilder s = step(Phase::Apply, "apply_jt");
    if (efforts != nullptr) compute(s, efforts_.derivatives);
    if (j != nullptr) s.at_point(Kind::Read, *j, nonzeros());
    const double threads = threads_of_scatter(false);
    s.in_threads(pieces_.points * threads);
    s.at_point(Kind::Read, jp, pieces_.num_residuals, threads);
    add_product(s, part_.jt);
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
      for (const bool is_transposed : {false, true}) {
        result_.steps.push_back(
            library_product(is_dense ? MatrixKind::Dense : MatrixKind::Csr,
                            fmt::format("{}{} [{}]", is_dense ? "gemv" : "spmv",
                                        is_transposed ? " transposed" : "", part_.name),
                            entries, rows, is_transposed));
      }
      add_dot();
      return;
    }
    if (!is_dense) return add_jtj_steps(context_, result_);
    add_gram_steps(context_, rows, result_);
  }

  const PartContext& context_;
};

}  // namespace

double EstimateSizes::elements(const std::vector<DimId>& dims) const {
  double elements = 1;
  for (const DimId dim : dims) elements *= static_cast<double>(extents[dim.index()]);
  return elements;
}

double EstimateSizes::points(const std::vector<DomainId>& domains,
                             const IndexTable& indices) const {
  double points = 1;
  for (const DomainId domain : domains)
    points *= static_cast<double>(extents[indices.domain(domain).dim.index()]);
  return points;
}

double EstimateSizes::scalar(ScalarType type) const {
  return static_cast<double>(size_of(memory_type(type, options.precision)));
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
  if (const int sum = anatomy.sum_of(field); sum >= 0) {
    const double scalar = sizes.scalar(ScalarType::Working);
    const SumAnatomy& stored = anatomy.sums()[static_cast<std::size_t>(sum)];
    return {key, sizes.points(stored.domains, anatomy.graph().indices()), scalar, scalar};
  }
  const Field& f = anatomy.energy().field(field);
  const double scalar = sizes.scalar(f.type);
  return {key, sizes.elements(f.dims), scalar * f.channels, scalar};
}

Table vector_table(const Energy& energy, const EstimateSizes& sizes, SolverVector vector,
                   FieldId unknown, VectorStorage vectors) {
  const Field& field = energy.field(unknown);
  // Kernels add to b and the diagonal by turns.
  const bool is_of_gradient = vector == SolverVector::B || vector == SolverVector::D;
  const double scalar = sizes.scalar(is_of_gradient ? ScalarType::Working : vectors.type);
  const bool is_blocked = vectors.order == VectorOrder::Blocked;
  return {.key = {VectorTable, 64 * unknown.index() + static_cast<std::size_t>(vector)},
          .elements = sizes.elements(field.dims),
          .element_bytes = scalar * field.tangent_channels(),
          .scalar_bytes = scalar,
          .is_blocked = is_blocked,
          .is_added_in_vectors = is_blocked && !is_of_gradient && scalar == sizeof(float)};
}

Table block_table(const Energy& energy, const EstimateSizes& sizes, FieldId unknown,
                  VectorStorage vectors) {
  const Field& field = energy.field(unknown);
  const double channels = field.tangent_channels();
  const double scalar = sizes.scalar(ScalarType::Working);
  const bool is_blocked = vectors.order == VectorOrder::Blocked;
  return {.key = {VectorTable, 1000 + unknown.index()},
          .elements = sizes.elements(field.dims),
          .element_bytes = channels * (channels + 1) / 2 * scalar,
          .scalar_bytes = scalar,
          .is_blocked = is_blocked,
          .is_added_in_vectors = is_blocked && scalar == sizeof(float)};
}

void add_loads(StepBuilder& step, const Anatomy& anatomy, const EstimateSizes& sizes,
               const Effort& effort, double times) {
  for (const Load& load : effort.loads) {
    step.access(Access::Kind::Read, field_table(anatomy, sizes, load.field), load.index,
                static_cast<double>(load.channels.size()), times * load.times);
  }
}

PartSteps part_steps(const Anatomy& anatomy, const EstimateSizes& sizes, const PartPieces& pieces,
                     const PartEfforts& efforts, const Part& part, VectorStorage vectors) {
  PartSteps result;
  PartEstimate({anatomy, sizes, pieces, efforts, part, vectors}, result).run();
  return result;
}

}  // namespace thallo
