// Writes help. What the registries have is filled in when a help is shown, so that commands start
// without loading plugins.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "core/cli/session.h"

namespace thallo::cli {

// These stand in the description of an option for the names of all cost models, and for a line
// about each search.
inline constexpr std::string_view ModelsInHelp = "{cost models}";
inline constexpr std::string_view SearchesInHelp = "{searches}";
// For how energy texts end: ".lua, .t".
inline constexpr std::string_view EnergiesInHelp = "{energy texts}";

// Ends parsing in favor of a text that is printed instead of running a command.
class CallForText final : public CLI::Success {
 public:
  explicit CallForText(std::string text)
      : CLI::Success("CallForText", std::move(text), CLI::ExitCodes::Success) {}
};

// Puts options that are added to a command meanwhile into a group of its help.
class HelpGroup {
 public:
  HelpGroup(CLI::App& command, const std::string& name)
      : defaults_(*command.option_defaults()), before_(defaults_.get_group()) {
    defaults_.group(name);
  }
  ~HelpGroup() { defaults_.group(before_); }
  HelpGroup(const HelpGroup&) = delete;
  HelpGroup& operator=(const HelpGroup&) = delete;

 private:
  CLI::OptionDefaults& defaults_;
  std::string before_;
};

class HelpFormatter final : public CLI::Formatter {
 public:
  // The session must outlive the formatter.
  explicit HelpFormatter(Session& session) : session_(session) {}

  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  Session& session_;
};

}  // namespace thallo::cli
