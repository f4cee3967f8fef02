#include "core/backend/library_ops.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "core/base/error.h"
#include "core/kernel/library_ops.h"

namespace thallo {
namespace {

template <class Real>
class HostMatrixOps {
 public:
  HostMatrixOps(const KernelProgram& program, HostMemory& memory, std::size_t matrix)
      : program_(program),
        memory_(memory),
        matrix_(program.matrices[matrix]),
        shape_(shape_of(program, memory.sizes(), matrix_)) {}

  void multiply(const MultiplyMatrix& step) {
    const Eigen::Map<const Vector> x(data(step.x), size(step.x));
    Eigen::Map<Vector> y(data(step.y), size(step.y));
    if (!step.adds) y.setZero();
    if (shape_.entries == 0) return;
    switch (matrix_.kind) {
      case MatrixKind::Csr: return add_product(csr(), step, x, y);
      case MatrixKind::Dense: return add_product(dense(), step, x, y);
      case MatrixKind::Symmetric:
        y.noalias() += dense().template selfadjointView<Eigen::Lower>() * x;
        return;
    }
    THALLO_UNREACHABLE();
  }

  // Eigen's rankUpdate divides by the number of rows, so it must not be called with an empty
  // matrix.
  void add_gram(std::size_t to) {
    if (shape_.entries == 0) return;
    Eigen::Map<Matrix> sum(data(to), shape_.cols, shape_.cols);
    sum.template selfadjointView<Eigen::Lower>().rankUpdate(dense().transpose());
  }

 private:
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Csr = Eigen::SparseMatrix<Real, Eigen::RowMajor, std::int32_t>;

  template <class Stored>
  static void add_product(const Stored& stored, const MultiplyMatrix& step,
                          const Eigen::Map<const Vector>& x, Eigen::Map<Vector>& y) {
    if (step.is_transposed) {
      y.noalias() += stored.transpose() * x;
    } else {
      y.noalias() += stored * x;
    }
  }

  Real* data(std::size_t buffer) { return reinterpret_cast<Real*>(memory_.buffer(buffer)); }
  Eigen::Index size(std::size_t buffer) const {
    return memory_.sizes().buffer_size(program_.buffers[buffer]);
  }
  Eigen::Map<const Matrix> dense() { return {data(matrix_.values), shape_.rows, shape_.cols}; }
  Eigen::Map<const Csr> csr() {
    return {shape_.rows,
            shape_.cols,
            shape_.entries,
            memory_.map(matrix_.offsets).data(),
            memory_.map(matrix_.columns).data(),
            data(matrix_.values)};
  }

  const KernelProgram& program_;
  HostMemory& memory_;
  const StoredMatrix& matrix_;
  MatrixShape shape_;
};

template <class Run>
void with_matrix(const KernelProgram& program, HostMemory& memory, std::size_t matrix, Run run) {
  if (memory.sizes().num_unknowns() == 0) return;
  if (memory.buffer_type(program.matrices[matrix].values) == ScalarType::Double) {
    run(HostMatrixOps<double>(program, memory, matrix));
  } else {
    run(HostMatrixOps<float>(program, memory, matrix));
  }
}

}  // namespace

void multiply(const KernelProgram& program, HostMemory& memory, const MultiplyMatrix& step) {
  with_matrix(program, memory, step.matrix, [&](auto ops) { ops.multiply(step); });
}

void add_gram(const KernelProgram& program, HostMemory& memory, const AddGram& step) {
  with_matrix(program, memory, step.matrix, [&](auto ops) { ops.add_gram(step.to); });
}

}  // namespace thallo
