// A page of the window. It is empty, busy, failed or ready. An empty page says what to do; a busy
// page says what is in progress; a failed page says why and offers to try again. In the busy and
// failed states, earlier content remains visible below the message.
#pragma once

#include <functional>
#include <vector>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "gui/base/remote.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

// The action of a button beside the message of a page.
struct PageAction {
  QString text;
  std::function<void()> run;
  QString toolTip = {};
};

class Page : public QWidget {
  Q_OBJECT

 public:
  // `id` is the page's name on the command line: "graph". `title` is the text of its tab.
  Page(Workspace& workspace, const QString& id, const QString& title);

  const QString& id() const { return m_id; }
  const QString& title() const { return m_title; }
  RemoteState state() const { return m_state; }
  const QString& message() const { return m_message; }
  // True if the page shows everything it is going to, so that a picture can be taken.
  virtual bool isSettled() const {
    return state() == RemoteState::Ready && !ShownRefresh::isUnderWay(*this);
  }
  // Starts what a user would request and a picture needs, for example a solve.
  virtual void prepareForPicture() {}
  // Counts the things that the page shows (nodes, sites, kernels, points), for tests.
  virtual int itemCount() const = 0;

 Q_SIGNALS:
  // Emitted to show another page, by its id.
  void pageAsked(const QString& id);

 protected:
  Workspace& workspace() const { return m_workspace; }
  // Sets the controls at the top, which are visible in every state. Must be called before
  // setContent().
  void setHeader(QWidget* header);
  // Sets the widget of the ready page. The constructor of the page must call it, once.
  void setContent(QWidget* content);
  // With `keepsContent`, the content remains visible below the message.
  void setState(RemoteState state, const QString& message = {}, bool keepsContent = false);
  // Sets the action of the button beside the message; an empty text means no button.
  void setAction(const QString& text, std::function<void()> action);
  void setActions(std::vector<PageAction> actions);
  template <class T>
  void follow(const Remote<T>& remote, const QString& empty, const QString& busy) {
    switch (remote.state) {
      case RemoteState::Empty: return setState(RemoteState::Empty, empty);
      case RemoteState::Busy: return setState(RemoteState::Busy, busy, remote.value != nullptr);
      case RemoteState::Failed:
        return setState(RemoteState::Failed, remote.error, remote.value != nullptr);
      case RemoteState::Ready: return setState(RemoteState::Ready);
    }
  }

 private:
  Workspace& m_workspace;
  QString m_id, m_title, m_message;
  RemoteState m_state = RemoteState::Empty;
  QWidget* m_notice;
  QLabel* m_noticeText;
  QHBoxLayout* m_noticeRow;
  std::vector<QPushButton*> m_noticeButtons;  // reused; as many as were ever needed
  std::vector<PageAction> m_actions;
  QWidget* m_content = nullptr;
};

}  // namespace thallo::gui
