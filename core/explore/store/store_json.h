// Writes records of the measurement store as lines of JSON, for other programs. Each line is an
// object: "record" gives the type, and the other fields are named after the members of the types in
// store_records.h, including those of slots and origins. A real number that JSON cannot represent
// is a text: "inf", "nan"; a text that is no UTF-8 is an array of its bytes.
#pragma once

#include <span>
#include <string>

#include "core/explore/store/store_records.h"

namespace thallo {

// Returns a line that names the format, {"thallo_store": 6}, and then one line for each record.
std::string to_json_lines(std::span<const StoreRecord> records);

}  // namespace thallo
