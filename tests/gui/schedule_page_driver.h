// A schedule page with its workspace, and what tests do with it: waiting until it has settled,
// going to a site, asking for the text.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/schedule/view/schedule_page.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {

class SchedulePageDriver {
 public:
  explicit SchedulePageDriver(const QString& problem, const QString& schedule = "default",
                              std::vector<std::string> plugin_path = {})
      : open(problem == "poisson_image_editing"
                 ? small_poisson("h200")
                 : gui::ProblemRequest{.problem = problem, .device = "h200"},
             schedule, std::move(plugin_path)),
        made(gui::makeSchedulePage(open.workspace)),
        page(*made) {
    page.resize(1100, 900);
    page.show();
    settle();
  }

  void settle() {
    const bool has_settled = wait_until(
        [this] { return page.isSettled() && !open.workspace.analysisRunner().isBusy("weights"); });
    EXPECT_TRUE(has_settled) << page.message().toStdString();
  }
  gui::ScheduleModel& model() { return open.workspace.schedule(); }
  const gui::SiteTable& table() { return *model().sites().value; }
  // Of the schedule, once the page has settled.
  std::string text() {
    settle();
    return model().schedule().value->text.toStdString();
  }
  double time() { return model().schedule().value->time.nonlinear; }
  // Fails the test when there is no such site.
  const gui::SiteRow& go_to(const QString& construct, const QString& site) {
    const QString id = gui::SiteRow::idOf(construct, site);
    open.workspace.selection().select({gui::Selection::Kind::Site, id});
    const gui::SiteRow* row = table().find(id);
    EXPECT_NE(row, nullptr) << id.toStdString();
    // The widgets of its editor find their places.
    QCoreApplication::processEvents();
    return row == nullptr ? table().sites.front() : *row;
  }
  template <class T>
  T* find(const QString& name) {
    T* widget = page.findChild<T*>(name);
    EXPECT_NE(widget, nullptr) << name.toStdString();
    return widget;
  }

  OpenWorkspace open;
  std::unique_ptr<gui::Page> made;
  gui::Page& page;
};

}  // namespace thallo::test
