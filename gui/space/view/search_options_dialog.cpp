#include "gui/space/view/search_options_dialog.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QScrollArea>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

constexpr QSize InitialSize(640, 560);

}  // namespace

SearchOptionsDialog::SearchOptionsDialog(const NamedPart& search, const OptionForm::Values& values,
                                         QWidget* parent)
    : QDialog(parent), m_form(new OptionForm) {
  setObjectName("searchOptionsDialog");
  setWindowTitle(tr("Options of the search %1").arg(search.name));
  resize(InitialSize);
  m_form->setFields(search.options, values);
  m_form->layout()->setContentsMargins(0, 0, 8, 0);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(m_form);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel |
                                       QDialogButtonBox::RestoreDefaults);
  setLayout(makeColumn({wrappedLabel(search.doc), {scroll, 1}, buttons}, OwnMargins, 12));
  QPushButton* accept = buttons->button(QDialogButtonBox::Ok);
  connect(m_form, &OptionForm::changed, this,
          [this, accept] { accept->setEnabled(!m_form->hasFault()); });
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
          [this, accept, fields = search.options] {
            m_form->setFields(fields, {});
            accept->setEnabled(true);
          });
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

}  // namespace thallo::gui
