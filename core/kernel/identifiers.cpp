#include "core/kernel/identifiers.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

// Words that C, C++ or CUDA keep, whether a text has them or not.
constexpr std::string_view Keywords =
    "alignas alignof and asm auto bitand bitor blockDim blockIdx bool break case catch char "
    "class compl concept const consteval constexpr constinit const_cast continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for "
    "friend goto gridDim if inline int long mutable namespace new noexcept not nullptr operator "
    "or private protected public register reinterpret_cast requires restrict return short signed "
    "sizeof static static_assert static_cast struct switch template this threadIdx thread_local "
    "throw true try typedef typeid typename typeof union unsigned using virtual void volatile "
    "warpSize wchar_t while xor inf nan";

bool is_letter(unsigned char c) { return std::isalpha(c) != 0 || c == '_'; }
bool is_word(unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }

// True for t12 and the like, of which an emitter may declare one that the text lacks so far.
bool is_numbered(std::string_view name) {
  return name.size() > 1 && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name.substr(1), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word(static_cast<unsigned char>(text[at]))) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(static_cast<unsigned char>(text[end]))) ++end;
    if (is_letter(static_cast<unsigned char>(text[at]))) words.emplace(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string identifier_of(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '%')
      result += "found_";
    else
      result += is_word(static_cast<unsigned char>(c)) ? c : '_';
  }
  const bool begins_well = !result.empty() && is_letter(static_cast<unsigned char>(result[0])) &&
                           !result.starts_with("__");
  return begins_well ? result : "x" + result;
}

Identifiers::Identifiers(std::set<std::string, std::less<>> taken) : taken_(std::move(taken)) {
  taken_.merge(words_of(Keywords));
}

std::string Identifiers::take(std::string_view wanted) {
  std::string name = identifier_of(wanted);
  if (is_numbered(name)) name += '_';
  if (taken_.insert(name).second) return name;
  if (!name.ends_with('_')) name += '_';
  std::string tried = name;
  for (int number = 2; !taken_.insert(tried).second; ++number)
    tried = fmt::format("{}{}", name, number);
  return tried;
}

}  // namespace thallo
