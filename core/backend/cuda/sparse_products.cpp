#include "core/backend/cuda/sparse_products.h"

#include <variant>

#include <fmt/format.h>

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {
namespace {

// This algorithm accepts any structure of rows. With a transposed matrix it scatters, as all
// algorithms of cuSPARSE do.
constexpr cusparseSpMVAlg_t Algorithm = CUSPARSE_SPMV_CSR_ALG1;

cudaDataType type_of(const LibraryContext& context) {
  return context.precision == Precision::Double ? CUDA_R_64F : CUDA_R_32F;
}

cusparseOperation_t operation(const MultiplyMatrix& step) {
  return step.is_transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

}  // namespace

void SparseProducts::Destroy::operator()(cusparseSpMatDescr_t matrix) const {
  cusparse().cusparseDestroySpMat(matrix);
}
void SparseProducts::Destroy::operator()(cusparseDnVecDescr_t vector) const {
  cusparse().cusparseDestroyDnVec(vector);
}

SparseProducts::SparseProducts(const Stream& stream) {
  THALLO_CUSPARSE(cusparseCreate(&handle_));
  THALLO_CUSPARSE(cusparseSetStream(handle_, stream.get()));
  THALLO_CUSPARSE(cusparseSetPointerMode(handle_, CUSPARSE_POINTER_MODE_DEVICE));
}

SparseProducts::~SparseProducts() {
  operators_.clear();
  vectors_.clear();
  if (handle_ != nullptr) cusparse().cusparseDestroy(handle_);
}

SparseProducts::Matrix SparseProducts::make_matrix(const LibraryContext& context,
                                                   std::size_t matrix) {
  const StoredMatrix& stored = context.program.matrices[matrix];
  const MatrixShape shape = context.shape(matrix);
  cusparseSpMatDescr_t descriptor = nullptr;
  THALLO_CUSPARSE(cusparseCreateCsr(&descriptor, shape.rows, shape.cols, shape.entries,
                                    device_pointer<void>(context.storage.map(stored.offsets)),
                                    device_pointer<void>(context.storage.map(stored.columns)),
                                    device_pointer<void>(context.buffer(stored.values)),
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, type_of(context)));
  return Matrix(descriptor);
}

void SparseProducts::add_vector(const LibraryContext& context, std::size_t buffer) {
  if (vectors_.contains(buffer)) return;
  cusparseDnVecDescr_t descriptor = nullptr;
  THALLO_CUSPARSE(cusparseCreateDnVec(
      &descriptor, static_cast<std::int64_t>(context.storage.buffer_size(buffer)),
      device_pointer<void>(context.buffer(buffer)), type_of(context)));
  vectors_.emplace(buffer, descriptor);
}

Expected<void> SparseProducts::add_operator(const LibraryContext& context,
                                            const MultiplyMatrix& step) {
  const std::pair key(step.matrix, step.is_transposed);
  if (operators_.contains(key)) return {};
  Operator op{make_matrix(context, step.matrix), {}};
  const auto* one = device_pointer<const void>(context.one);
  const cusparseDnVecDescr_t x = vectors_.at(step.x).get();
  const cusparseDnVecDescr_t y = vectors_.at(step.y).get();
  std::size_t bytes = 0;
  THALLO_CUSPARSE(cusparseSpMV_bufferSize(handle_, operation(step), one, op.matrix.get(), x, one, y,
                                          type_of(context), Algorithm, &bytes));
  auto workspace = DeviceBuffer::allocate(
      bytes, fmt::format("the workspace of '{}'", label_of(context.program, step)));
  if (!workspace) return fail(workspace.error());
  op.workspace = std::move(*workspace);
  THALLO_CUSPARSE(cusparseSpMV_preprocess(handle_, operation(step), one, op.matrix.get(), x, one, y,
                                          type_of(context), Algorithm,
                                          device_pointer<void>(op.workspace.pointer())));
  operators_.emplace(key, std::move(op));
  return {};
}

Expected<void> SparseProducts::bind(const LibraryContext& context) {
  operators_.clear();
  vectors_.clear();
  for (const LibraryOp& op : library_ops(context.program)) {
    const auto* step = std::get_if<MultiplyMatrix>(&op);
    if (step == nullptr || context.program.matrices[step->matrix].kind != MatrixKind::Csr) continue;
    if (context.shape(step->matrix).entries == 0) continue;
    add_vector(context, step->x);
    add_vector(context, step->y);
    if (auto done = add_operator(context, *step); !done) return done;
  }
  return {};
}

std::int64_t SparseProducts::workspace_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, op] : operators_) bytes += static_cast<std::int64_t>(op.workspace.bytes());
  return bytes;
}

void SparseProducts::multiply(const LibraryContext& context, const MultiplyMatrix& step) const {
  const Operator& op = operators_.at({step.matrix, step.is_transposed});
  THALLO_CUSPARSE(cusparseSpMV(handle_, operation(step), device_pointer<const void>(context.one),
                               op.matrix.get(), vectors_.at(step.x).get(),
                               device_pointer<const void>(context.beta(step.adds)),
                               vectors_.at(step.y).get(), type_of(context), Algorithm,
                               device_pointer<void>(op.workspace.pointer())));
}

}  // namespace thallo::cuda
