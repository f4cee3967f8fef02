// Writes records of the measurement store as lines of JSON, which can be kept in text files, read
// by other programs, and moved from one store to another. Each line is an object: "record" gives
// the type, and the other fields are named after the members of the types in store_records.h,
// including those of slots and origins. All fields are required, except those that format 1 did not
// have. A real number that JSON cannot represent is a text: "inf", "nan"; a text that is no UTF-8
// is an array of its bytes.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/explore/store/store_records.h"

namespace thallo {

// Returns a line that names the format, {"thallo_store": 6}, and then one line for each record.
std::string to_json_lines(std::span<const StoreRecord> records);

// Errors state the line of the file: invalid JSON, an unknown record type or field, a missing field
// or one of the wrong type, a text that is not one of the legal values, a record that
// check_record() refuses, or an unknown format. Blank lines are skipped. Appends the line of each
// record to `places`.
Expected<std::vector<StoreRecord>> parse_json_lines(const std::filesystem::path& name,
                                                    std::string_view content,
                                                    std::vector<SourceLocation>* places = nullptr);

}  // namespace thallo
