// A form for named whole numbers, each in a field that lists its legal values. A value that is
// illegal together with the other fields is gray. It can be set nevertheless, on the way to another
// combination: the shown combination is taken as soon as it is legal, and until then the form says
// why it is not.
#include <algorithm>
#include <map>

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>

#include "gui/base/text.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// True if fields made for `a` can show `b`.
bool areSame(const std::vector<Numbers::Number>& a, const std::vector<Numbers::Number>& b) {
  return std::ranges::equal(a, b, [](const Numbers::Number& x, const Numbers::Number& y) {
    return x.name == y.name && x.meaning == y.meaning && x.values == y.values &&
           x.may_be_unset == y.may_be_unset;
  });
}

class NumbersForm final : public SiteEditor {
 public:
  explicit NumbersForm(ScheduleModel& schedule)
      : SiteEditor(schedule),
        m_form(new QFormLayout),
        m_status(named(wrappedLabel(), "numbersStatus")) {
    setObjectName("numbersForm");
    m_form->setHorizontalSpacing(16);
    setLayout(makeColumn({m_form, m_status, Cell::gap()}, {0, 0, 0, 0}));
  }

 protected:
  void refresh(const SiteTable& table) override {
    const std::vector<Numbers::Number>& numbers = std::get<Numbers>(site().editor).numbers;
    const bool isOther = m_shownSite != site().id() || !areSame(m_shownNumbers, numbers);
    if (isOther) {
      m_shownNumbers = numbers;
      makeFields();
    }
    const auto& now = schedule().schedule().value;
    // The requested combination was chosen meanwhile, or it was refused or undone.
    const bool isAnswered = m_isAsked && !schedule().isChanging() && schedule().sites().isReady() &&
                            now && now->hash == table.hash;
    const Properties& chosen = site().choices[site().chosen].args;
    // A combination that is being put together is kept until something else is chosen.
    if (isOther || isAnswered || m_shownChosen != chosen) {
      for (QComboBox* field : m_fields) {
        const auto set =
            chosen.find<std::int64_t>(field->property("number").toString().toStdString());
        field->setCurrentIndex(set ? field->findData(qint64{*set}) : 0);
      }
      m_isAsked = false;
    }
    m_shownSite = site().id();
    m_shownChosen = chosen;
    refreshFields();
    refreshStatus();
  }

 private:
  using Values = std::map<QString, std::optional<qint64>>;

  void makeFields() {
    while (m_form->rowCount() > 0) m_form->removeRow(0);
    m_fields.clear();
    for (const Numbers::Number& number : m_shownNumbers) {
      auto* field = new QComboBox;
      const QString name = toQt(number.name);
      field->setObjectName("number " + name);
      field->setProperty("number", name);
      field->setAccessibleName(name);
      field->setAccessibleDescription(toQt(number.meaning));
      field->setToolTip(toQt(number.meaning));
      if (number.may_be_unset) field->addItem(tr("not set"));
      for (const std::int64_t value : number.values)
        field->addItem(QString::number(value), qint64{value});
      auto* meaning = mutedNote(toQt(number.meaning));
      auto* line = new QHBoxLayout;
      line->setSpacing(12);
      field->setMinimumWidth(110);
      line->addWidget(field);
      line->addWidget(meaning, 1);
      m_form->addRow(name, line);
      connect(field, &QComboBox::activated, this, &NumbersForm::onActivated);
      m_fields.push_back(field);
    }
  }

  void onActivated() {
    refreshFields();
    refreshStatus();
    const auto choice = choiceOf(shown());
    m_isAsked = choice && site().choices[*choice].illegal.isEmpty();
    if (m_isAsked) choose(*choice);
  }

  void refreshFields() {
    const Values values = shown();
    for (QComboBox* field : m_fields) {
      for (int i = 0; i < field->count(); ++i) {
        Values other = values;
        other[field->property("number").toString()] = valueOf(*field, i);
        const auto choice = choiceOf(other);
        const bool isLegal = choice && site().choices[*choice].illegal.isEmpty();
        field->setItemData(i, ink(isLegal ? Ink::Text : Ink::Muted), Qt::ForegroundRole);
        field->setItemData(i, choice ? choiceTip(site(), *choice) : tr("Not a choice by itself"),
                           Qt::ToolTipRole);
        field->setItemData(i, isLegal ? QString() : field->itemData(i, Qt::ToolTipRole),
                           Qt::AccessibleDescriptionRole);
      }
    }
  }

  void refreshStatus() {
    const auto choice = choiceOf(shown());
    const bool isLegal = choice && site().choices[*choice].illegal.isEmpty();
    m_status->setForegroundRole(isLegal ? QPalette::PlaceholderText : FaultRole);
    if (!choice)
      m_status->setText(tr("These numbers together are no choice."));
    else if (!isLegal)
      m_status->setText(tr("Not taken: %1.").arg(site().choices[*choice].illegal));
    else
      m_status->setText(
          tr("%1: %2").arg(site().choices[*choice].label, costWords(site(), *choice).sentence()));
  }

  Values shown() const {
    Values values;
    for (const QComboBox* field : m_fields)
      values[field->property("number").toString()] = valueOf(*field, field->currentIndex());
    return values;
  }

  // Returns the site's choice with these numbers; absent if there is none.
  std::optional<std::size_t> choiceOf(const Values& values) const {
    const auto found = std::ranges::find_if(site().choices, [&values](const ChoiceRow& choice) {
      return std::ranges::all_of(values, [&choice](const auto& number) {
        const auto set = choice.args.find<std::int64_t>(number.first.toStdString());
        return set.has_value() == number.second.has_value() && (!set || *set == *number.second);
      });
    });
    if (found == site().choices.end()) return std::nullopt;
    return static_cast<std::size_t>(found - site().choices.begin());
  }

  static std::optional<qint64> valueOf(const QComboBox& field, int index) {
    const QVariant data = field.itemData(index);
    return data.isValid() ? std::optional(data.toLongLong()) : std::nullopt;
  }

  QFormLayout* m_form;
  std::vector<QComboBox*> m_fields;  // one for each number
  QLabel* m_status;
  QString m_shownSite;
  std::vector<Numbers::Number> m_shownNumbers;
  Properties m_shownChosen;  // the numbers of the current choice
  bool m_isAsked = false;    // true if the shown combination was requested, without an answer yet
};

}  // namespace

SiteEditor* makeNumbersForm(ScheduleModel& schedule) { return new NumbersForm(schedule); }

}  // namespace thallo::gui
