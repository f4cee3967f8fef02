// The problems of the catalog as a list, and a filter for the words of a search.
#pragma once

#include <memory>

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QStringList>

#include "gui/problem/catalog.h"

namespace thallo::gui {

class ProblemList final : public QAbstractListModel {
 public:
  // Qt::DisplayRole is the title.
  enum Role { NameRole = Qt::UserRole, ShowsRole, CitationRole, ProviderRole, PictureRole };

  using QAbstractListModel::QAbstractListModel;

  // Null shows no problems.
  void setCatalog(std::shared_ptr<const Catalog> catalog);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  std::shared_ptr<const Catalog> m_catalog;
};

// Shows problems for which every word of the search is in the name, the title, the features or the
// citation, in any order and ignoring case.
class ProblemFilter final : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setSearch(const QString& search);
  // Invalid if there is none, or if the search hides it.
  QModelIndex find(const QString& name) const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList m_words;
};

}  // namespace thallo::gui
