// What can be written next in a schedule text: beginnings, constructs and choices of the directives
// that are legal for the schedule as it is. It knows the directives alone, so those of any plugin
// are completed.
#pragma once

#include <vector>

#include <QString>

#include "gui/models/problem_data.h"
#include "gui/models/schedule_data.h"

namespace thallo::gui {

struct Completion {
  QString text;   // to be written
  QString words;  // what it decides, what it is, or what it costs

  friend bool operator==(const Completion&, const Completion&) = default;
};

struct Completions {
  int begin = 0;  // the column of what `text` takes the place of, up to the cursor
  std::vector<Completion> items;
};

// At the end of a statement, before which only white space and `typed` stand in the line: what the
// directive is about ("r.fit:"), then the construct, then the choice with what closes it. Nothing
// where what is typed is whole, and in comments.
Completions completionsAt(const QString& typed, const SiteTable& table,
                          const std::vector<ConstructInfo>& constructs);

}  // namespace thallo::gui
