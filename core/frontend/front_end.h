#pragma once

// A front end reads energies that are written in one language. It makes an Energy by EnergyBuilder
// (core/energy/builder.h); all later stages do not know how the energy was written. Front ends are
// kept in a registry, so that plugins can add others. The suffix of a file decides which front end
// reads it; where several have the suffix, the text decides.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/registry.h"
#include "core/frontend/energy_file.h"

namespace thallo {

// The words that an editor colors and completes.
struct LanguageWords {
  std::vector<std::string> keywords;
  std::vector<std::string> names;  // names of functions and the like: "Dims", "math.sqrt"
  std::string comment;             // begins a comment that ends with the line: "--"
};

// Stateless.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  virtual std::string_view name() const = 0;  // "lua"
  virtual std::string_view doc() const = 0;   // one sentence
  // Returns the suffixes of its files, the usual one first: ".lua".
  virtual std::vector<std::string> suffixes() const = 0;
  // True if the text itself shows that it is in this language. This is asked where several front
  // ends share a suffix.
  virtual bool recognizes(std::string_view /*text*/) const { return false; }
  // Loads a text. Never throws for a fault of the text. Messages refer to the text by `name`
  // ("folder/warp.lua"); the energy is named after its stem.
  virtual Expected<EnergyFile> load(std::string_view text, const std::string& name) const = 0;
  virtual LanguageWords words() const { return {}; }
};

using FrontEndRegistry = Registry<FrontEnd>;

// Returns all suffixes without duplicates, in the order of the names of the front ends.
std::vector<std::string> energy_suffixes(const FrontEndRegistry& front_ends);
// True if the path has the suffix of an energy text.
bool is_energy_text(const FrontEndRegistry& front_ends, std::string_view path);

// Returns the front end for a text at this path: of the front ends with its suffix the one that
// recognizes the text, else the first. Fails if no front end has the suffix.
Expected<const FrontEnd*> find_front_end(const FrontEndRegistry& front_ends,
                                         const std::filesystem::path& path, std::string_view text);

// Loads a file by its front end. Messages refer to the file by its path.
Expected<EnergyFile> load_energy_file(const FrontEndRegistry& front_ends,
                                      const std::filesystem::path& path);

}  // namespace thallo
