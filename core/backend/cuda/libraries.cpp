#include "core/backend/cuda/libraries.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/backend/cuda/dense_products.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/cuda/sparse_products.h"
#include "core/base/overloaded.h"
#include "core/kernel/memory_type.h"

namespace thallo::cuda {
namespace {

// Returns the buffer name of the program's first sparse (or dense) matrix; null if there is none.
const std::string* find_matrix(const KernelProgram& program, bool is_sparse) {
  for (const StoredMatrix& matrix : program.matrices) {
    if ((matrix.kind == MatrixKind::Csr) == is_sparse) return &program.buffers[matrix.values].name;
  }
  return nullptr;
}

template <class Api>
Expected<void> check_library(const std::string& matrix, const char* format,
                             const Expected<const Api*>& library) {
  if (library) return {};
  return fail("'{}' is stored {}: {}", matrix, format, library.error().what);
}

}  // namespace

Libraries::Libraries(const KernelProgram& program, Precision precision, const Stream& stream)
    : program_(program), precision_(precision), stream_(stream) {}
Libraries::~Libraries() = default;

Expected<std::unique_ptr<Libraries>> Libraries::open(const KernelProgram& program,
                                                     Precision precision, const Stream& stream) {
  std::unique_ptr<Libraries> libraries;
  if (program.matrices.empty()) return libraries;
  libraries.reset(new Libraries(program, precision, stream));
  if (const std::string* matrix = find_matrix(program, true)) {
    THALLO_CHECK(check_library(*matrix, "csr", find_cusparse()));
    libraries->sparse_ = std::make_unique<SparseProducts>(stream);
  }
  if (const std::string* matrix = find_matrix(program, false)) {
    THALLO_CHECK(check_library(*matrix, "dense", find_cublas()));
    libraries->dense_ = std::make_unique<DenseProducts>(stream);
  }
  const ScalarType real = memory_type(ScalarType::Working, precision);
  THALLO_TRY(libraries->scalars_,
             DeviceBuffer::allocate(2 * size_of(real), "the scalars of libraries"));
  constexpr std::array<double, 2> one_and_zero = {1, 0};
  upload(stream.get(), libraries->scalars_.pointer(), real, std::span<const double>(one_and_zero));
  return libraries;
}

Expected<void> Libraries::bind(const Storage& storage) {
  const std::size_t scalar = scalars_.bytes() / 2;
  context_ = std::make_unique<LibraryContext>(LibraryContext{.program = program_,
                                                             .storage = storage,
                                                             .stream = stream_,
                                                             .precision = precision_,
                                                             .one = scalars_.pointer(),
                                                             .zero = scalars_.pointer() + scalar});
  for (const StoredMatrix& matrix : program_.matrices) {
    if (auto fits = check_shape(program_, storage.sizes(), matrix); !fits) return fits;
  }
  if (sparse_ != nullptr) {
    if (auto done = sparse_->bind(*context_); !done) return done;
  }
  if (dense_ != nullptr) {
    if (auto done = dense_->bind(*context_); !done) return done;
  }
  for (const LibraryOp& op : library_ops(program_)) run(op);
  return {};
}

std::int64_t Libraries::workspace_bytes() const {
  std::int64_t bytes = 0;
  if (sparse_ != nullptr) bytes += sparse_->workspace_bytes();
  if (dense_ != nullptr) bytes += dense_->workspace_bytes();
  return bytes;
}

void Libraries::run(const LibraryOp& op) const {
  const MatrixShape shape = context_->shape(matrix_of(op));
  if (shape.cols == 0) return;
  std::visit(Overloaded{[&](const MultiplyMatrix& product) {
                          if (shape.entries == 0) {
                            const DeviceBuffer& y = context_->storage.buffer(product.y);
                            if (!product.adds) clear(stream_.get(), y.pointer(), y.bytes());
                          } else if (program_.matrices[product.matrix].kind == MatrixKind::Csr) {
                            sparse_->multiply(*context_, product);
                          } else {
                            dense_->multiply(*context_, product);
                          }
                        },
                        [&](const AddGram& gram) {
                          if (shape.entries > 0) dense_->add_gram(*context_, gram);
                        }},
             op);
  if (synchronous_launches()) stream_.synchronize();
}

}  // namespace thallo::cuda
