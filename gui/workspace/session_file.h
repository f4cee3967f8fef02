// A session: what the app was showing, saved as one JSON file so that it can be continued later.
//
//   {"format": "thallo-explorer session", "version": 1,
//    "problem": {"name": "image_warping", "options": {"size": "128"}, "device": "h200",
//                "file": ""},
//    "schedule": {"name": "edited", "text": "r.fit:...", "edited": true,
//                 "previous": {"name": "auto", "text": "..."}},
//    "page": "graph", "parts": {"space": {...}}}
//
// "parts" contains the states that models save themselves (workspace.cpp); an unknown part is
// ignored.
#pragma once

#include <QJsonObject>
#include <QString>

#include "core/base/diagnostic.h"
#include "gui/problem/problem_data.h"

namespace thallo::gui {

struct SessionData {
  ProblemRequest problem;
  QString problemFile;  // the problem's .toml file; empty if a plugin defines it
  QString scheduleName, scheduleText;
  bool isEdited = false;               // true if the schedule is on the shelf
  QString previousName, previousText;  // the schedule before that; empty if there is none
  QString page;                        // the id of the page
  QJsonObject parts;

  friend bool operator==(const SessionData&, const SessionData&) = default;
};

// Writes the file, entirely or not at all.
Expected<void> writeSession(const QString& file, const SessionData& session);
// Fails if the file is not a session, is damaged, or is of a later version. The message names the
// file and says what was found.
Expected<SessionData> readSession(const QString& file);

}  // namespace thallo::gui
