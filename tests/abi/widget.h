// What the test plugins provide: a kind of item that core does not know, as an upper layer would
// have its own.
#pragma once

#include <string>

namespace thallo::test {

class Widget {
 public:
  virtual ~Widget() = default;
  virtual std::string speak() const = 0;
};

class Word final : public Widget {
 public:
  explicit Word(std::string word) : word_(std::move(word)) {}
  std::string speak() const override { return word_; }

 private:
  std::string word_;
};

}  // namespace thallo::test
