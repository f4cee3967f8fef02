// A session: what the app was showing, as one JSON file, so that it can be gone on with later.
//
//   {"format": "thallo-explorer session", "version": 1,
//    "problem": {"name": "image_warping", "options": {"size": "128"}, "device": "h200",
//                "file": ""},
//    "schedule": {"name": "edited", "text": "r.fit:...", "edited": true,
//                 "previous": {"name": "auto", "text": "..."}},
//    "page": "graph", "parts": {"space": {...}}}
//
// "parts" are what models keep of their own (session_parts.h); a part that nobody knows any more is
// ignored.
#pragma once

#include <QJsonObject>
#include <QString>

#include "core/base/diagnostic.h"
#include "gui/models/problem_data.h"

namespace thallo::gui {

struct SessionData {
  ProblemRequest problem;
  QString problemFile;  // the .toml file that the problem is of; empty when a plugin provides it
  QString scheduleName, scheduleText;
  bool isEdited = false;               // Is the schedule one of the shelf?
  QString previousName, previousText;  // of the schedule before that; empty when there is none
  QString page;                        // its id
  QJsonObject parts;

  friend bool operator==(const SessionData&, const SessionData&) = default;
};

// The file is written whole or not at all.
Expected<void> writeSession(const QString& file, const SessionData& session);
// Fails for a file that is no session, is damaged, or is of a later version, each with its name and
// what was found.
Expected<SessionData> readSession(const QString& file);

}  // namespace thallo::gui
