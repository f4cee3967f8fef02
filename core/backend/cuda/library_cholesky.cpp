#include "core/backend/cuda/library_cholesky.h"

#include <utility>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/library_context.h"

namespace thallo::cuda {
namespace {

constexpr auto Lower = CUBLAS_FILL_MODE_LOWER;

}  // namespace

LibraryCholesky::LibraryCholesky(const Stream& stream) {
  THALLO_CUSOLVER(cusolverDnCreate(&handle_));
  THALLO_CUSOLVER(cusolverDnSetStream(handle_, stream.get()));
}

LibraryCholesky::~LibraryCholesky() {
  if (handle_ != nullptr) cusolver().cusolverDnDestroy(handle_);
}

Expected<void> LibraryCholesky::bind(const Arrays& arrays) {
  arrays_ = arrays;
  int doubles = 0;
  THALLO_CUSOLVER(cusolverDnDpotrf_bufferSize(
      handle_, Lower, arrays.n, device_pointer<double>(arrays.matrix), arrays.stride, &doubles));
  workspace_ = DeviceBuffer();
  THALLO_TRY(workspace_, DeviceBuffer::allocate(static_cast<std::size_t>(doubles) * sizeof(double),
                                                "the workspace of cuSOLVER"));
  run();
  return {};
}

void LibraryCholesky::run() const {
  auto* const matrix = device_pointer<double>(arrays_.matrix);
  auto* const infos = device_pointer<int>(arrays_.infos);
  THALLO_CUSOLVER(cusolverDnDpotrf(handle_, Lower, arrays_.n, matrix, arrays_.stride,
                                   device_pointer<double>(workspace_.pointer()),
                                   static_cast<int>(workspace_.bytes() / sizeof(double)), infos));
  THALLO_CUSOLVER(cusolverDnDpotrs(handle_, Lower, arrays_.n, 1, matrix, arrays_.stride,
                                   device_pointer<double>(arrays_.x), arrays_.n, infos + 1));
}

}  // namespace thallo::cuda
