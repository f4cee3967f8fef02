#include "core/embed/bound_arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"

namespace thallo {
namespace {

std::int64_t size_of(const ArrayView& values) {
  return std::visit([](auto span) { return static_cast<std::int64_t>(span.size()); }, values);
}

bool is_writable(const ArrayView& values) {
  return std::visit(
      [](auto span) { return !std::is_const_v<typename decltype(span)::element_type>; }, values);
}

HostArray to_host(const ArrayView& values) {
  return std::visit(
      [](auto span) {
        using T = typename decltype(span)::value_type;
        return HostArray(std::vector<T>(span.begin(), span.end()));
      },
      values);
}

// Absent when they are of another type.
std::optional<std::vector<std::int32_t>> to_indices(const ArrayView& values) {
  return std::visit(
      [](auto span) -> std::optional<std::vector<std::int32_t>> {
        if constexpr (std::is_same_v<typename decltype(span)::value_type, std::int32_t>)
          return std::vector<std::int32_t>(span.begin(), span.end());
        return std::nullopt;
      },
      values);
}

// What an array can be bound to.
struct Input {
  std::string text;  // "unknown 'X' over (W, H)"
  const std::vector<DimId>& dims;
  std::int64_t channels = 1;  // values of an element
};

// Reads sources into a binding.
class Reader {
 public:
  explicit Reader(const Energy& energy)
      : energy_(energy), binding_(energy), said_by_(energy.dims().size()) {}

  void fault(std::string what) { faults_.push_back(std::move(what)); }

  void read_number(const std::string& name, double number) {
    if (energy_.find_dim(name).valid()) {
      if (number != std::floor(number) || std::abs(number) > 1e15)
        return fault(fmt::format("dim '{}' cannot have the extent {}", name, number));
      return set_extent(energy_.find_dim(name), static_cast<std::int64_t>(number),
                        "the number bound to it");
    }
    const FieldId field = energy_.find_field(name);
    if (field.valid() && energy_.field(field).kind == FieldKind::Param)
      return keep(binding_.set_param(name, number));
    if (const auto input = find_input(name))
      return fault(fmt::format("{} is bound to a number; it needs an array", input->text));
    fault(unknown_name(name));
  }

  // The extents that a shape says.
  void read_shape(const std::string& name, const ArrayView& values, const Shape& shape) {
    const auto input = find_input(name);
    if (!input) return fault(no_input(name));
    if (shape.empty()) return;
    if (shape.size() != input->dims.size()) return fault(other_rank(*input, shape));
    for (std::size_t i = 0; i < shape.size(); ++i)
      set_extent(input->dims[i], shape[i], fmt::format("the shape of '{}'", name));
    std::int64_t count = input->channels;
    for (const std::int64_t extent : shape) count *= extent;
    if (count != size_of(values)) {
      fault(
          fmt::format("{} is bound to {} values; the shape ({}) with {} {} of an element needs {}",
                      input->text, size_of(values), fmt::join(shape, ", "), input->channels,
                      input->channels == 1 ? "value" : "values", count));
    }
  }

  // The number of values of an array with a shape.
  Expected<std::size_t> num_values(const std::string& name, const Shape& shape) const {
    const auto input = find_input(name);
    if (!input) return fail("{}", no_input(name));
    if (shape.size() != input->dims.size()) return fail("{}", other_rank(*input, shape));
    constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max() / 8;  // bytes
    std::int64_t count = input->channels;
    for (const std::int64_t extent : shape) {
      if (extent < 0 || (extent > 0 && count > Most / extent)) {
        return fail(
            "{} is bound with the shape ({}); an extent is 0 or more, and their "
            "product the number of values",
            input->text, fmt::join(shape, ", "));
      }
      count *= extent;
    }
    return static_cast<std::size_t>(count);
  }

