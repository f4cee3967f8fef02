// Records of the measurement store as lines of JSON, to be kept in text files, read by other
// programs, and carried from one store to another. A line is an object: "record" says of what
// type, the other fields are named after the members of the types in store_records.h, those of
// slots and origins among them. All must be there, but for those that format 1 had not yet. A real
// number that JSON cannot write is a text: "inf", "nan".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/explore/store_records.h"

namespace thallo {

// A line for each record, after one that names the format: {"thallo_store": 2}.
std::string to_json_lines(std::span<const StoreRecord> records);

// Errors name the line of the file: no JSON, an unknown type of record or field, a field that is
// missing or of another type, a text that is none of the legal ones, a record that check_record()
// refuses, a format that is not known. Blank lines are skipped.
Expected<std::vector<StoreRecord>> parse_json_lines(const std::filesystem::path& name,
                                                    std::string_view content);

}  // namespace thallo
