// The kernels of the current schedule: their table, the text of the one that is selected, and the
// roofline of the device with all of them. What is selected here is selected on all pages.
#pragma once

#include <QLabel>

#include "gui/views/page.h"

namespace thallo::gui {

class KernelCode;
class KernelList;
class RooflinePlot;

class KernelsPage final : public Page {
  Q_OBJECT

 public:
  explicit KernelsPage(Workspace& workspace, QWidget* parent = nullptr);

  // When all kernels are compiled, and it is known who asked for them.
  bool isSettled() const override;
  int itemCount() const override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeContent();
  QWidget* makeHead();
  void refresh();
  void showSelection();
  QString caption() const;
  // Which kernels only one of the two schedules has, with links to them; empty without another one.
  QString onlyText() const;
  // The step that is selected; without one the first of the table.
  QString shownLabel() const;

  QLabel *m_caption, *m_only;
  KernelList* m_list;
  KernelCode* m_code;
  RooflinePlot* m_roofline;
  QLabel* m_rooflineTitle;
};

}  // namespace thallo::gui
