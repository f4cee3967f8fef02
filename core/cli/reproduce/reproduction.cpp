#include "core/cli/reproduce/reproduction.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/cli/bench/bench.h"
#include "core/cli/interrupt.h"
#include "core/cli/progress_bar.h"

namespace thallo::cli {
namespace {

// The input that is run, and the files of it that are not there. Absent if the case has no problem
// here, or no tiny input where one is wanted.
struct FoundInput {
  CaseInput input;
  std::vector<std::string> missing;
};
std::optional<FoundInput> find_input(const PaperCase& one, bool is_tiny) {
  if (one.problem.empty() || (is_tiny && !one.tiny)) return std::nullopt;
  FoundInput found{is_tiny ? *one.tiny : one.input, {}};
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

std::optional<double> Reproduction::value_of(const Quantity& quantity,
                                             const std::map<std::string, double>& values) {
  const auto value = [&](const std::string& key) -> std::optional<double> {
    const auto found = values.find(key);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  if (quantity.ratio.first.empty()) return value(quantity.key);
  const auto above = value(quantity.ratio.first), below = value(quantity.ratio.second);
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

ItemState state_of(const PaperItem& item, bool is_tiny) {
  ItemState state;
  if (item.method.empty()) {
    state.text = "not made: " + item.why_not;
    return state;
  }
  for (const PaperCase& one : item.cases) {
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
    state.text = fmt::format("can be made: {} of {} cases",
                             state.num_inputs - state.num_without_data, item.cases.size());
  }
  if (!state.missing.empty())
    state.text +=
        fmt::format("{}lacks data: {}", state.text.empty() ? "" : "; ", some_of(state.missing));
  if (!item.why_not.empty()) state.text += "; in part: " + item.why_not;
  return state;
}

std::optional<double> Reproducer::seconds_left() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return budget_ ? std::optional(*budget_ - spent.count()) : std::nullopt;
}

// A signal ends what runs, and nothing is begun after it.
bool Reproducer::is_over() const {
  return seconds_left().value_or(1) <= 0 || interrupting_signal() != 0;
}

std::string Reproducer::device_of(const Method& method) const {
  if (!method.runs) return "predicted";
  const auto backend = run_.session.backend(run_.backend, run_.device);
  return fmt::format("{} ({})", backend->device().name, backend->name());
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

  const Method& method = *find_method(item.method);
  Reproduction made{&paper, &item, run_.is_tiny, device_of(method), {}, 0, 0};
  ProgressBar bar(item.number, static_cast<std::int64_t>(item.cases.size()));
  std::int64_t num_done = 0;
  for (const PaperCase& one : item.cases) {
    bar.update(num_done++, one.name);
    const auto found = find_input(one, run_.is_tiny);
    if (!found) {
      made.cases.push_back({&one, {}, one.problem.empty() ? one.why_not : "it has no tiny input"});
      continue;
    }
    if (!found->missing.empty()) {
      made.cases.push_back(
          {&one, {}, fmt::format("THALLO_DATA_DIR has no {}", fmt::join(found->missing, ", "))});
      continue;
    }
    const std::string key = case_key(paper, item, one, found->input, made.device);
    if (const MeasuredCase* kept = kept_.find(key)) {
      made.cases.push_back({&one, *kept, ""});
      continue;
    }
    if (is_over()) {
      made.cases.push_back({&one, {}, "it was not begun in time"});
      ++made.num_left;
      continue;
    }
    try {
      run_.seconds_left = seconds_left();
      MeasuredCase measured = method.measure(run_, item, one, found->input);
      if (measured.is_complete) {
        kept_.keep(key, measured);
      } else {
        ++made.num_left;
      }
      made.cases.push_back({&one, std::move(measured), ""});
    } catch (const UserError& error) {
      made.cases.push_back({&one, {}, error.what()});
      ++made.num_failed;
    }
  }
  return made;
}

}  // namespace thallo::cli
