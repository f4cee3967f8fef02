// A form for named whole numbers, each in a field that lists its legal values. A value that is
// illegal together with the other fields is gray. It can be set nevertheless, on the way to another
// combination: the shown combination is taken as soon as it is legal, and until then the form says
// why it is not.
#pragma once

#include <map>

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>

#include "gui/schedule/view/editors/site_editor.h"

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
  // Returns the site's choice with these numbers; absent if there is none.
  std::optional<std::size_t> choiceOf(const Values& values) const;
  static std::optional<qint64> valueOf(const QComboBox& field, int index);

  QFormLayout* m_form;
  std::vector<QComboBox*> m_fields;  // one for each number
  QLabel* m_status;
  QString m_shownSite;
  std::vector<Numbers::Number> m_shownNumbers;
  Properties m_shownChosen;  // the numbers of the current choice
  bool m_isAsked = false;    // true if the shown combination was requested, without an answer yet
};

}  // namespace thallo::gui
