#include "core/backend/cuda/dense.h"

#include <string_view>
#include <utility>

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int DenseBlockSize = 256;

// The host's copy of the struct Args in dense_text.cpp.
struct DenseArgs {
  CUdeviceptr matrix, damping, free, b, x, failed, factor, rhs, info;
  std::int64_t n;
};

}  // namespace

DenseSolver::DenseSolver(Module module)
    : module_(std::move(module)),
      solve_block_(module_.function("dense_solve")),
      prepare_(module_.function("dense_prepare")),
      finish_(module_.function("dense_finish")) {}

DenseSolver::~DenseSolver() {
  if (handle_ != nullptr) cusolver().cusolverDnDestroy(handle_);
}

Expected<void> DenseSolver::bind(const Stream& stream, std::int64_t num_unknowns) {
  if (num_unknowns == num_unknowns_) return {};
  num_unknowns_ = 0;
  if (num_unknowns > MaxDenseBlockUnknowns) {
    if (auto done = bind_large(stream, num_unknowns); !done) return done;
  }
  num_unknowns_ = num_unknowns;
  return {};
}

Expected<void> DenseSolver::bind_large(const Stream& stream, std::int64_t num_unknowns) {
  if (handle_ == nullptr) {
    if (const auto library = find_cusolver(); !library) {
      return fail("a dense solve of {} unknowns (more than {}) needs cuSOLVER: {}", num_unknowns,
                  MaxDenseBlockUnknowns, library.error().what);
    }
    THALLO_CUSOLVER(cusolverDnCreate(&handle_));
    THALLO_CUSOLVER(cusolverDnSetStream(handle_, stream.get()));
  }
  const auto n = static_cast<std::size_t>(num_unknowns);
  const auto replace = [](DeviceBuffer& buffer, std::size_t bytes,
                          std::string_view what) -> Expected<void> {
    buffer = DeviceBuffer();
    auto allocated = DeviceBuffer::allocate(bytes, what);
    if (!allocated) return fail(allocated.error());
    buffer = std::move(*allocated);
    return {};
  };
  if (auto done = replace(factor_, n * n * sizeof(double), "the dense factor"); !done) return done;
  if (auto done = replace(rhs_, n * sizeof(double), "the dense right-hand side"); !done) {
    return done;
  }
  if (auto done = replace(info_, 2 * sizeof(int), "the dense solver's status"); !done) return done;
  THALLO_CUSOLVER(cusolverDnDpotrf_bufferSize(handle_, CUBLAS_FILL_MODE_LOWER, static_cast<int>(n),
                                              reinterpret_cast<double*>(factor_.pointer()),
                                              static_cast<int>(n), &workspace_size_));
  return replace(workspace_, static_cast<std::size_t>(workspace_size_) * sizeof(double),
                 "cuSOLVER's workspace");
}

void DenseSolver::solve(const Stream& stream, const DenseSystem& system) {
  const DenseArgs args{system.matrix,   system.damping, system.free,       system.b,
                       system.x,        system.failed,  factor_.pointer(), rhs_.pointer(),
                       info_.pointer(), num_unknowns_};
  if (num_unknowns_ == 0) return;
  if (!large()) {
    launch(stream.get(), solve_block_, {1, DenseBlockSize}, &args, "dense_solve");
    return;
  }
  const int n = static_cast<int>(num_unknowns_);
  const auto num_entries = static_cast<std::uint64_t>(num_unknowns_ * num_unknowns_);
  const auto num_blocks =
      static_cast<unsigned int>((num_entries + DenseBlockSize - 1) / DenseBlockSize);
  auto* factor = reinterpret_cast<double*>(factor_.pointer());
  auto* rhs = reinterpret_cast<double*>(rhs_.pointer());
  auto* workspace = reinterpret_cast<double*>(workspace_.pointer());
  auto* info = reinterpret_cast<int*>(info_.pointer());
  launch(stream.get(), prepare_, {num_blocks, DenseBlockSize}, &args, "dense_prepare");
  THALLO_CUSOLVER(cusolverDnDpotrf(handle_, CUBLAS_FILL_MODE_LOWER, n, factor, n, workspace,
                                   workspace_size_, info));
  THALLO_CUSOLVER(
      cusolverDnDpotrs(handle_, CUBLAS_FILL_MODE_LOWER, n, 1, factor, n, rhs, n, info + 1));
  launch(stream.get(), finish_, {1, DenseBlockSize}, &args, "dense_finish");
}

}  // namespace thallo::cuda
