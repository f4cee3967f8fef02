#include "core/backend/cuda/dense_products.h"

#include <type_traits>
#include <utility>

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {
namespace {

// The size that cuBLAS advises for its largest devices. We allocate the workspace, because cuBLAS
// would allocate its own in the first call, and during a capture that becomes a node that no WHILE
// body may have.
constexpr std::size_t WorkspaceBytes = std::size_t{32} << 20;

template <class Run>
void with_real(const LibraryContext& context, Run run) {
  if (context.precision == Precision::Double) {
    run(double());
  } else {
    run(float());
  }
}

}  // namespace

DenseProducts::DenseProducts(const Stream& stream) {
  THALLO_CUBLAS(cublasCreate_v2(&handle_));
  THALLO_CUBLAS(cublasSetStream_v2(handle_, stream.get()));
  THALLO_CUBLAS(cublasSetPointerMode_v2(handle_, CUBLAS_POINTER_MODE_DEVICE));
  THALLO_CUBLAS(cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_ALLOWED));
}

DenseProducts::~DenseProducts() {
  if (handle_ != nullptr) cublas().cublasDestroy_v2(handle_);
}

Expected<void> DenseProducts::bind() {
  if (workspace_.bytes() > 0) return {};
  auto workspace = DeviceBuffer::allocate(WorkspaceBytes, "the workspace of cuBLAS");
  if (!workspace) return fail(workspace.error());
  workspace_ = std::move(*workspace);
  // Must come after cublasSetStream, which resets the workspace.
  THALLO_CUBLAS(cublasSetWorkspace_v2(handle_, device_pointer<void>(workspace_.pointer()),
                                      workspace_.bytes()));
  return {};
}

void DenseProducts::multiply(const LibraryContext& context, const MultiplyMatrix& step) const {
  const StoredMatrix& matrix = context.program.matrices[step.matrix];
  const MatrixShape shape = context.shape(step.matrix);
  const int m = static_cast<int>(shape.rows);
  const int n = static_cast<int>(shape.cols);
  with_real(context, [&]<class Real>(Real) {
    const auto* one = device_pointer<const Real>(context.one);
    const auto* beta = device_pointer<const Real>(context.beta(step.adds));
    const auto* a = device_pointer<const Real>(context.buffer(matrix.values));
    const auto* x = device_pointer<const Real>(context.buffer(step.x));
    auto* y = device_pointer<Real>(context.buffer(step.y));
    constexpr bool in_double = std::is_same_v<Real, double>;
    if (matrix.kind == MatrixKind::Symmetric) {
      constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
      if constexpr (in_double) {
        THALLO_CUBLAS(cublasDsymv_v2(handle_, lower, n, one, a, n, x, 1, beta, y, 1));
      } else {
        THALLO_CUBLAS(cublasSsymv_v2(handle_, lower, n, one, a, n, x, 1, beta, y, 1));
      }
      return;
    }
    const auto operation = step.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if constexpr (in_double) {
      THALLO_CUBLAS(cublasDgemv_v2(handle_, operation, m, n, one, a, m, x, 1, beta, y, 1));
    } else {
      THALLO_CUBLAS(cublasSgemv_v2(handle_, operation, m, n, one, a, m, x, 1, beta, y, 1));
    }
  });
}

void DenseProducts::add_gram(const LibraryContext& context, const AddGram& step) const {
  const MatrixShape shape = context.shape(step.matrix);
  const int k = static_cast<int>(shape.rows);
  const int n = static_cast<int>(shape.cols);
  with_real(context, [&]<class Real>(Real) {
    constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
    const auto* one = device_pointer<const Real>(context.one);
    const auto* a =
        device_pointer<const Real>(context.buffer(context.program.matrices[step.matrix].values));
    auto* c = device_pointer<Real>(context.buffer(step.to));
    if constexpr (std::is_same_v<Real, double>) {
      THALLO_CUBLAS(cublasDsyrk_v2(handle_, lower, CUBLAS_OP_T, n, k, one, a, k, one, c, n));
    } else {
      THALLO_CUBLAS(cublasSsyrk_v2(handle_, lower, CUBLAS_OP_T, n, k, one, a, k, one, c, n));
    }
  });
}

}  // namespace thallo::cuda
