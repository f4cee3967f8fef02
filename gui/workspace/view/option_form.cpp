#include "gui/workspace/view/option_form.h"

#include <algorithm>
#include <variant>

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>

#include "gui/base/text.h"
#include "gui/widgets/file_edit.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Returns for example "1 … 10" or "at least 0"; empty if every number is legal.
QString optionRange(const OptionSpec& field) {
  const auto number = [](double value) { return QString::number(value, 'g', 10); };
  if (field.minimum && field.maximum)
    return number(*field.minimum) + QStringLiteral("\u00a0…\u00a0") + number(*field.maximum);
  if (field.minimum) return OptionForm::tr("at least %1").arg(number(*field.minimum));
  if (field.maximum) return OptionForm::tr("at most %1").arg(number(*field.maximum));
  return {};
}

QString optionNote(const OptionSpec& field) {
  const QString range = optionRange(field), doc = toQt(field.doc);
  return range.isEmpty() ? doc : doc + QStringLiteral("  (") + range + ')';
}

QString defaultOf(const OptionSpec& field) { return toQt(to_string(field.default_value)); }

QString optionPlaceholder(const OptionSpec& field) {
  const QString text = defaultOf(field);
  if (text.isEmpty()) return OptionForm::tr("none: input that is made");
  return OptionForm::tr("by default %1").arg(text);
}

}  // namespace

OptionForm::OptionForm() {
  setObjectName("optionForm");
  setLayout(makeColumn({}, {0, 0, 0, 0}));
}

void OptionForm::setFields(const std::vector<OptionSpec>& fields, const Values& values) {
  delete m_body;
  m_rows.clear();
  m_body = new QWidget;
  auto* form = new QFormLayout(m_body);
  form->setContentsMargins(0, 0, 0, 0);
  form->setHorizontalSpacing(16);
  form->setVerticalSpacing(8);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  for (const OptionSpec& field : fields) {
    const QString name = toQt(field.name);
    const auto given = std::ranges::find(values, name, &Values::value_type::first);
    Row row{.field = field};
    QWidget* editor =
        makeEditor(field, given == values.end() ? defaultOf(field) : given->second, row);
    QWidget* taker = editor->focusProxy() == nullptr ? editor : editor->focusProxy();
    taker->setAccessibleName(name);
    editor->setToolTip(optionNote(field));
    row.note = new BoundNote(taker, optionNote(field));
    row.note->text().setObjectName(QStringLiteral("note_") + name);
    auto* cell = makeColumn({editor}, OwnMargins, 2);
    // A check box is as wide as its column, to leave room for the note below it.
    editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    cell->addWidget(row.note);
    auto* label = new QLabel(name);
    label->setBuddy(taker);
    label->setContentsMargins(0, 4, 0, 0);
    form->addRow(label, cell);
    m_rows.push_back(std::move(row));
    check(m_rows.back());
  }
  m_rest = named(wrappedLabel(), "formFault");
  m_rest->setForegroundRole(FaultRole);
  m_rest->hide();
  form->addRow(m_rest);
  layout()->addWidget(m_body);
}

QWidget* OptionForm::makeEditor(const OptionSpec& field, const QString& value, Row& row) {
  const auto onChange = [this, index = m_rows.size()] {
    check(m_rows[index]);
    Q_EMIT changed();
  };
  const QString name = QStringLiteral("option_") + toQt(field.name);
  if (std::holds_alternative<bool>(field.default_value)) {
    auto* box = named(new QCheckBox, name);
    box->setChecked(value == QLatin1String("true"));
    connect(box, &QCheckBox::toggled, this, onChange);
    row.text = [box] {
      return box->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    };
    return box;
  }
  if (!field.choices.empty()) {
    auto* box = named(new QComboBox, name);
    for (const std::string& choice : field.choices) box->addItem(toQt(choice));
    box->setCurrentText(value);
    connect(box, &QComboBox::currentTextChanged, this, onChange);
    row.text = [box] { return box->currentText(); };
    return box;
  }
  auto* file = field.is_file ? new FileEdit : nullptr;
  QLineEdit* line = file != nullptr ? &file->line() : new QLineEdit;
  line->setObjectName(name);
  line->setText(value);
  line->setPlaceholderText(optionPlaceholder(field));
  connect(line, &QLineEdit::textChanged, this, onChange);
  // An empty line means the default.
  row.text = [line, field] {
    const QString text = line->text().trimmed();
    return text.isEmpty() ? defaultOf(field) : text;
  };
  return file != nullptr ? static_cast<QWidget*>(file) : line;
}

void OptionForm::check(const Row& row) {
  const QString fault = optionFault(row.field, row.text());
  row.note->show(fault.isEmpty() ? row.facts : InputFacts{.fault = fault});
}

void OptionForm::showFacts(std::map<QString, InputFacts> facts) {
  for (Row& row : m_rows) {
    row.facts = std::exchange(facts[toQt(row.field.name)], {});
    check(row);
  }
  QStringList rest;
  for (const auto& [name, its] : facts)
    if (!its.fault.isEmpty() && !rest.contains(its.fault)) rest.append(its.fault);
  // A fault between two inputs is also with the dim, which is no option.
  for (const Row& row : m_rows)
    for (const QString& line : row.facts.fault.split('\n')) rest.removeAll(line);
  m_rest->setText(rest.join('\n'));
  m_rest->setVisible(!rest.isEmpty());
}

InputSources OptionForm::texts() const {
  InputSources texts;
  for (const Row& row : m_rows) texts.emplace_back(toQt(row.field.name), row.text());
  return texts;
}

InputSources OptionForm::files() const {
  InputSources files;
  for (const Row& row : m_rows)
    if (row.field.is_file) files.emplace_back(toQt(row.field.name), row.text());
  return files;
}

OptionForm::Values OptionForm::values() const {
  Values values;
  for (const Row& row : m_rows)
    if (row.text() != defaultOf(row.field)) values.emplace_back(toQt(row.field.name), row.text());
  return values;
}

bool OptionForm::hasFault() const {
  return std::ranges::any_of(
      m_rows, [](const Row& row) { return !optionFault(row.field, row.text()).isEmpty(); });
}

}  // namespace thallo::gui
