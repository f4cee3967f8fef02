#include "gui/workspace/session_file.h"

#include <QFile>
#include <QJsonDocument>

#include "core/base/io/file.h"
#include "gui/base/write_file.h"

namespace thallo::gui {
namespace {

constexpr const char* Format = "thallo-explorer session";
constexpr int Version = 1;

}  // namespace

Expected<void> writeSession(const QString& file, const SessionData& session) {
  QJsonObject options;
  for (const auto& [name, value] : session.problem.options) options.insert(name, value);
  QJsonObject schedule{
      {"name", session.scheduleName}, {"text", session.scheduleText}, {"edited", session.isEdited}};
  if (!session.previousName.isEmpty()) {
    schedule.insert("previous",
                    QJsonObject{{"name", session.previousName}, {"text", session.previousText}});
  }
  QJsonObject problem{{"name", session.problem.problem},
                      {"options", options},
                      {"device", session.problem.device},
                      {"file", session.problemFile}};
  if (!session.problem.model.isEmpty()) problem.insert("model", session.problem.model);
  const QJsonObject json{{"format", Format},     {"version", Version},   {"problem", problem},
                         {"schedule", schedule}, {"page", session.page}, {"parts", session.parts}};
  return writeFile(file, QJsonDocument(json).toJson());
}

Expected<SessionData> readSession(const QString& file) {
  const std::string name = file.toStdString();
  THALLO_CHECK(check_plain_file(name, "a session"));
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly))
    return fail("{} cannot be read: {}", name, in.errorString().toStdString());
  QJsonParseError fault;
  const QJsonObject json = QJsonDocument::fromJson(in.readAll(), &fault).object();
  if (fault.error != QJsonParseError::NoError) {
    return fail("{} is no session: at byte {} its JSON has the fault '{}'", name, fault.offset,
                fault.errorString().toStdString());
  }
  if (json.value("format").toString() != Format)
    return fail("{} is no session: its member 'format' is not '{}'", name, Format);
  const int version = json.value("version").toInt();
  if (version < 1 || version > Version) {
    return fail("{} is a session of version {}, and this program reads up to version {}", name,
                version, Version);
  }
  SessionData session;
  const QJsonObject problem = json.value("problem").toObject();
  session.problem.problem = problem.value("name").toString();
  if (session.problem.problem.isEmpty())
    return fail("{} names no problem: its member 'problem.name' is missing", name);
  session.problemFile = problem.value("file").toString();
  session.problem.device = problem.value("device").toString(session.problem.device);
  session.problem.model = problem.value("model").toString(session.problem.model);
  const QJsonObject options = problem.value("options").toObject();
  for (auto option = options.begin(); option != options.end(); ++option)
    session.problem.options.emplace_back(option.key(), option.value().toString());
  const QJsonObject schedule = json.value("schedule").toObject();
  session.scheduleName = schedule.value("name").toString();
  session.scheduleText = schedule.value("text").toString();
  // Before the shelf existed, all edited schedules had this name.
  session.isEdited = schedule.value("edited").toBool(session.scheduleName == "edited");
  const QJsonObject previous = schedule.value("previous").toObject();
  session.previousName = previous.value("name").toString();
  session.previousText = previous.value("text").toString();
  session.page = json.value("page").toString();
  session.parts = json.value("parts").toObject();
  return session;
}

}  // namespace thallo::gui
