// Names of things of an energy and of a program as identifiers of C, C++ and CUDA.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace thallo {

// "Ap.points" becomes Ap_points; "%0353", which is a found intermediate, found_0353.
std::string identifier_of(std::string_view name);

// Returns the identifiers in a text.
std::set<std::string, std::less<>> words_of(std::string_view text);

class Identifiers {
 public:
  // Those that are taken are never returned, and no word that one of the languages keeps.
  explicit Identifiers(std::set<std::string, std::less<>> taken = {});

  // Returns an identifier like `wanted`, which then is taken.
  std::string take(std::string_view wanted);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace thallo
