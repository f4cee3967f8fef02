#include "core/cost/device/spec_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/toml.h"
#include "core/base/suggest.h"
#include "core/cost/device/spec_fields.h"

namespace thallo {
namespace {

// What a field is, for messages: "'copy' (B/s; read and written, arrays far larger than the
// cache)".
std::string description_of(const SpecField& field) {
  return fmt::format("'{}' ({}{}{})", field.name, field.unit, field.unit.empty() ? "" : "; ",
                     field.doc);
}

// Sets the field from what the file says. Returns the fault, absent when there is none.
class FieldReader {
 public:
  FieldReader(const SpecField& field, const toml::node& node, DeviceSpec& spec)
      : field_(field), node_(node), spec_(spec) {}

  std::optional<std::string> operator()(std::string DeviceSpec::*member) const {
    const auto text = node_.value_exact<std::string>();
    if (!text || (text->empty() && !field_.may_be_empty)) {
      return fmt::format("'{}' must be a text{}", field_.name,
                         field_.may_be_empty ? "" : " that is not empty");
    }
    spec_.*member = *text;
    return std::nullopt;
  }

  std::optional<std::string> operator()(double DeviceSpec::*member) const {
    const auto number = number_of(node_);
    const bool is_legal =
        number && std::isfinite(*number) && (*number > 0 || (*number == 0 && field_.may_be_empty));
    if (!is_legal) {
      return fmt::format("'{}' must be a positive number{}{}", field_.name,
                         field_.may_be_empty ? " or 0" : "",
                         number ? fmt::format(", and is {}", *number) : "");
    }
    spec_.*member = *number;
    return std::nullopt;
  }

  std::optional<std::string> operator()(RateCurve DeviceSpec::*member) const {
    const std::string form =
        fmt::format("'{}' must be a list of pairs [size, rate of that size]", field_.name);
    const toml::array* list = node_.as_array();
    if (list == nullptr) return form;
    std::vector<RateCurve::Point> points;
    for (const toml::node& entry : *list) {
      const toml::array* pair = entry.as_array();
      if (pair == nullptr || pair->size() != 2) return form;
      const auto size = number_of(*pair->get(0));
      const auto rate = number_of(*pair->get(1));
      if (!size || !rate) return form;
      points.push_back({*size, *rate});
    }
    if (const auto fault = RateCurve::find_fault(points))
      return fmt::format("'{}': {}", field_.name, *fault);
    spec_.*member = RateCurve(std::move(points));
    return std::nullopt;
  }

 private:
  static std::optional<double> number_of(const toml::node& node) {
    if (!node.is_number()) return std::nullopt;
    return node.value<double>();
  }

  const SpecField& field_;
  const toml::node& node_;
  DeviceSpec& spec_;
};

std::string toml_text(const std::string& text) {
  std::ostringstream stream;
  stream << toml::value<std::string>(text);
  return stream.str();
}
std::string toml_text(double number) { return fmt::format("{}", number); }
std::string toml_text(const RateCurve& curve) {
  std::vector<std::string> pairs;
  for (const auto& [size, rate] : curve.points())
    pairs.push_back(fmt::format("[{}, {}]", size, rate));
  return fmt::format("[{}]", fmt::join(pairs, ", "));
}

// `path` is that of the file, for messages.
Expected<DeviceSpec> spec_of(const Expected<toml::table>& table,
                             const std::filesystem::path& path) {
  if (!table) return fail(table.error());
  std::vector<std::string> keys;
  for (const SpecField& field : spec_fields()) keys.emplace_back(field.name);
  for (const auto& [key, node] : *table) {
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
      return fail(
          Diagnostic{fmt::format("unknown key '{}'{}", key.str(), did_you_mean(key.str(), keys)),
                     location_of(path, node), keys});
    }
  }
  DeviceSpec spec;
  for (const SpecField& field : spec_fields()) {
    const toml::node* node = table->get(field.name);
    if (node == nullptr) {
      return fail_at({path}, "a device spec must have {}, and this has not", description_of(field));
    }
    if (const auto fault = std::visit(FieldReader(field, *node, spec), field.member))
      return fail_at(location_of(path, *node), "{}", *fault);
  }
  return spec;
}

}  // namespace

Expected<DeviceSpec> read_device_spec(const std::filesystem::path& path) {
  return spec_of(read_toml(path), path);
}

Expected<DeviceSpec> parse_device_spec(std::string_view text, const std::filesystem::path& name) {
  return spec_of(parse_toml(text, name), name);
}

std::string device_spec_text(const DeviceSpec& spec) {
  std::string text;
  for (const SpecField& field : spec_fields()) {
    text += fmt::format(
        "# {}{}{}\n{} = {}\n", field.unit, field.unit.empty() ? "" : ": ", field.doc, field.name,
        std::visit([&](auto member) { return toml_text(spec.*member); }, field.member));
  }
  return text;
}

Expected<void> write_device_spec(const DeviceSpec& spec, const std::filesystem::path& path) {
  return write_file(path, device_spec_text(spec));
}

}  // namespace thallo