  // The extent that follows from the size of an array, if all of its others are known. Returns
  // whether it has been found.
  bool find_extent(const std::string& name, const ArrayView& values) {
    const auto input = find_input(name);
    if (!input) return false;
    std::int64_t known = input->channels;
    DimId open;
    int num_open = 0;
    for (const DimId dim : input->dims) {
      if (binding_.extent(dim) >= 0) {
        known *= binding_.extent(dim);
      } else {
        open = dim;
        ++num_open;
      }
    }
    if (num_open != 1 || known == 0 || size_of(values) % known != 0) return false;
    set_extent(open, size_of(values) / known, fmt::format("the size of '{}'", name));
    return true;
  }

  void read_values(const std::string& name, const ArrayView& values) {
    if (energy_.find_map(name).valid()) {
      auto indices = to_indices(values);
      if (indices) return keep(binding_.set_map(name, *std::move(indices)));
      return fault(fmt::format("sparse map '{}' needs an array of std::int32_t", name));
    }
    const FieldId field = energy_.find_field(name);
    if (energy_.field(field).kind == FieldKind::Unknown && !is_writable(values)) {
      return fault(
          fmt::format("unknown '{}' is bound to an array of constants, which no solution can be "
                      "written into",
                      name));
    }
    keep(binding_.set_field(name, to_host(values)));
  }

  void find_open_dims() {
    for (std::size_t i = 0; i < energy_.dims().size(); ++i) {
      if (binding_.extent(DimId(i)) >= 0) continue;
      fault(fmt::format(
          "dim '{}' has no extent: bind a number to it, or give an array over it a shape",
          energy_.dims()[i].name));
    }
  }

  Expected<void> result() const {
    return faults_.empty() ? Expected<void>{} : fail("{}", fmt::join(faults_, "\n"));
  }
  bool has_faults() const { return !faults_.empty(); }
  Expected<Binding> finish() {
    if (auto read = result(); !read) return fail(read.error());
    if (auto valid = binding_.validate(energy_); !valid) return fail(valid.error());
    return std::move(binding_);
  }

 private:
  void keep(const Expected<void>& done) {
    if (!done) fault(done.error().message());
  }

  // `who` says it.
  void set_extent(DimId dim, std::int64_t extent, const std::string& who) {
    const std::string& name = energy_.dim(dim).name;
    std::string& before = said_by_[dim.index()];
    if (before.empty()) {
      before = who;
      return keep(binding_.set_extent(name, extent));
    }
    if (binding_.extent(dim) == extent) return;
    fault(fmt::format("dim '{}' is {} by {} and {} by {}", name, binding_.extent(dim), before,
                      extent, who));
  }

  std::string dims_text(const std::vector<DimId>& dims) const {
    std::vector<std::string> names;
    for (const DimId dim : dims) names.push_back(energy_.dim(dim).name);
    return fmt::format("({})", fmt::join(names, ", "));
  }

  std::optional<Input> find_input(const std::string& name) const {
    if (const MapId id = energy_.find_map(name); id.valid()) {
      const SparseMap& map = energy_.map(id);
      return Input{fmt::format("sparse map '{}' over {}", name, dims_text(map.in)), map.in,
                   static_cast<std::int64_t>(map.out.size())};
    }
    const FieldId id = energy_.find_field(name);
    if (!id.valid()) return std::nullopt;
    const Field& field = energy_.field(id);
    if (field.kind != FieldKind::Unknown && field.kind != FieldKind::Array) return std::nullopt;
    return Input{fmt::format("{} '{}' over {}", to_string(field.kind), name, dims_text(field.dims)),
                 field.dims, field.channels};
  }

  static std::string other_rank(const Input& input, const Shape& shape) {
    return fmt::format("{} is bound with a shape of {} extents, ({}); it needs {}", input.text,
                       shape.size(), fmt::join(shape, ", "), input.dims.size());
  }

  // Why no array can be bound to a name.
  std::string no_input(const std::string& name) const {
    const FieldId field = energy_.find_field(name);
    const bool is_param = field.valid() && energy_.field(field).kind == FieldKind::Param;
    if (!is_param && !energy_.find_dim(name).valid()) return unknown_name(name);
    return fmt::format("{} '{}' is bound to an array; it needs a number",
                       is_param ? "param" : "dim", name);
  }

