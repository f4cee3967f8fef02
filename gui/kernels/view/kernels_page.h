// Shows the kernels of the current schedule: their table, the text of the selected one, and the
// roofline of the device with all of them. The selection is shared with all pages.
#pragma once

#include <QLabel>

#include "gui/workspace/view/page.h"

namespace thallo::gui {

class KernelCode;
class KernelList;
class RooflinePlot;

class KernelsPage final : public Page {
  Q_OBJECT

 public:
  explicit KernelsPage(Workspace& workspace, QWidget* parent = nullptr);

  // True once all kernels are compiled and the directives that asked for them are known.
  bool isSettled() const override;
  int itemCount() const override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeContent();
  QWidget* makeHead();
  void refresh();
  void showKernels();
  void onSelected();
  void showSelection();
  QString caption() const;
  // Lists the kernels that only one of the two schedules has, with links; empty if there is no
  // other schedule.
  QString onlyText() const;
  // Returns the step to show: kernelToShow(), or a selected step that only another schedule has.
  QString shownLabel() const;

  QString m_label;  // of the step that is shown
  QLabel *m_caption, *m_only;
  KernelList* m_list;
  KernelCode* m_code;
  RooflinePlot* m_roofline;
  QLabel* m_rooflineTitle;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
