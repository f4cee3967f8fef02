#include "core/backend/choose_device_spec.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/backend/kernel_cache.h"
#include "core/base/assets.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/cost/device/spec_file.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view SpecSuffix = ".toml";
// Must be incremented when calibrations change what they measure.
constexpr int CalibrationVersion = 3;

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(SpecSuffix);
}

// Returns nothing if specs are not to be kept.
std::optional<fs::path> kept_path(std::string_view backend, const std::string& signature) {
  const fs::path cache = KernelCache::open().folder();
  if (cache.empty()) return std::nullopt;
  const std::string key = fmt::format("{}\n{}\n{}", CalibrationVersion, backend, signature);
  return cache / "devices" / (hash_text(key).hex() + std::string(SpecSuffix));
}

// Splits at commas, unless the whole text is an existing file: a path may contain commas.
std::vector<std::string> names_in(const std::string& wanted) {
  std::error_code error;
  if (is_file_name(wanted) && fs::is_regular_file(wanted, error)) return {wanted};
  std::vector<std::string> names;
  for (const auto name : std::views::split(wanted, ','))
    names.emplace_back(name.begin(), name.end());
  return names;
}

// Returns the path of a spec, given its name or its file.
Expected<fs::path> path_of(const std::string& file_or_name) {
  if (is_file_name(file_or_name)) return file_or_name;
  if (auto asset = find_asset(fs::path("devices") / (file_or_name + std::string(SpecSuffix))))
    return *std::move(asset);
  const std::vector<std::string> names = shipped_specs();
  return fail(Diagnostic{fmt::format("no device spec '{}'{}; write a name or the path of a .toml "
                                     "file",
                                     file_or_name, did_you_mean(file_or_name, names)),
                         {},
                         names});
}

}  // namespace

std::vector<std::string> shipped_specs() {
  std::vector<std::string> names;
  std::error_code error;
  if (const auto folder = find_asset("devices")) {
    for (fs::directory_iterator it(*folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == SpecSuffix) names.push_back(it->path().stem());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Expected<DeviceSpec> named_device_spec(const std::string& wanted, std::string_view backend) {
  Diagnostic others;
  for (const std::string& name : names_in(wanted)) {
    THALLO_TRY(const auto path, path_of(name));
    auto spec = read_device_spec(path);
    if (!spec || backend == "auto" || spec->backend == backend) return spec;
    if (others.what.empty())
      others = Diagnostic{fmt::format("this is a spec of backend {}, and the backend is {}",
                                      spec->backend, backend),
                          {path}};
  }
  return fail(others);
}

Expected<DeviceSpec> shipped_device_spec(std::string_view backend) {
  return named_device_spec("cpu,h200,interpreter", backend);
}

std::string wanted_device_spec(const std::string& flag) {
  if (!flag.empty()) return flag;
  const char* variable = std::getenv("THALLO_DEVICE_SPEC");
  return variable == nullptr ? "" : variable;
}

std::optional<DeviceSpec> kept_device_spec(std::string_view backend, const std::string& signature) {
  const auto path = kept_path(backend, signature);
  std::error_code error;
  if (!path || !fs::exists(*path, error)) return std::nullopt;
  auto spec = read_device_spec(*path);
  if (spec) return *std::move(spec);
  // Usually the spec was written by another version of Thallo.
  logger("backend").info("a kept device spec is not used: {}", spec.error().message());
  return std::nullopt;
}

Expected<DeviceSpec> measured_device_spec(Backend& backend) {
  if (auto kept = kept_device_spec(backend.name(), backend.signature())) return *std::move(kept);
  return calibrate_and_keep(backend);
}

Expected<DeviceSpec> calibrate_and_keep(Backend& backend) {
  const auto start = std::chrono::steady_clock::now();
  THALLO_TRY(auto spec, backend.calibrate());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const auto path = kept_path(backend.name(), backend.signature());
  Expected<void> kept;
  if (path) {
    std::error_code error;
    fs::create_directories(path->parent_path(), error);  // the write below reports a failure
    kept = write_device_spec(spec, *path);
  }
  logger("backend").info("{} calibrated for {} in {:.2f} s, {}", spec.name, backend.name(),
                         elapsed.count(),
                         !path  ? "not kept: there is no cache"
                         : kept ? "kept in " + path->string()
                                : "not kept: " + kept.error().message());
  return spec;
}

}  // namespace thallo
