// Completes schedule text: the beginnings, constructs and choices that are legal for the current
// schedule. It works from directives alone, so directives of any plugin are completed.
#pragma once

#include <vector>

#include <QString>

#include "gui/problem/problem_data.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

struct Completion {
  QString text;   // the text to insert
  QString words;  // its decision, description or cost

  friend bool operator==(const Completion&, const Completion&) = default;
};

struct Completions {
  int begin = 0;  // column where the replaced text begins; it ends at the cursor
  std::vector<Completion> items;
};

// `typed` is the current line up to the cursor. Completes at the end of a statement that stands
// alone in the line: first the subject ("r.fit:"), then the construct, then the choice with the
// closing characters. Returns nothing in comments, and if the statement is complete.
Completions completionsAt(const QString& typed, const SiteTable& table,
                          const std::vector<ConstructInfo>& constructs);

}  // namespace thallo::gui
