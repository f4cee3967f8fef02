#include "core/cli/output/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace thallo::cli {
namespace {

constexpr int BarWidth = 24;
constexpr std::chrono::milliseconds RedrawPeriod{100};
constexpr const char* WipeLine = "\r\x1b[2K";

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t total, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text;
  if (total > 0) {
    const auto filled = static_cast<int>(BarWidth * std::min(done, total) / total);
    text = fmt::format("[{:#<{}}{:-<{}}] {:>3} %", "", filled, "", BarWidth - filled,
                       100 * std::min(done, total) / total);
  } else {
    text = fmt::format("{}", done);
  }
  if (rate > 0) text += fmt::format("  {:.3g}/s", rate);
  if (rate > 0 && total > done) {
    const auto left = static_cast<std::int64_t>(static_cast<double>(total - done) / rate + 0.5);
    text += fmt::format("  {}:{:02} left", left / 60, left % 60);
  }
  return text;
}

ProgressBar::ProgressBar(std::string label, std::int64_t total)
    : label_(std::move(label)), total_(total), on_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(std::int64_t done, std::string_view note) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (is_drawn_ && now - drawn_ < RedrawPeriod) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // fmt::print is not used because it throws if the terminal was closed.
  std::fputs(
      fmt::format("{}{} {}  {}", WipeLine, label_, progress_text(done, total_, seconds), note)
          .c_str(),
      stderr);
  std::fflush(stderr);
  is_drawn_ = true;
  drawn_ = now;
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  std::fputs(WipeLine, stderr);
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace thallo::cli
