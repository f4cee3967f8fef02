// Results by what they depend on, up to a number of them. Private to estimates.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace thallo {

// Parts, their efforts, and the steps of intermediates that an estimator keeps, of each so many. A
// part takes some kilobytes.
inline constexpr std::size_t MostKept = 4096;

template <class Key, class Value>
class Kept {
 public:
  explicit Kept(std::size_t most) : most_(most) {}

  // Returns the result for the key, which `make` computes if it is not kept. A result outlives its
  // being kept while somebody holds it.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    if (const auto found = results_.find(key); found != results_.end()) return found->second;
    auto result = std::make_shared<const Value>(make());
    // A search that draws plans at random sees most of them once. What it needs again is soon back.
    if (results_.size() >= most_) results_.clear();
    results_.emplace(key, result);
    return result;
  }

 private:
  std::size_t most_;
  std::map<Key, std::shared_ptr<const Value>> results_;
};

}  // namespace thallo
