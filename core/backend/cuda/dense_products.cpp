#include "core/backend/cuda/dense_products.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/backend/cuda/driver.h"
#include "core/kernel/memory_type.h"

namespace thallo::cuda {
namespace {

// The size that cuBLAS recommends for its largest devices. We allocate the workspace, because
// cuBLAS would otherwise allocate its own in the first call; during a capture that becomes a node
// that a WHILE body cannot contain.
constexpr std::size_t WorkspaceBytes = std::size_t{32} << 20;

// The tile that a block of cuBLAS computes, and the number of tiles that keep a GPU busy.
constexpr std::int64_t TileWidth = 64;
constexpr std::int64_t BusyTiles = 128;
// The number of rows that makes a chunk worth a block of its own, and a sufficient number of tiles
// of chunks, since blocks share multiprocessors.
constexpr std::int64_t RowsOfChunk = 256;
constexpr std::int64_t EnoughTiles = 1024;

std::int64_t num_chunks(const MatrixShape& shape) {
  const std::int64_t across = (shape.cols + TileWidth - 1) / TileWidth;
  const std::int64_t tiles = across * across;
  if (tiles == 0 || tiles >= BusyTiles) return 1;
  return std::clamp<std::int64_t>(shape.rows / RowsOfChunk, 1, EnoughTiles / tiles);
}

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

Expected<void> DenseProducts::bind(const LibraryContext& context) {
  grams_.clear();
  for (const LibraryOp& op : library_ops(context.program)) {
    const auto* step = std::get_if<AddGram>(&op);
    if (step == nullptr || grams_.contains(step->matrix)) continue;
    if (auto done = add_chunks(context, *step); !done) return done;
  }
  if (workspace_.bytes() > 0) return {};
  auto workspace = DeviceBuffer::allocate(WorkspaceBytes, "the workspace of cuBLAS");
  if (!workspace) return fail(workspace.error());
  workspace_ = std::move(*workspace);
  // Must come after cublasSetStream, which resets the workspace.
  THALLO_CUBLAS(cublasSetWorkspace_v2(handle_, device_pointer<void>(workspace_.pointer()),
                                      workspace_.bytes()));
  return {};
}

Expected<void> DenseProducts::add_chunks(const LibraryContext& context, const AddGram& step) {
  const MatrixShape shape = context.shape(step.matrix);
  const std::int64_t chunks = num_chunks(shape);
  ChunkedGram gram{.num_chunks = static_cast<int>(chunks)};
  if (chunks > 1) {
    const ScalarType real = memory_type(ScalarType::Working, context.precision);
    const std::string what = "the chunks of '" + label_of(context.program, step) + "'";
    const auto scalars = static_cast<std::size_t>(chunks * shape.cols * shape.cols);
    auto products = DeviceBuffer::allocate(scalars * size_of(real), what);
    if (!products) return fail(products.error());
    gram.products = *std::move(products);
    const std::vector<double> ones(static_cast<std::size_t>(chunks), 1.0);
    THALLO_TRY(gram.ones, DeviceBuffer::allocate(ones.size() * size_of(real), what));
    upload(context.stream.get(), gram.ones.pointer(), real, std::span<const double>(ones));
  }
  grams_.emplace(step.matrix, std::move(gram));
  return {};
}

std::int64_t DenseProducts::workspace_bytes() const {
  std::size_t bytes = workspace_.bytes();
  for (const auto& [matrix, gram] : grams_) bytes += gram.products.bytes() + gram.ones.bytes();
  return static_cast<std::int64_t>(bytes);
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

template <class Real>
void DenseProducts::add_chunked_gram(const LibraryContext& context, const AddGram& step,
                                     const ChunkedGram& gram) const {
  const MatrixShape shape = context.shape(step.matrix);
  const int k = static_cast<int>(shape.rows);
  const int n = static_cast<int>(shape.cols);
  const int rows = k / gram.num_chunks;
  const int rest = k - rows * gram.num_chunks;
  const long long square = static_cast<long long>(n) * n;
  const auto* one = device_pointer<const Real>(context.one);
  const auto* zero = device_pointer<const Real>(context.zero);
  const auto* ones = device_pointer<const Real>(gram.ones.pointer());
  const auto* a =
      device_pointer<const Real>(context.buffer(context.program.matrices[step.matrix].values));
  const auto* last = a + static_cast<std::ptrdiff_t>(rows) * gram.num_chunks;
  auto* c = device_pointer<Real>(context.buffer(step.to));
  auto* products = device_pointer<Real>(gram.products.pointer());
  constexpr auto t = CUBLAS_OP_T;
  constexpr auto as_is = CUBLAS_OP_N;
  if constexpr (std::is_same_v<Real, double>) {
    THALLO_CUBLAS(cublasDgemmStridedBatched(handle_, t, as_is, n, n, rows, one, a, k, rows, a, k,
                                            rows, zero, products, n, square, gram.num_chunks));
    THALLO_CUBLAS(cublasDgemv_v2(handle_, as_is, n * n, gram.num_chunks, one, products, n * n, ones,
                                 1, one, c, 1));
    if (rest > 0)
      THALLO_CUBLAS(
          cublasDgemm_v2(handle_, t, as_is, n, n, rest, one, last, k, last, k, one, c, n));
  } else {
    THALLO_CUBLAS(cublasSgemmStridedBatched(handle_, t, as_is, n, n, rows, one, a, k, rows, a, k,
                                            rows, zero, products, n, square, gram.num_chunks));
    THALLO_CUBLAS(cublasSgemv_v2(handle_, as_is, n * n, gram.num_chunks, one, products, n * n, ones,
                                 1, one, c, 1));
    if (rest > 0)
      THALLO_CUBLAS(
          cublasSgemm_v2(handle_, t, as_is, n, n, rest, one, last, k, last, k, one, c, n));
  }
}

void DenseProducts::add_gram(const LibraryContext& context, const AddGram& step) const {
  const MatrixShape shape = context.shape(step.matrix);
  const int k = static_cast<int>(shape.rows);
  const int n = static_cast<int>(shape.cols);
  const ChunkedGram& gram = grams_.at(step.matrix);
  with_real(context, [&]<class Real>(Real) {
    if (gram.num_chunks > 1) return add_chunked_gram<Real>(context, step, gram);
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
