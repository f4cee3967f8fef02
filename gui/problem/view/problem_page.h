// Shows cards of all problems, and the problem that is selected or open: its options as a form, its
// sizes and its energy; before one is, where to begin. From here, users open their own energies and
// begin new ones, and new problems and constructs.
#pragma once

#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

#include "gui/problem/problem_list.h"
#include "gui/problem/view/problem_details.h"
#include "gui/problem/view/problem_gallery.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {

class ProblemPage final : public Page {
  Q_OBJECT

 public:
  explicit ProblemPage(Workspace& workspace);
  // The number of cards that the search shows.
  int itemCount() const override { return m_filter->rowCount(); }
  bool isSettled() const override;

  // Opens a .toml file, or a .lua file through the .toml file of the same name beside it. If there
  // is none, asks for the bindings of the energy's inputs.
  void openFile(const QString& file);
  // Shows where to begin, and selects no card.
  void showStart();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeBar();
  void connectGallery();
  void showDetails(const QString& problem);
  void refreshCatalog();
  void refreshProblem();
  void selectCard(const QString& name);
  void selectFirstCard();
  QStringList fileSuffixes();
  void askForFile();
  void askForNewEnergy();

  ProblemList* m_problems;
  ProblemFilter* m_filter;
  QLineEdit* m_search;
  ProblemGallery* m_gallery;
  QStackedWidget* m_right;
  QWidget* m_start;
  ProblemDetails* m_details;
  QToolButton* m_plugins;
  ShownRefresh m_find;
};

}  // namespace thallo::gui
