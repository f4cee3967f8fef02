// A form for the options of a problem or of a search. Faults of a value are shown below it while
// typing; so is what is known of the file that it names.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <QLabel>
#include <QWidget>

#include "gui/problem/catalog.h"
#include "gui/workspace/view/bound_note.h"

namespace thallo::gui {

class OptionForm final : public QWidget {
  Q_OBJECT

 public:
  using Values = std::vector<std::pair<QString, QString>>;

  OptionForm();

  // `values` are those that differ from the defaults.
  void setFields(const std::vector<OptionSpec>& fields, const Values& values);
  // Returns the values of the options that differ from their defaults.
  Values values() const;
  bool hasFault() const;
  // Returns the values of all options, and of those that name a file.
  InputSources texts() const;
  InputSources files() const;
  // By option. Faults of something that is no option stand below all of them.
  void showFacts(std::map<QString, InputFacts> facts);

 Q_SIGNALS:
  void changed();

 private:
  struct Row {
    OptionSpec field;
    std::function<QString()> text;
    BoundNote* note = nullptr;
    InputFacts facts = {};
  };
  QWidget* makeEditor(const OptionSpec& field, const QString& value, Row& row);
  void check(const Row& row);

  std::vector<Row> m_rows;
  QWidget* m_body = nullptr;
  QLabel* m_rest = nullptr;  // what is wrong with no option of its own
};

}  // namespace thallo::gui
