// A table of all plugins and .toml files that were found, with the reasons why some failed.
#pragma once

#include <memory>

#include <QAbstractTableModel>

#include "gui/problem/catalog.h"

namespace thallo::gui {

class PluginTable final : public QAbstractTableModel {
  Q_OBJECT

 public:
  // Failures come first. FaultRole is empty for a loaded plugin.
  enum Column { NameColumn, VersionColumn, AddsColumn, FileColumn, NumColumns };
  enum Role { FaultRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setCatalog(std::shared_ptr<const Catalog> catalog);
  int failedCount() const { return m_numFailed; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<PluginRow> m_rows;
  int m_numFailed = 0;
};

}  // namespace thallo::gui
