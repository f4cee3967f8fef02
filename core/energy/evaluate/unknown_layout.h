#pragma once

// Where every scalar of the unknowns sits in the unknown vector: fields in declaration order, each
// element by element (first dimension fastest), the channels of an element adjacent. And the
// unknown *spaces*: unknowns over the same dims form one; an element of it has the channels of all
// of them, in declaration order.
//
// The columns of the unknown vector are what a step δ changes; the *values* of the unknowns are
// laid out alike, but an unknown on a manifold has more of them than columns (manifold.h). Channels
// are tangent channels unless values are meant.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

// One scalar of an unknown.
struct UnknownEntry {
  FieldId unknown;
  std::int64_t element = 0;
  int channel = 0;
};

class UnknownLayout {
 public:
  struct Space {
    std::vector<FieldId> unknowns;
    int channels = 0;
    std::int64_t elements = 0;
  };

  UnknownLayout(const Energy& energy, const Binding& binding);

  std::int64_t size() const { return size_; }
  std::int64_t column(FieldId unknown, std::int64_t element, int channel) const;
  UnknownEntry entry(std::int64_t column) const;

  std::int64_t num_values() const { return num_values_; }
  std::int64_t first_value(FieldId unknown, std::int64_t element) const;

  const std::vector<Space>& spaces() const { return spaces_; }
  std::size_t space(FieldId unknown) const { return places_.at(unknown).space; }
  // First channel of the unknown in an element of its space.
  int first_channel(FieldId unknown) const { return places_.at(unknown).first_channel; }

  // The values as bound, and back.
  std::vector<double> gather(const Binding& binding) const;
  void scatter(const std::vector<double>& values, Binding& binding) const;
  // The element of a column, moved from where it is in `from` by a step along the column; the rest
  // of `to` stays.
  void step(const std::vector<double>& from, std::int64_t column, double length,
            std::vector<double>& to) const;

 private:
  struct Place {
    std::int64_t offset = 0;
    int channels = 0;
    std::int64_t first_value = 0;
    int num_values = 0;  // of an element
    Manifold manifold = Manifold::Euclidean;
    std::size_t space = 0;
    int first_channel = 0;
  };
  std::map<FieldId, Place> places_;
  std::vector<FieldId> order_;
  std::vector<Space> spaces_;
  std::int64_t size_ = 0;
  std::int64_t num_values_ = 0;
};

}  // namespace thallo
