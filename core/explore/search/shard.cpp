#include "core/explore/search/shard.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/base/parse_number.h"

namespace thallo {
namespace {

Expected<std::uint64_t> number_of_array(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    return fail("{}: {} is not set: this is no task of a SLURM job array",
                option_text("shard", "slurm"), name);
  }
  if (const auto number = parse_number<std::uint64_t>(text)) return *number;
  return fail("{}: {}={} is no number", option_text("shard", "slurm"), name, text);
}

Expected<Shard> shard_of_array() {
  THALLO_TRY(const auto id, number_of_array("SLURM_ARRAY_TASK_ID"));
  THALLO_TRY(const auto count, number_of_array("SLURM_ARRAY_TASK_COUNT"));
  // SLURM sets both in every array; they matter where its numbers do not begin at 0 or leave gaps.
  const bool has_first = std::getenv("SLURM_ARRAY_TASK_MIN") != nullptr;
  const bool has_step = std::getenv("SLURM_ARRAY_TASK_STEP") != nullptr;
  THALLO_TRY(const auto first, has_first ? number_of_array("SLURM_ARRAY_TASK_MIN") : 0);
  THALLO_TRY(const auto step, has_step ? number_of_array("SLURM_ARRAY_TASK_STEP") : 1);
  const bool is_even = step > 0 && id >= first && (id - first) % step == 0;
  const Shard shard{is_even ? (id - first) / step : count, count};
  if (shard.number < shard.count) return shard;
  return fail(
      "{}: task {} of a job array of {} tasks from {} in steps of {} is no shard: number the tasks "
      "evenly, as in 0-7",
      option_text("shard", "slurm"), id, count, first, step);
}

}  // namespace

bool Shard::has(std::string_view hash) const {
  std::uint64_t leading = 0;
  const std::string_view digits = hash.substr(0, 16);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), leading, 16);
  THALLO_ASSERT(read.ec == std::errc(), "'{}' is no hash", hash);
  return leading % count == number;
}

Expected<Shard> parse_shard(std::string_view text) {
  if (text == "slurm") return shard_of_array();
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = parse_number<std::uint64_t>(text.substr(0, slash));
  const auto count =
      slash < text.size() ? parse_number<std::uint64_t>(text.substr(slash + 1)) : std::nullopt;
  if (!number || !count) {
    return fail(Diagnostic{fmt::format("{} is none: write I/N, shard I of N, counted from 0",
                                       option_text("shard", text)),
                           {},
                           {"0/4", "3/4", "slurm"}});
  }
  if (*count == 0)
    return fail("{}: there are no shards of none: N is at least 1", option_text("shard", text));
  if (*number >= *count) {
    return fail("{}: of {} shards, the last is {}/{}: they are counted from 0",
                option_text("shard", text), *count, *count - 1, *count);
  }
  return Shard{*number, *count};
}

}  // namespace thallo
