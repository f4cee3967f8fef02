#include "core/backend/cuda/kernel_variants.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "core/backend/compile_progress.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/sources.h"
#include "core/base/log.h"
#include "core/kernel/emit.h"
#include "core/kernel/tiles.h"

namespace thallo::cuda {
namespace {

bool wants_64_bits() {
  const char* value = std::getenv("THALLO_CUDA_INDEX_BITS");
  return value != nullptr && std::string_view(value) == "64";
}

}  // namespace

Expected<void> KernelVariants::use(Variety variety) {
  if (!variants_.contains(variety)) {
    const std::vector<Source> sources =
        program_sources(generated_, options_, variety.index_bits, variety.has_windows);
    THALLO_TRY(auto images,
               compile_all(sources, device_.info().architecture, options_.compile_threads,
                           options_.stop, counting_progress(options_, sources.size())));
    Variant variant;
    if (images.size() > generated_.codes.size() && dense_ == nullptr && multigrid_ == nullptr) {
      if (auto done = load_solver(sources.back(), images.back(), variant); !done) return done;
    }
    if (auto done = load_kernels(sources, images, variant); !done) return done;
    variants_.emplace(variety, std::move(variant));
  }
  used_ = variety;
  return {};
}

Expected<void> KernelVariants::resize(const Stream& stream, const ProgramSizes& sizes) {
  const bool is_wide = wants_64_bits() || options_.index_bits == 64;
  const bool has_windows = std::ranges::all_of(generated_.codes, [&](const KernelCode& code) {
    return windows_fit(code, sizes, options_.precision);
  });
  if (auto done = use({is_wide ? 64 : sizes.index_bits(), has_windows}); !done) return done;
  if (dense_ != nullptr && DenseSolver::can_solve(sizes.num_matrix_rows())) {
    if (auto done = dense_->bind(stream, sizes.num_matrix_rows()); !done) return done;
  }
  return multigrid_ != nullptr ? multigrid_->resize(stream, generated_.program, sizes)
                               : Expected<void>{};
}

Expected<void> KernelVariants::load_solver(const Source& source, CachedImage& image,
                                           Variant& variant) {
  THALLO_TRY(auto module, load_module(source, device_.info().architecture, image));
  if (generated_.program.has_members()) {
    variant.member_loop = std::make_unique<MemberLoop>(std::move(module));
    return {};
  }
  if (!generated_.program.multigrid) {
    dense_ = std::make_unique<DenseSolver>(std::move(module));
    return {};
  }
  THALLO_TRY(multigrid_, MultigridKernels::make(std::move(module), device_));
  return {};
}

Expected<void> KernelVariants::load_kernels(std::span<const Source> sources,
                                            std::span<CachedImage> images, Variant& variant) const {
  std::map<std::string, std::size_t> module_of_key;
  for (std::size_t i = 0; i < generated_.codes.size(); ++i) {
    const KernelCode& code = generated_.codes[i];
    CachedImage& image = images[i];
    const auto [module, is_new] = module_of_key.try_emplace(image.key, variant.modules.size());
    if (is_new) {
      THALLO_TRY(auto loaded, load_module(sources[i], device_.info().architecture, image));
      variant.modules.push_back(std::move(loaded));
    }
    const CUfunction function = variant.modules[module->second].function(code.role);
    int blocks = 0;  // per multiprocessor
    THALLO_CUDA_FOR(code.label,
                    cuOccupancyMaxActiveBlocksPerMultiprocessor(
                        &blocks, function, block_size_of(code, options_.block_size), 0));
    variant.kernels.push_back({function, blocks * device_.info().num_units});
    const CompiledKernel& record = variant.records.emplace_back(record_of(code, sources[i], image));
    logger("cuda").debug("{}: {} registers, {} bytes spilled, {} blocks resident, {}", record.label,
                         record.registers, record.spill_bytes,
                         variant.kernels.back().resident_blocks,
                         image.from_cache ? "cached" : "compiled");
  }
  return {};
}

}  // namespace thallo::cuda
