// The devices of this machine and their rates. `thallo devices` reports both in a separate process:
// the app itself loads no driver and measures nothing.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "core/base/diagnostic.h"
#include "gui/jobs/command.h"

namespace thallo::gui {

struct DeviceChoice {
  QString id;       // "h200": the name of a spec; "here:cpu:0": a device of this machine
  QString name;     // "NVIDIA H200"
  QString backend;  // "cuda"
  QString source;   // "measured 2026-11-23", "data sheet", "this machine"

  bool isHere() const;
  // True if its spec was measured on it, and is not of a data sheet or of another device.
  bool isMeasured() const { return source.startsWith(QLatin1String("measured")); }

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// Returns the readable form of an id: "this machine (cpu)" for "here:cpu:0"; other ids are
// unchanged.
QString deviceText(const QString& id);

class LocalDevices final : public QObject {
  Q_OBJECT

 public:
  // `program` is the path of thallo.
  explicit LocalDevices(QString program);

  // GPUs first. Empty until the program has answered, or if it failed.
  const std::vector<DeviceChoice>& all() const { return m_all; }
  bool isListed() const { return m_isListed; }

  // Calls `done` with a spec as named_device_spec() takes it: for a device of this machine, a file
  // with its spec, which is measured in about a second if it never was; for other devices, the id
  // itself. There is one request at a time: a new one replaces the previous one, whose `done` is
  // not called.
  using Done = std::function<void(const Expected<QString>& spec)>;
  void findSpec(const QString& id, Done done);

 Q_SIGNALS:
  void listed();

 private:
  void take(const Expected<QString>& printed);

  QString m_program;
  std::vector<DeviceChoice> m_all;
  bool m_isListed = false;
  QPointer<Command> m_search;
  std::map<QString, QString> m_specs;  // by id
};

}  // namespace thallo::gui
