// Logging: one logger per subsystem (ir diff schedule kernel cuda solve plugin ...), levels from
// the environment (THALLO_LOG=warn,cuda=debug), output on stderr. Results are not logged: core/cli
// prints them on stdout.
//
//   logger("cuda").warn("NVRTC {} is older than {}; recompiling", found, wanted);
//
//   error  a result is lost                  debug  one line per pass, kernel or cache decision
//   warn   a result is worse than asked for  trace  contents
//   info   one line per phase
//
// The default level is warn. Only log.cpp includes spdlog.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace thallo {

enum class LogLevel { Trace, Debug, Info, Warn, Error, Off };

// "trace" ... "off".
std::string_view to_string(LogLevel level);

struct LogRecord {
  std::string logger;
  LogLevel level = LogLevel::Info;
  std::string text;
};

// Thread-safe. A logger lives to the end of the process, so it may be kept by reference.
class Logger {
 public:
  bool enabled(LogLevel level) const;
  void set_level(LogLevel level) const;

  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(level)) write(level, format, fmt::make_format_args(args...));
  }
  template <class... Args>
  void trace(fmt::format_string<Args...> format, Args&&... args) const {
    log(LogLevel::Trace, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    log(LogLevel::Debug, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    log(LogLevel::Info, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) const {
    log(LogLevel::Warn, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    log(LogLevel::Error, format, std::forward<Args>(args)...);
  }

 private:
  friend const Logger& logger(std::string_view subsystem);
  explicit Logger(void* impl) : impl_(impl) {}
  void write(LogLevel level, fmt::string_view format, fmt::format_args args) const;

  void* impl_;  // an spdlog::logger, owned by log.cpp
};

// The logger of a subsystem, made on first use.
const Logger& logger(std::string_view subsystem);

// Replaces the levels of the environment by `levels`, written as in THALLO_LOG, e.g. "info" or
// "warn,cuda=debug".
void set_log_levels(const std::string& levels);
// Says in one sentence what is wrong with such a text and what would be legal; absent if it is
// valid.
std::optional<std::string> find_log_level_fault(std::string_view levels);

// Receives every record that is written, from any thread (calls are serialized), until it is
// destroyed. A listener that takes records keeps them from older listeners and from stderr; one
// that watches passes them on.
class LogListener {
 public:
  enum class Mode { Watches, Takes };
  LogListener(Mode mode, std::function<void(const LogRecord&)> receive);
  ~LogListener();
  LogListener(const LogListener&) = delete;
  LogListener& operator=(const LogListener&) = delete;

 private:
  friend class LogFanOut;
  Mode mode_;
  std::function<void(const LogRecord&)> receive_;
};

// Collects the records of its scope in a list; tests of messages use it.
class LogCapture {
 public:
  LogCapture()
      : listener_(LogListener::Mode::Takes,
                  [this](const LogRecord& record) { records_.push_back(record); }) {}
  const std::vector<LogRecord>& records() const { return records_; }

 private:
  std::vector<LogRecord> records_;
  LogListener listener_;
};

}  // namespace thallo
