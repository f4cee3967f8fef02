// Describes the problem of the selected card: what it is, its options as a form and, once it is
// open, its energy. While it opens, says what is in progress; if that failed, why. The files that
// options name, and the bindings of an energy of the user, are checked while they are typed.
#pragma once

#include <map>
#include <memory>

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QWidget>

#include "gui/problem/binding_model.h"
#include "gui/workspace/view/option_form.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class ProblemDetails final : public QWidget {
 public:
  enum Tab { OptionsTab, EnergyTab };

  explicit ProblemDetails(Workspace& workspace);

  // Takes a name from the catalog, or one that is not in it, so that its fault is shown.
  void setProblem(const QString& name);
  // Opens the problem with the options, the device and the cost model of the form, unless one of
  // them has a fault.
  void open();

 private:
  QWidget* makeStatus();
  QWidget* makeOpenRow();
  void refreshCatalog();
  void setForm(const OptionForm::Values& values);
  // Reads the energy whose bindings the options are, if they are that.
  void readEnergy();
  void checkBindings();
  void refreshProblem();
  void refreshDevices();
  void refreshModels();
  const ProblemCard* card() const;
  bool isOfOpenProblem() const;

  Workspace& m_workspace;
  QString m_name;
  ProblemCard m_shown;                              // the problem that the form was made for
  std::map<QString, OptionForm::Values> m_options;  // by problem, as last typed or opened
  QLabel *m_title, *m_shows, *m_source;
  std::shared_ptr<const Energy> m_energyOfForm;  // null unless the options are its bindings
  BindingModel m_bindings;
  QWidget* m_openRow;
  QComboBox *m_device, *m_model;
  QPushButton* m_open;
  QWidget* m_status;
  QLabel* m_statusText;
  QProgressBar* m_progress;
  QPushButton* m_retry;
  QTabBar* m_tabs;
  QStackedWidget* m_stack;
  OptionForm* m_form;
};

}  // namespace thallo::gui
