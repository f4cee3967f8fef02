// A form for the options of a problem. Faults of a value are shown below it while typing.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <QFormLayout>
#include <QLabel>
#include <QWidget>

#include "gui/problem/catalog.h"

namespace thallo::gui {

class OptionForm final : public QWidget {
  Q_OBJECT

 public:
  using Values = std::vector<std::pair<QString, QString>>;

  explicit OptionForm(QWidget* parent = nullptr);

  // `values` are those that differ from the defaults.
  void setFields(const std::vector<OptionField>& fields, const Values& values);
  // Returns the values of the options that differ from their defaults.
  Values values() const;
  bool hasFault() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Row {
    OptionField field;
    std::function<QString()> text;
    QLabel* note;  // what the option is, or what is wrong with its value
  };
  QWidget* makeEditor(const OptionField& field, const QString& value, Row& row);
  void check(const Row& row);

  std::vector<Row> m_rows;
  QWidget* m_body = nullptr;
};

}  // namespace thallo::gui
