// The devices of this machine, and what each reaches. `thallo devices` tells both in a process of
// its own: the app loads no driver and measures nothing itself.
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

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// An id as people read it: "this machine (cpu)" of "here:cpu:0"; of others, the id.
QString deviceText(const QString& id);

class LocalDevices final : public QObject {
  Q_OBJECT

 public:
  // `program` is thallo.
  explicit LocalDevices(QString program, QObject* parent = nullptr);

  // GPUs first. Empty until the program has answered, and when it could not.
  const std::vector<DeviceChoice>& all() const { return m_all; }
  bool isListed() const { return m_isListed; }

  // Calls `done` with what named_device_spec() takes: for a device of this machine a file with its
  // spec, which is measured in about a second when it never was; else the id as it is. One request
  // at a time: a new one replaces the last, whose `done` is not called any more.
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
