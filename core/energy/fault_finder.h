#pragma once

// The base of the classes that validate an energy (validate.cpp, validate_reads.cpp): the data to
// check, the faults found so far, and names of things for messages.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"

namespace thallo {

class FaultFinder {
 protected:
  // Appends faults to `faults`. Both arguments must outlive this object.
  FaultFinder(const Energy::Data& data, std::vector<Diagnostic>& faults)
      : data_(data), graph_(data.graph), faults_(faults) {}

  // Adds a fault. Alternatives can be added to it until the next fault is added.
  template <class... Args>
  Diagnostic& fault(const SourceLocation& where, fmt::format_string<Args...> format,
                    Args&&... args) {
    return faults_.emplace_back(
        Diagnostic{fmt::vformat(format, fmt::make_format_args(args...)), where, {}});
  }

  // False for an invalid id and for an id of another energy.
  bool has(DimId id) const { return id.valid() && id.index() < data_.dims.size(); }
  const Field& field(FieldId id) const { return data_.fields[id.index()]; }
  DimId dim_of(DomainId id) const { return graph_.indices().domain(id).dim; }

  std::string name(DimId id) const { return has(id) ? data_.dims[id.index()].name : "?"; }
  std::string name(DomainId id) const { return graph_.indices().domain(id).name; }
  std::string dim_list(const std::vector<DimId>& dims) const;           // "{W, H}"
  std::string domain_list(const std::vector<DomainId>& domains) const;  // "(w, h)"

  const Energy::Data& data_;
  const ExprGraph& graph_;
  std::vector<Diagnostic>& faults_;
};

}  // namespace thallo
