// Numbers of scalars as C++ expressions of extents: "2 * m.W * m.H + m.N".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

class SizeText {
 public:
  // Adds `factor` times the number of points of `dims`.
  void add(std::int64_t factor, std::vector<DimId> dims);
  void subtract(const SizeText& other);

  // `dims` are the expressions of extents, by DimId.
  std::string text(const std::vector<std::string>& dims) const;

 private:
  std::map<std::vector<DimId>, std::int64_t> terms_;
};

}  // namespace thallo