  std::string unknown_name(const std::string& name) const {
    std::vector<std::string> legal;
    for (const Field& field : energy_.fields()) {
      if (field.kind != FieldKind::Intermediate) legal.push_back(field.name);
    }
    for (const SparseMap& map : energy_.maps()) legal.push_back(map.name);
    for (const Dim& dim : energy_.dims()) legal.push_back(dim.name);
    return Diagnostic{
        fmt::format("'{}' has no input '{}'{}", energy_.name(), name, did_you_mean(name, legal)),
        {},
        legal}
        .message();
  }

  const Energy& energy_;
  Binding binding_;
  std::vector<std::string> said_by_;  // by dim
  std::vector<std::string> faults_;
};

}  // namespace

void BoundArrays::bind(std::string_view name, ArrayView values, Shape shape) {
  sources_.insert_or_assign(std::string(name), Array{values, std::move(shape)});
}

void BoundArrays::bind(std::string_view name, double number) {
  sources_.insert_or_assign(std::string(name), number);
}

Expected<void> BoundArrays::check_number(const Energy& energy, const std::string& name,
                                         double number) {
  Reader reader(energy);
  reader.read_number(name, number);
  return reader.result();
}

Expected<std::size_t> BoundArrays::num_values(const Energy& energy, const std::string& name,
                                              const Shape& shape) {
  return Reader(energy).num_values(name, shape);
}

Expected<Binding> BoundArrays::read(const Energy& energy) const {
  Reader reader(energy);
  const auto each_array = [this](const auto& visit) {
    for (const auto& [name, source] : sources_) {
      if (const auto* array = std::get_if<Array>(&source)) visit(name, *array);
    }
  };
  for (const auto& [name, source] : sources_) {
    if (const auto* number = std::get_if<double>(&source)) reader.read_number(name, *number);
  }
  each_array([&](const std::string& name, const Array& array) {
    reader.read_shape(name, array.values, array.shape);
  });
  if (reader.has_faults()) return reader.finish();
  for (bool found = true; found;) {
    found = false;
    each_array([&](const std::string& name, const Array& array) {
      found = reader.find_extent(name, array.values) || found;
    });
  }
  reader.find_open_dims();
  each_array(
      [&](const std::string& name, const Array& array) { reader.read_values(name, array.values); });
  return reader.finish();
}

void BoundArrays::write(const Energy& energy, const Binding& solved) const {
  for (const FieldId unknown : energy.unknowns()) {
    const HostArray& values = solved.field(unknown);
    const auto& array = std::get<Array>(sources_.find(energy.field(unknown).name)->second);
    const auto copy = [&](auto span) {
      using T = typename decltype(span)::element_type;
      if constexpr (!std::is_const_v<T>)
        std::ranges::copy(std::get<std::vector<T>>(values.storage()), span.begin());
    };
    std::visit(copy, array.values);
  }
}

bool BoundArrays::holds(const Energy& energy, FieldId unknown, const Binding& solved) const {
  const auto found = sources_.find(energy.field(unknown).name);
  if (found == sources_.end() || !std::holds_alternative<Array>(found->second)) return false;
  const HostArray& written = solved.field(unknown);
  const auto equals = [&](auto span) {
    using T = typename decltype(span)::value_type;
    const auto* values = std::get_if<std::vector<T>>(&written.storage());
    return values != nullptr && std::ranges::equal(*values, span);
  };
  return std::visit(equals, std::get<Array>(found->second).values);
}

bool BoundArrays::has_double_unknowns(const Energy& energy) const {
  return std::ranges::any_of(energy.unknowns(), [&](FieldId unknown) {
    const auto found = sources_.find(energy.field(unknown).name);
    if (found == sources_.end()) return false;
    const auto* array = std::get_if<Array>(&found->second);
    return array != nullptr && std::holds_alternative<std::span<double>>(array->values);
  });
}

}  // namespace thallo
