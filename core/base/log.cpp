#include "core/base/log.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "core/base/suggest.h"
#include "core/base/utf8.h"

namespace thallo {
namespace {

struct Level {
  LogLevel level;
  spdlog::level::level_enum of_spdlog;
  std::string_view name;
};
constexpr Level Levels[] = {{LogLevel::Trace, spdlog::level::trace, "trace"},
                            {LogLevel::Debug, spdlog::level::debug, "debug"},
                            {LogLevel::Info, spdlog::level::info, "info"},
                            {LogLevel::Warn, spdlog::level::warn, "warn"},
                            {LogLevel::Error, spdlog::level::err, "error"},
                            {LogLevel::Off, spdlog::level::off, "off"}};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  return std::ranges::find(Levels, level, &Level::level)->of_spdlog;
}

spdlog::logger& impl_of(void* impl) { return *static_cast<spdlog::logger*>(impl); }

}  // namespace

// The one sink of all loggers: records go to the newest listener first and to stderr last.
class LogFanOut : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void add(LogListener* listener) {
    const std::lock_guard lock(mutex_);
    listeners_.push_back(listener);
  }
  void remove(LogListener* listener) {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, listener);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const LogRecord record{std::string(message.logger_name.data(), message.logger_name.size()),
                           std::ranges::find(Levels, message.level, &Level::of_spdlog)->level,
                           printable({message.payload.data(), message.payload.size()})};
    for (auto it = listeners_.rbegin(); it != listeners_.rend(); ++it) {
      (*it)->receive_(record);
      if ((*it)->mode_ == LogListener::Mode::Takes) return;
    }
    spdlog::details::log_msg shown = message;
    shown.payload = spdlog::string_view_t(record.text);
    stderr_->log(shown);
  }
  void flush_() override { stderr_->flush(); }

 private:
  std::vector<LogListener*> listeners_;
  std::shared_ptr<spdlog::sinks::stderr_color_sink_mt> stderr_ = [] {
    auto out = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    out->set_pattern("%^%l%$ %n: %v");
    return out;
  }();
};

namespace {

// Never destroyed: a static destructor of a plugin may still log.
struct Loggers {
  std::mutex mutex;
  std::shared_ptr<LogFanOut> sink = std::make_shared<LogFanOut>();
  std::map<std::string, Logger, std::less<>> by_name;

  Loggers() {
    spdlog::set_level(spdlog::level::warn);
    if (const char* levels = std::getenv("THALLO_LOG")) spdlog::cfg::helpers::load_levels(levels);
  }
};

Loggers& loggers() {
  static auto* instance = new Loggers;
  return *instance;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  return std::ranges::find(Levels, level, &Level::level)->name;
}

bool Logger::enabled(LogLevel level) const { return impl_of(impl_).should_log(to_spdlog(level)); }

void Logger::set_level(LogLevel level) const { impl_of(impl_).set_level(to_spdlog(level)); }

void Logger::write(LogLevel level, fmt::string_view format, fmt::format_args args) const {
  impl_of(impl_).log(to_spdlog(level), fmt::vformat(format, args));
}

const Logger& logger(std::string_view subsystem) {
  Loggers& all = loggers();
  const std::lock_guard lock(all.mutex);
  if (const auto it = all.by_name.find(subsystem); it != all.by_name.end()) return it->second;
  const std::string name(subsystem);
  // spdlog's registry keeps the logger alive and gives it the level set for its name.
  auto made = std::make_shared<spdlog::logger>(name, all.sink);
  spdlog::initialize_logger(made);
  return all.by_name.emplace(name, Logger(made.get())).first->second;
}

void set_log_levels(const std::string& levels) {
  spdlog::set_level(spdlog::level::warn);
  loggers();  // reads the environment now, so that a later first use does not override `levels`
  spdlog::cfg::helpers::load_levels(levels);
}

std::optional<std::string> find_log_level_fault(std::string_view levels) {
  const std::vector<std::string> known = names_of(Levels, &Level::name);
  while (!levels.empty()) {
    const std::size_t comma = std::min(levels.find(','), levels.size());
    const std::string_view part = levels.substr(0, comma);
    levels.remove_prefix(std::min(comma + 1, levels.size()));
    const std::size_t equal = part.find('=');
    const std::string level(equal == std::string_view::npos ? part : part.substr(equal + 1));
    if (equal == 0) return fmt::format("'{}' names no subsystem; write e.g. cuda=debug", part);
    if (std::ranges::find(known, level) == known.end()) {
      return fmt::format("no level '{}'{} (levels: {})", level, did_you_mean(level, known),
                         fmt::join(known, ", "));
    }
  }
  return {};
}

LogListener::LogListener(Mode mode, std::function<void(const LogRecord&)> receive)
    : mode_(mode), receive_(std::move(receive)) {
  loggers().sink->add(this);
}

LogListener::~LogListener() { loggers().sink->remove(this); }

}  // namespace thallo
