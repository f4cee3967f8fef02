// The options of a search, as a form.
#pragma once

#include <QDialog>

#include "gui/workspace/view/option_form.h"

namespace thallo::gui {

class SearchOptionsDialog final : public QDialog {
  Q_OBJECT

 public:
  // `values` are those that differ from the defaults.
  SearchOptionsDialog(const NamedPart& search, const OptionForm::Values& values,
                      QWidget* parent = nullptr);

  OptionForm::Values values() const { return m_form->values(); }

 private:
  OptionForm* m_form;
};

}  // namespace thallo::gui
