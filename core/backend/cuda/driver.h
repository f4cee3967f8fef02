#pragma once

// The CUDA libraries, opened at run time. Thallo links none of them: the driver (libcuda.so.1), the
// run-time compiler (NVRTC), cuBLAS, cuSPARSE and cuSOLVER are opened with dlopen on first use, and
// one list per library names the symbols that are taken from it. The same binary therefore runs on
// a machine without a GPU, and the find functions say in one sentence what is missing there:
//
//   no CUDA driver: libcuda.so.1 not found
//   CUDA driver too old: libcuda.so.1 has no cuGraphAddNode_v2
//
// Symbols carry the version suffix that they have in the library (cuMemAlloc_v2), so nothing
// depends on the name that a macro of cuda.h maps to. Only the driver API is used, never the
// runtime API.
//
// Every call goes through one of the macros below, which turn a failure into a DeviceError that
// carries the text of the call:
//
//   THALLO_CUDA(cuMemFree_v2(pointer));
//       throws DeviceError "cuMemFree_v2(pointer): CUDA_ERROR_..."
//   THALLO_CUDA_FOR(label, cuLaunchKernel(...));
//       the same, but names the launch in place of the arguments
//
// Libraries stay open to the end of the process.

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nvrtc.h>

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo::cuda {

#define THALLO_CUDA_DRIVER_FUNCTIONS(X)          \
  X(cuCtxSetCurrent)                             \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetUuid_v2)                          \
  X(cuDevicePrimaryCtxRelease_v2)                \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDeviceTotalMem_v2)                         \
  X(cuDriverGetVersion)                          \
  X(cuEventCreate)                               \
  X(cuEventDestroy_v2)                           \
  X(cuEventElapsedTime)                          \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuGetErrorName)                              \
  X(cuGraphAddNode_v2)                           \
  X(cuGraphCreate)                               \
  X(cuGraphDestroy)                              \
  X(cuGraphExecDestroy)                          \
  X(cuGraphExecNodeSetParams)                    \
  X(cuGraphGetNodes)                             \
  X(cuGraphInstantiateWithFlags)                 \
  X(cuGraphLaunch)                               \
  X(cuGraphNodeGetType)                          \
  X(cuGraphUpload)                               \
  X(cuInit)                                      \
  X(cuLaunchKernel)                              \
  X(cuMemAllocHost_v2)                           \
  X(cuMemAlloc_v2)                               \
  X(cuMemFreeHost)                               \
  X(cuMemFree_v2)                                \
  X(cuMemGetInfo_v2)                             \
  X(cuMemcpyDtoDAsync_v2)                        \
  X(cuMemcpyDtoHAsync_v2)                        \
  X(cuMemcpyHtoDAsync_v2)                        \
  X(cuMemsetD8Async)                             \
  X(cuModuleGetFunction)                         \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuPointerGetAttribute)                       \
  X(cuStreamBeginCapture_v2)                     \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy_v2)                          \
  X(cuStreamEndCapture)                          \
  X(cuStreamQuery)                               \
  X(cuStreamSynchronize)                         \
  X(cuStreamWaitEvent)

// Null if the driver has no conditional graph nodes (drivers of CUDA 12.4 have them); the linear
// loop then runs from the host.
#define THALLO_CUDA_OPTIONAL_DRIVER_FUNCTIONS(X) X(cuGraphConditionalHandleCreate)

#define THALLO_NVRTC_FUNCTIONS(X) \
  X(nvrtcCompileProgram)          \
  X(nvrtcCreateProgram)           \
  X(nvrtcDestroyProgram)          \
  X(nvrtcGetCUBIN)                \
  X(nvrtcGetCUBINSize)            \
  X(nvrtcGetErrorString)          \
  X(nvrtcGetPTX)                  \
  X(nvrtcGetPTXSize)              \
  X(nvrtcGetProgramLog)           \
  X(nvrtcGetProgramLogSize)       \
  X(nvrtcVersion)

#define THALLO_CUBLAS_FUNCTIONS(X) \
  X(cublasCreate_v2)               \
  X(cublasDestroy_v2)              \
  X(cublasDgemmStridedBatched)     \
  X(cublasDgemm_v2)                \
  X(cublasDgemv_v2)                \
  X(cublasDsymv_v2)                \
  X(cublasDsyrk_v2)                \
  X(cublasGetStatusName)           \
  X(cublasSetAtomicsMode)          \
  X(cublasSetPointerMode_v2)       \
  X(cublasSetStream_v2)            \
  X(cublasSetWorkspace_v2)         \
  X(cublasSgemmStridedBatched)     \
  X(cublasSgemm_v2)                \
  X(cublasSgemv_v2)                \
  X(cublasSsymv_v2)                \
  X(cublasSsyrk_v2)

