#include "core/base/log.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "core/base/utf8.h"

namespace thallo {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Trace: return spdlog::level::trace;
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warn: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
    case LogLevel::Off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

LogLevel from_spdlog(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace: return LogLevel::Trace;
    case spdlog::level::debug: return LogLevel::Debug;
    case spdlog::level::info: return LogLevel::Info;
    case spdlog::level::warn: return LogLevel::Warn;
    case spdlog::level::off: return LogLevel::Off;
    default: return LogLevel::Error;
  }
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
                           from_spdlog(message.level),
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
  switch (level) {
    case LogLevel::Trace: return "trace";
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warn: return "warn";
    case LogLevel::Error: return "error";
    case LogLevel::Off: return "off";
  }
  return "off";
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

LogListener::LogListener(Mode mode, std::function<void(const LogRecord&)> receive)
    : mode_(mode), receive_(std::move(receive)) {
  loggers().sink->add(this);
}

LogListener::~LogListener() { loggers().sink->remove(this); }

}  // namespace thallo
