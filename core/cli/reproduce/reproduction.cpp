#include "core/cli/reproduce/reproduction.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/cli/progress_bar.h"
#include "core/cli/reproduce/case_key.h"
#include "core/plugin/loader.h"

namespace thallo::cli {

namespace fs = std::filesystem;

namespace {

// Returns the path of `name` below THALLO_DATA_DIR, if it exists.
std::optional<fs::path> find_data(const std::string& name) {
  const char* folder = std::getenv("THALLO_DATA_DIR");
  if (!folder) return std::nullopt;
  fs::path path = fs::path(folder) / name;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  return path;
}

// The input as the paper's file has it, with the paths of its files, and which of them are not
// there. Absent if the case has no problem here, or no tiny input where one is wanted.
struct FoundInput {
  const CaseInput& written;
  CaseInput input;
  std::vector<std::string> missing;
};
std::optional<FoundInput> find_input(const PaperCase& one, bool is_tiny) {
  if (one.problem.empty() || (is_tiny && !one.tiny)) return std::nullopt;
  const CaseInput& written = is_tiny ? *one.tiny : one.input;
  FoundInput found{written, written, {}};
  for (const auto& [option, name] : found.input.files) {
    if (const auto path = find_data(name)) {
      found.input.options.set(option, path->c_str());
    } else {
      found.missing.push_back(name);
    }
  }
  return found;
}

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t Most = 3;
  const std::size_t num_named = std::min(names.size(), Most);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(num_named), ", "));
  if (num_named < names.size()) text += fmt::format(" and {} more", names.size() - num_named);
  return text;
}

}  // namespace

ItemState state_of(const PaperItem& item, bool is_tiny) {
  ItemState state;
  if (item.method.empty()) {
    state.text = "not made: " + item.why_not;
    return state;
  }
  int num_means = 0;
  for (const PaperCase& one : item.cases) {
    if (one.is_mean) ++num_means;
    const auto found = find_input(one, is_tiny);
    if (!found) continue;
    ++state.num_inputs;
    if (!found->missing.empty()) ++state.num_without_data;
    for (const std::string& name : found->missing)
      if (std::ranges::find(state.missing, name) == state.missing.end())
        state.missing.push_back(name);
  }
  if (state.num_inputs == 0) {
    state.text = "has no tiny input";
  } else if (state.is_makeable()) {
    state.text =
        fmt::format("can be made: {} of {} cases", state.num_inputs - state.num_without_data,
                    std::ssize(item.cases) - num_means);
  }
  if (!state.missing.empty())
    state.text +=
        fmt::format("{}lacks data: {}", state.text.empty() ? "" : "; ", some_of(state.missing));
  if (!item.why_not.empty()) state.text += "; in part: " + item.why_not;
  return state;
}

std::string Reproducer::device_of(const Method& method) {
  if (!method.runs) return "predicted";
  if (device_.empty()) {
    const auto backend = run_.session.backend(run_.backend, run_.device);
    device_ = fmt::format("{} ({})", backend->device().name, backend->name());
  }
  return device_;
}

ReproducedCase Reproducer::make_case(const Paper& paper, const PaperItem& item,
                                     const PaperCase& one, Reproduction& made) {
  const auto found = find_input(one, run_.is_tiny);
  if (!found) return {&one, {}, one.problem.empty() ? one.why_not : "it has no tiny input"};
  if (!found->missing.empty())
    return {&one, {}, fmt::format("THALLO_DATA_DIR has no {}", fmt::join(found->missing, ", "))};
  const Method& method = *find_method(item.method);
  const MadeBy by{made.device, std::string(core_build_id())};
  CaseParts parts(kept_, budget_, by);
  const CaseToMeasure its{run_, budget_, parts, item, one, found->written, found->input};
  ReproducedCase result{&one, {}, ""};
  try {
    result.measured = method.has_parts
                          ? std::optional(method.measure(its))
                          : parts.obtain("", case_key(paper, item, one, found->written), 0,
                                         [&] { return method.measure(its); });
  } catch (const std::exception&) {
    result.why_not = reason_of_exception();
  }
  if (result.measured && result.measured->values.empty()) result.measured.reset();
  if (!result.measured && result.why_not.empty()) result.why_not = parts.why_not();
  if (result.measured) result.failures = parts.failures();
  result.others = parts.others();
  result.is_left = parts.is_left();
  if (result.is_left) {
    ++made.num_left;
  } else if (!result.measured || !parts.failures().empty()) {
    ++made.num_failed;
  }
  return result;
}

Reproduction Reproducer::make(const Paper& paper, const PaperItem& item) {
  const ItemState state = state_of(item, run_.is_tiny);
  if (item.method.empty())
    throw UserError(
        fmt::format("{} of {} cannot be made here: {}", item.number, paper.name, item.why_not));
  if (state.num_inputs == 0)
    throw UserError(fmt::format("{} of {} has no tiny input", item.number, paper.name));
  if (!state.is_makeable())
    throw UserError(
        fmt::format("{} of {} needs data that the folder THALLO_DATA_DIR does not have: {}",
                    item.number, paper.name, fmt::join(state.missing, ", ")));

  Reproduction made{&paper, &item, run_.is_tiny, device_of(*find_method(item.method)), {}, 0, 0};
  ProgressBar bar(item.number, std::ssize(item.cases));
  std::vector<MeasuredCase> measured;
  for (const PaperCase& one : item.cases) {
    bar.update(std::ssize(made.cases), one.name);
    made.cases.push_back(one.is_mean ? ReproducedCase{&one, {}, ""}
                                     : make_case(paper, item, one, made));
    const ReproducedCase& its = made.cases.back();
    // What others made is whole, though it is to be made anew.
    if (its.measured && (!its.is_left || !its.others.empty())) measured.push_back(*its.measured);
  }
  for (ReproducedCase& one : made.cases) {
    if (!one.one->is_mean) continue;
    MeasuredCase mean = mean_of(item.quantities, measured);
    mean.conditions = "each over the cases that have the value.";
    if (mean.values.empty()) {
      one.why_not = "it takes two cases";
    } else {
      one.measured = std::move(mean);
    }
  }
  return made;
}

}  // namespace thallo::cli