#define THALLO_CUSOLVER_FUNCTIONS(X) \
  X(cusolverDnCreate)                \
  X(cusolverDnDestroy)               \
  X(cusolverDnDpotrf)                \
  X(cusolverDnDpotrf_bufferSize)     \
  X(cusolverDnDpotrs)                \
  X(cusolverDnSetStream)

// The oldest cuSPARSE that works is that of CUDA 12.4, because cusparseSpMV_preprocess is needed.
#define THALLO_CUSPARSE_FUNCTIONS(X) \
  X(cusparseCreate)                  \
  X(cusparseCreateCsr)               \
  X(cusparseCreateDnVec)             \
  X(cusparseDestroy)                 \
  X(cusparseDestroyDnVec)            \
  X(cusparseDestroySpMat)            \
  X(cusparseGetErrorName)            \
  X(cusparseSetPointerMode)          \
  X(cusparseSetStream)               \
  X(cusparseSpMV)                    \
  X(cusparseSpMV_bufferSize)         \
  X(cusparseSpMV_preprocess)

#define THALLO_CUDA_POINTER(name) decltype(&::name) name = nullptr;
struct DriverApi {
  THALLO_CUDA_DRIVER_FUNCTIONS(THALLO_CUDA_POINTER)
  THALLO_CUDA_OPTIONAL_DRIVER_FUNCTIONS(THALLO_CUDA_POINTER)
};
struct NvrtcApi {
  THALLO_NVRTC_FUNCTIONS(THALLO_CUDA_POINTER)
};
struct CublasApi {
  THALLO_CUBLAS_FUNCTIONS(THALLO_CUDA_POINTER)
};
struct CusparseApi {
  THALLO_CUSPARSE_FUNCTIONS(THALLO_CUDA_POINTER)
};
struct CusolverApi {
  THALLO_CUSOLVER_FUNCTIONS(THALLO_CUDA_POINTER)
};
#undef THALLO_CUDA_POINTER

// Each function opens its library on the first call (thread-safe) and returns the same answer from
// then on. A failure says what is missing. A driver that is found is initialized and has at least
// one device.
Expected<const DriverApi*> find_driver();
Expected<const NvrtcApi*> find_nvrtc();
Expected<const CublasApi*> find_cublas();
Expected<const CusparseApi*> find_cusparse();
Expected<const CusolverApi*> find_cusolver();

// Returns the opened library; a find_*() call must have succeeded before.
const DriverApi& driver();
const NvrtcApi& nvrtc();
const CublasApi& cublas();
const CusparseApi& cusparse();
const CusolverApi& cusolver();

// Returns the name and number of an error: "CUDA_ERROR_ILLEGAL_ADDRESS (700)"; of cuSOLVER, which
// has no names, the number.
std::string error_text(CUresult code);
std::string error_text(nvrtcResult code);
std::string error_text(cublasStatus_t code);
std::string error_text(cusparseStatus_t code);
std::string error_text(cusolverStatus_t code);

namespace detail {
[[noreturn]] void throw_device_error(const char* call, std::string code, std::string_view kernel);

template <class Code>
void check(Code code, const char* call, std::string_view kernel = {}) {
  // Zero means success in all libraries.
  if (static_cast<int>(code) != 0) [[unlikely]]
    throw_device_error(call, error_text(code), kernel);
}
}  // namespace detail

}  // namespace thallo::cuda

// Variadic, because the arguments of a call may contain commas in braces.
#define THALLO_CUDA(...) \
  ::thallo::cuda::detail::check(::thallo::cuda::driver().__VA_ARGS__, #__VA_ARGS__)
#define THALLO_CUDA_FOR(label, ...) \
  ::thallo::cuda::detail::check(::thallo::cuda::driver().__VA_ARGS__, #__VA_ARGS__, label)
#define THALLO_NVRTC(...) \
  ::thallo::cuda::detail::check(::thallo::cuda::nvrtc().__VA_ARGS__, #__VA_ARGS__)
#define THALLO_CUBLAS(...) \
  ::thallo::cuda::detail::check(::thallo::cuda::cublas().__VA_ARGS__, #__VA_ARGS__)
#define THALLO_CUSPARSE(...) \
  ::thallo::cuda::detail::check(::thallo::cuda::cusparse().__VA_ARGS__, #__VA_ARGS__)
#define THALLO_CUSOLVER(...) \
  ::thallo::cuda::detail::check(::thallo::cuda::cusolver().__VA_ARGS__, #__VA_ARGS__)
