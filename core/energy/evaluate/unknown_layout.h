#pragma once

// Defines the position of every scalar of the unknowns in the unknown vector: fields in declaration
// order, each element by element (first dimension fastest), the channels of an element adjacent. It
// also groups unknowns into *spaces*: all unknowns over the same dims form one, and an element of
// the space has the channels of all of them, in declaration order.
//
// The unknown vector has a column for each number of a step δ. The *values* of the unknowns are
// laid out in the same way, but an unknown on a manifold can have more values than columns
// (core/energy/manifold.h). Channels are tangent channels except where values are meant.

#include <cstdint>
#include <map>
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
  // Returns the position of the unknown's first channel among the channels of an element of its
  // space.
  int first_channel(FieldId unknown) const { return places_.at(unknown).first_channel; }

  // Read all values from the unknowns of a binding, and write them back.
  std::vector<double> gather(const Binding& binding) const;
  void scatter(const std::vector<double>& values, Binding& binding) const;
  // Moves the element that a column belongs to, from its values in `from`, by a step of `length`
  // along the column, and writes its new values to `to`; all other values in `to` are unchanged.
  void step(const std::vector<double>& from, std::int64_t column, double length,
            std::vector<double>& to) const;

 private:
  struct Place {
    std::int64_t offset = 0;
    int channels = 0;
    std::int64_t first_value = 0;
    int num_values = 0;  // per element
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
