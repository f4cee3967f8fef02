// Everything that can be opened: the problems of all plugins and .toml files, the plugins
// themselves with all failures, and the devices for which predictions can be made.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/plugin/session.h"
#include "gui/problem/local_devices.h"

namespace thallo::gui {

// Returns what is wrong with a text for this option, worded as on the command line; empty if
// nothing is wrong.
QString optionFault(const OptionSpec& option, const QString& text);
// Returns the values of options that are given as texts; `unknown` begins what is said of a name
// without a spec.
Expected<Options> readOptions(const std::vector<OptionSpec>& specs,
                              const std::vector<std::pair<QString, QString>>& texts,
                              const std::string& unknown);

struct ProblemCard {
  QString name;   // "image_warping"
  QString title;  // "Image warping with as-rigid-as-possible deformation"
  QString shows;  // one sentence
  QString citation;
  QString provider;  // the plugin or .toml file
  QString picture;   // a file; empty if there is none
  QString measured;  // DeviceChoice::id of the device that measurements ship of; empty: none ship
  std::vector<OptionSpec> options;

  // True if the problem comes from a .toml file, which the user can edit.
  bool isOfFile() const { return provider.endsWith(QLatin1String(".toml")); }

  friend bool operator==(const ProblemCard&, const ProblemCard&) = default;
};

struct PluginRow {
  QString path;
  QString name, version;  // of a plugin that was loaded
  QStringList adds;       // what it adds: "construct materialize"
  QString fault;          // why it was not loaded; empty if it was

  friend bool operator==(const PluginRow&, const PluginRow&) = default;
};

// A search of schedules, or a cost model.
struct NamedPart {
  QString name, doc;                     // a sentence
  bool takesSamples = false;             // of a search
  std::vector<OptionSpec> options = {};  // of a search

  friend bool operator==(const NamedPart&, const NamedPart&) = default;
};

struct Catalog {
  std::vector<ProblemCard> problems;  // sorted by name
  std::vector<NamedPart> searches;    // sorted by name
  std::vector<NamedPart> models;      // the default model comes first
  QStringList energySuffixes;         // the endings of files of energy texts: ".lua"
  std::vector<PluginRow> plugins;     // loaded ones, then failures
  std::vector<DeviceChoice> devices;  // this machine's, GPUs first; then those with a shipped spec

  const ProblemCard* find(const QString& name) const;
  const NamedPart* findSearch(const QString& name) const;
  int numFailed() const;  // of the plugins
  // Returns the first device that satisfies the condition, or null.
  const DeviceChoice* findDevice(const std::function<bool(const DeviceChoice&)>& isWanted) const;
};

// Loads the plugins of the session if that has not happened yet. The catalog's devices are only
// those with a shipped spec.
Catalog readCatalog(Session& session);

}  // namespace thallo::gui
