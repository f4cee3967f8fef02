// What can be opened: the problems of all plugins and .toml files, the plugins themselves with
// every failure, and the devices that predictions can be made for.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/plugin/session.h"
#include "gui/models/local_devices.h"

namespace thallo::gui {

// An option of a problem, to be entered in a form.
struct OptionField {
  enum class Type { Bool, Int, Real, Text, Choice, File };
  QString name;
  Type type = Type::Text;
  QString defaultText;
  QString doc;
  QStringList choices;
  std::optional<double> minimum, maximum;

  friend bool operator==(const OptionField&, const OptionField&) = default;
};

// What is wrong with a text for this option, as the command line says it; empty when nothing is.
QString optionFault(const OptionField& field, const QString& text);

struct ProblemCard {
  QString name;   // "image_warping"
  QString title;  // "Image warping with as-rigid-as-possible deformation"
  QString shows;  // one sentence
  QString citation;
  QString provider;  // the plugin or .toml file
  QString picture;   // a file; empty when there is none
  std::vector<OptionField> options;

  // Of a .toml file, which its user can edit.
  bool isOfFile() const { return provider.endsWith(QLatin1String(".toml")); }

  friend bool operator==(const ProblemCard&, const ProblemCard&) = default;
};

struct PluginRow {
  QString path;
  QString name, version;  // of one that is loaded
  QString fault;          // why it is not; empty when it is

  friend bool operator==(const PluginRow&, const PluginRow&) = default;
};

struct Catalog {
  std::vector<ProblemCard> problems;  // by name
  std::vector<PluginRow> plugins;     // loaded ones, then failures
  std::vector<DeviceChoice> devices;  // of this machine, GPUs first; then those with a shipped spec

  const ProblemCard* find(const QString& name) const;
  // The first device that is wanted; null when none is.
  const DeviceChoice* findDevice(const std::function<bool(const DeviceChoice&)>& isWanted) const;
};

// Loads the plugins of the session if that has not happened yet. Of devices, it has those with a
// shipped spec.
Catalog readCatalog(Session& session);

}  // namespace thallo::gui
