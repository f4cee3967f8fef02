// Shows the decision at one site: its name, what the construct does, the editor of its kind, and
// the reason why a request could not be carried out.
#pragma once

#include <optional>

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWidget>

#include "gui/schedule/view/editors/site_editor.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class SitePanel final : public QWidget {
  Q_OBJECT

 public:
  explicit SitePanel(Workspace& workspace, QWidget* parent = nullptr);
  // Null means that there is nothing to decide.
  void setSite(const SiteRow* site, const SiteTable& table);

 Q_SIGNALS:
  void siteAsked(const QString& id);

 private:
  void tell(const QString& why);

  Workspace& m_workspace;
  QLabel *m_title, *m_doc, *m_times, *m_note;
  QScrollArea* m_scroll;
  SiteEditor* m_editor = nullptr;
  std::optional<EditorKind> m_kind;
  QString m_siteId;
};

}  // namespace thallo::gui
