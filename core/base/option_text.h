// Options in messages. The library does not know how users of a program set an option, so its
// messages name options by option_text(), and each program says once how that reads: `thallo`
// writes flags, the app the labels of its fields.
#pragma once

#include <string>
#include <string_view>

namespace thallo {

// How a program names an option, or an option with a value that is not empty.
using OptionSpelling = std::string (*)(std::string_view id, std::string_view value);

// The option as a user of this program knows it. Without a spelling: "the option 'sample'",
// "the option 'search=greedy'".
std::string option_text(std::string_view id, std::string_view value = {});

// Must be called before other threads run.
void set_option_spelling(OptionSpelling spelling);

}  // namespace thallo
