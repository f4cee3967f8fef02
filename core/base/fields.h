// Declares the fields of a struct once, beside it, for all that goes by their names: JSON
// (json_fields.h) and the tables of the measurement store.
//
//   struct DeviceRecord {
//     std::string signature;
//     std::string name;
//   };
//   THALLO_FIELDS(DeviceRecord, signature, name)
//
// defines visit_fields(DeviceRecord& r, fields), which calls fields("signature", r.signature) and
// fields("name", r.name). A struct whose fields have other names than its members defines
// visit_fields() itself.
#pragma once

#include <type_traits>

namespace thallo {

// True for structs whose fields count as fields of what has the struct.
template <class T>
inline constexpr bool is_flat = false;

template <class Fields, class T>
void visit_field(Fields& fields, const char* name, T& value) {
  if constexpr (is_flat<T>) {
    visit_fields(value, fields);
  } else {
    fields(name, value);
  }
}

template <class T, class Fields>
requires std::is_empty_v<T>
void visit_fields(T& /*r*/, Fields&& /*fields*/) {}

}  // namespace thallo

#define THALLO_FIELDS(Type, ...)                  \
  template <class Fields>                         \
  void visit_fields(Type& r, Fields&& fields) {   \
    THALLO_SCAN_1(THALLO_EACH_FIELD(__VA_ARGS__)) \
  }

// A macro cannot call itself: each field leaves the call for those after it to the next scan of the
// text, and there are 64 scans.
#define THALLO_EACH_FIELD(name, ...)            \
  ::thallo::visit_field(fields, #name, r.name); \
  __VA_OPT__(THALLO_OTHER_FIELDS THALLO_NO_ARGUMENTS(__VA_ARGS__))
#define THALLO_OTHER_FIELDS() THALLO_EACH_FIELD
#define THALLO_NO_ARGUMENTS ()
#define THALLO_SCAN_1(...) THALLO_SCAN_2(THALLO_SCAN_2(THALLO_SCAN_2(THALLO_SCAN_2(__VA_ARGS__))))
#define THALLO_SCAN_2(...) THALLO_SCAN_3(THALLO_SCAN_3(THALLO_SCAN_3(THALLO_SCAN_3(__VA_ARGS__))))
#define THALLO_SCAN_3(...) THALLO_SCAN_4(THALLO_SCAN_4(THALLO_SCAN_4(THALLO_SCAN_4(__VA_ARGS__))))
#define THALLO_SCAN_4(...) __VA_ARGS__
