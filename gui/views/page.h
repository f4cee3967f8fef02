// A page of the window. It is empty, busy, failed or ready: an empty page says what to do, a busy
// one what is under way, a failed one why, with a way to try again. While something is under way or
// has failed, what was there before stays visible below the message.
#pragma once

#include <functional>
#include <vector>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QWidget>

#include "gui/models/remote.h"
#include "gui/models/workspace.h"

namespace thallo::gui {

// What a button beside the message of a page does.
struct PageAction {
  QString text;
  std::function<void()> run;
  QString toolTip = {};
};

class Page : public QWidget {
  Q_OBJECT

 public:
  // `id` is what the command line calls the page: "graph"; `title` is on its tab.
  Page(Workspace& workspace, const QString& id, const QString& title, QWidget* parent = nullptr);

  const QString& id() const { return m_id; }
  const QString& title() const { return m_title; }
  RemoteState state() const { return m_state; }
  const QString& message() const { return m_message; }
  // Is everything shown that will be, so that a picture of the page can be taken?
  virtual bool isSettled() const { return state() == RemoteState::Ready; }
  // Begins what a picture of the page needs and a user would ask for: a solve, say.
  virtual void prepareForPicture() {}
  // How many things the page shows, for tests: nodes, sites, kernels, points.
  virtual int itemCount() const = 0;

 Q_SIGNALS:
  void stateChanged();

 protected:
  Workspace& workspace() const { return m_workspace; }
  // What is at the top in every state: controls. Before setContent().
  void setHeader(QWidget* header);
  // The widget of the ready page; to be called once, by the constructor of the page.
  void setContent(QWidget* content);
  // With `keepsContent` the content stays visible below the message.
  void setState(RemoteState state, const QString& message = {}, bool keepsContent = false);
  // What the button beside the message does; none without a text.
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
  std::vector<QPushButton*> m_noticeButtons;  // as many as were ever needed
  std::vector<PageAction> m_actions;
  QWidget* m_content = nullptr;
};

}  // namespace thallo::gui
