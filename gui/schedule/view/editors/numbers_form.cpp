#include "gui/schedule/view/editors/numbers_form.h"

#include <algorithm>

#include <QStandardItemModel>
#include <QVBoxLayout>

#include "gui/base/text.h"
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

}  // namespace

NumbersForm::NumbersForm(ScheduleModel& schedule)
    : SiteEditor(schedule), m_form(new QFormLayout), m_status(new QLabel) {
  setObjectName("numbersForm");
  m_status->setObjectName("numbersStatus");
  m_status->setWordWrap(true);
  m_form->setHorizontalSpacing(16);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(m_form);
  layout->addWidget(m_status);
  layout->addStretch();
}

void NumbersForm::makeFields() {
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
    auto* meaning = new QLabel(toQt(number.meaning));
    meaning->setForegroundRole(QPalette::PlaceholderText);
    meaning->setWordWrap(true);
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

std::optional<qint64> NumbersForm::valueOf(const QComboBox& field, int index) {
  const QVariant data = field.itemData(index);
  return data.isValid() ? std::optional(data.toLongLong()) : std::nullopt;
}

NumbersForm::Values NumbersForm::shown() const {
  Values values;
  for (const QComboBox* field : m_fields)
    values[field->property("number").toString()] = valueOf(*field, field->currentIndex());
  return values;
}

std::optional<std::size_t> NumbersForm::choiceOf(const Values& values) const {
  const auto found = std::ranges::find_if(site().choices, [&values](const ChoiceRow& choice) {
    return std::ranges::all_of(values, [&choice](const auto& number) {
      const auto set = choice.args.find<std::int64_t>(number.first.toStdString());
      return set.has_value() == number.second.has_value() && (!set || *set == *number.second);
    });
  });
  if (found == site().choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - site().choices.begin());
}

void NumbersForm::refresh(const SiteTable& table) {
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

void NumbersForm::refreshFields() {
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

void NumbersForm::refreshStatus() {
  const auto choice = choiceOf(shown());
  const bool isLegal = choice && site().choices[*choice].illegal.isEmpty();
  QPalette palette = m_status->palette();
  palette.setColor(QPalette::WindowText, ink(isLegal ? Ink::Muted : Ink::Bad));
  m_status->setPalette(palette);
  if (!choice)
    m_status->setText(tr("These numbers together are no choice."));
  else if (!isLegal)
    m_status->setText(tr("Not taken: %1.").arg(site().choices[*choice].illegal));
  else
    m_status->setText(
        tr("%1: %2").arg(site().choices[*choice].label, costWords(site(), *choice).sentence()));
}

void NumbersForm::onActivated() {
  refreshFields();
  refreshStatus();
  const auto choice = choiceOf(shown());
  m_isAsked = choice && site().choices[*choice].illegal.isEmpty();
  if (m_isAsked) choose(*choice);
}

}  // namespace thallo::gui
