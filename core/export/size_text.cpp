#include "core/export/size_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace thallo {

void SizeText::add(std::int64_t factor, std::vector<DimId> dims) {
  std::ranges::sort(dims);
  if ((terms_[dims] += factor) == 0) terms_.erase(dims);
}

void SizeText::subtract(const SizeText& other) {
  for (const auto& [dims, factor] : other.terms_) add(-factor, dims);
}

std::string SizeText::text(const std::vector<std::string>& dims) const {
  std::string sum;
  for (const auto& [of, factor] : terms_) {
    if (!sum.empty()) sum += " + ";
    std::string product = factor == 1 && !of.empty() ? "" : fmt::format("{}", factor);
    for (const DimId dim : of) {
      if (!product.empty()) product += " * ";
      product += dims[dim.index()];
    }
    sum += product;
  }
  return sum.empty() ? "0" : sum;
}

}  // namespace thallo
