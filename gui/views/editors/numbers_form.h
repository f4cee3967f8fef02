// Whole numbers by name, each a field with the values that it may have. A value that makes no legal
// combination with the other fields is gray. It can be set nevertheless, on the way to another
// combination: what is shown is taken as soon as it is legal, and until then the form says why not.
#pragma once

#include <map>

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>

#include "gui/views/editors/site_editor.h"

namespace thallo::gui {

class NumbersForm final : public SiteEditor {
  Q_OBJECT

 public:
  explicit NumbersForm(ScheduleModel& schedule);

 protected:
  void refresh(const SiteTable& table) override;

 private:
  using Values = std::map<QString, std::optional<qint64>>;

  void makeFields();
  void onActivated();
  void refreshFields();
  void refreshStatus();
  Values shown() const;
  // The choice that sets these, among those of the site; absent when there is none.
  std::optional<std::size_t> choiceOf(const Values& values) const;
  static std::optional<qint64> valueOf(const QComboBox& field, int index);

  QFormLayout* m_form;
  std::vector<QComboBox*> m_fields;  // by number
  QLabel* m_status;
  QString m_shownSite;
  std::vector<Numbers::Number> m_shownNumbers;
  Properties m_shownChosen;  // the numbers that are set
  bool m_isAsked = false;    // what is shown was asked for, and the answer is not known yet
};

}  // namespace thallo::gui
