#include "core/embed/bound_arrays.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/embed/input_reader.h"

namespace thallo {
namespace {

std::int64_t size_of(const ArrayView& values) {
  return std::visit([](auto span) { return static_cast<std::int64_t>(span.size()); }, values);
}

MemoryRange memory_of(const ArrayView& values) {
  return std::visit(
      [](auto span) {
        const auto begin = reinterpret_cast<std::uintptr_t>(span.data());
        return MemoryRange{begin, begin + span.size_bytes()};
      },
      values);
}

// Collects where unknowns lie. Two of them in one place would be written one over the other.
class UnknownMemory {
 public:
  UnknownMemory(const Energy& energy, InputReader& reader) : energy_(energy), reader_(reader) {}

  void add(const std::string& name, MemoryRange range) {
    const FieldId field = energy_.find_field(name);
    if (!field.valid() || energy_.field(field).kind != FieldKind::Unknown) return;
    for (const auto& [other, used] : seen_) {
      if (range.overlaps(used))
        reader_.fault_of(name, fmt::format("its array shares memory with that of '{}'", other));
    }
    seen_.emplace_back(name, range);
  }

 private:
  const Energy& energy_;
  InputReader& reader_;
  std::vector<std::pair<std::string, MemoryRange>> seen_;
};

}  // namespace

// Binds an array in the place of another one on the same side, if there is one, whose copy of a
// sparse map stays.
template <class Bound>
void BoundArrays::replace(std::string_view name, Bound bound) {
  const auto known = sources_.find(name);
  if (known != sources_.end()) {
    if (auto* before = std::get_if<Bound>(&known->second)) {
      bound.copy = std::move(before->copy);
    }
  }
  sources_.insert_or_assign(std::string(name), std::move(bound));
}

void BoundArrays::bind(std::string_view name, ArrayView values, Shape shape) {
  replace(name, Array{values, std::move(shape)});
}

void BoundArrays::bind(std::string_view name, DeviceView view, Shape shape) {
  replace(name, OnDevice{std::move(view), std::move(shape)});
}

void BoundArrays::bind(std::string_view name, double number) {
  sources_.insert_or_assign(std::string(name), number);
}

Expected<void> BoundArrays::check_number(const Energy& energy, const std::string& name,
                                         double number) {
  InputReader reader(energy);
  reader.read_number(name, number);
  return reader.result();
}

Expected<std::size_t> BoundArrays::num_values(const Energy& energy, const std::string& name,
                                              const Shape& shape) {
  return InputReader(energy).num_values(name, shape);
}

Expected<Binding> BoundArrays::read(const Energy& energy, DeviceArrays* devices) {
  InputReader reader(energy);
  const auto each_array = [this](const auto& visit) {
    for (auto& [name, source] : sources_) {
      if (auto* array = std::get_if<Array>(&source)) visit(name, *array);
    }
  };
  for (const auto& [name, source] : sources_) {
    if (const auto* number = std::get_if<double>(&source)) reader.read_number(name, *number);
  }
  for (const auto& [name, source] : sources_) {
    if (const auto* array = std::get_if<Array>(&source))
      reader.read_shape(name, array->shape, size_of(array->values));
    if (const auto* array = std::get_if<OnDevice>(&source))
      reader.read_shape(name, array->shape, std::nullopt);
  }
  if (reader.has_faults()) return reader.finish();
  for (bool found = true; found;) {
    found = false;
    each_array([&](const std::string& name, const Array& array) {
      found = reader.find_extent(name, size_of(array.values)) || found;
    });
  }
  reader.find_open_dims();
  each_array([&](const std::string& name, Array& array) {
    reader.read_values(name, array.values, array.copy.map);
  });
  UnknownMemory on_host(energy, reader);
  each_array([&](const std::string& name, const Array& array) {
    on_host.add(name, memory_of(array.values));
  });
  if (has_device_arrays()) {
    THALLO_CHECK(read_device_arrays(energy, reader, devices));
  }
  return reader.finish();
}

Expected<void> BoundArrays::keep_shared_data(const Energy& energy, Binding& now,
                                             const Binding* before, DeviceArrays* devices) {
  const auto memory = [&](FieldId field) {
    if (const DeviceArray* array = now.device_array(field)) return memory_of(*array);
    const auto source = sources_.find(energy.field(field).name);
    const auto* array = source != sources_.end() ? std::get_if<Array>(&source->second) : nullptr;
    return array != nullptr ? memory_of(array->values) : MemoryRange{};
  };
  const std::map<FieldId, MemoryRange> known = std::exchange(kept_, {});
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const FieldId id(i);
    const MemoryRange range = memory(id);
    const bool is_shared = std::ranges::any_of(energy.unknowns(), [&](FieldId unknown) {
      return unknown != id && range.overlaps(memory(unknown));
    });
    if (!is_shared) continue;
    kept_.emplace(id, range);
    const auto found = known.find(id);
    const bool is_known = before != nullptr && found != known.end() &&
                          found->second.begin == range.begin && found->second.end == range.end;
    if (!is_known && now.device_array(id) == nullptr) continue;
    THALLO_TRY(auto values, is_known ? Expected<HostArray>(before->field(id))
                                     : devices->download(*now.device_array(id)));
    THALLO_CHECK(now.set_field(energy.field(id).name, std::move(values)));
  }
  return {};
}

// Looks at all arrays on the device at once, since each look waits for the device.
Expected<void> BoundArrays::read_device_arrays(const Energy& energy, InputReader& reader,
                                               DeviceArrays* devices) {
  UnknownMemory on_device(energy, reader);
  std::vector<DeviceArrayQuery> queries;
  std::vector<std::pair<const std::string*, OnDevice*>> looked_at;
  for (auto& [name, source] : sources_) {
    auto* array = std::get_if<OnDevice>(&source);
    if (array == nullptr) continue;
    if (devices == nullptr) {
      reader.fault_of(name,
                      "it is bound to an array in the memory of a device, which only backend "
                      "cuda takes");
      continue;
    }
    auto query = reader.query(name, array->view, array->shape);
    if (!query) continue;
    if (auto fits = devices->check(query->array); !fits) {
      reader.fault_of(name, fits.error().message());
      continue;
    }
    on_device.add(name, memory_of(query->array));
    queries.push_back(*std::move(query));
    looked_at.emplace_back(&name, array);
  }
  if (reader.has_faults()) return {};
  THALLO_TRY(const auto facts, devices->inspect(queries));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& [name, array] = looked_at[i];
    const DeviceArrayFacts& known = facts[i];
    if (reader.is_map(*name)) {
      THALLO_CHECK(read_map(*name, *array, queries[i].array, known, *devices));
    }
    array->copy.fingerprint = known.fingerprint;
    reader.read_device_array(*name, queries[i].array, known, array->copy.map, *devices);
  }
  return {};
}

// Copies a sparse map to the host unless the last copy has its values.
Expected<void> BoundArrays::read_map(const std::string& name, OnDevice& source,
                                     const DeviceArray& array, const DeviceArrayFacts& facts,
                                     DeviceArrays& devices) {
  const auto count = static_cast<std::size_t>(array.num_values());
  if (source.copy.map != nullptr && source.copy.map->size() == count &&
      source.copy.fingerprint == facts.fingerprint)
    return {};
  THALLO_TRY(auto values, devices.download(array));
  logger("embed").info(
      "sparse map '{}': {} values were copied to the host, where maps are inverted", name, count);
  auto* indices = std::get_if<std::vector<std::int32_t>>(&values.storage());
  THALLO_ASSERT(indices != nullptr);
  source.copy.map = std::make_shared<const std::vector<std::int32_t>>(std::move(*indices));
  return {};
}

bool BoundArrays::has_device_arrays() const {
  return std::ranges::any_of(
      sources_, [](const auto& named) { return std::holds_alternative<OnDevice>(named.second); });
}

std::uint64_t BoundArrays::fingerprint(const Energy& energy, FieldId field) const {
  return std::get<OnDevice>(sources_.find(energy.field(field).name)->second).copy.fingerprint;
}

Expected<void> BoundArrays::look_at_unknowns(const Energy& energy, const Binding& solved,
                                             DeviceArrays& devices) {
  std::vector<DeviceArrayQuery> queries;
  std::vector<OnDevice*> looked_at;
  for (const FieldId unknown : energy.unknowns()) {
    const DeviceArray* array = solved.device_array(unknown);
    if (array == nullptr) continue;
    queries.push_back({.array = *array});
    looked_at.push_back(&std::get<OnDevice>(sources_.find(energy.field(unknown).name)->second));
  }
  if (queries.empty()) return {};
  THALLO_TRY(const auto facts, devices.inspect(queries));
  for (std::size_t i = 0; i < queries.size(); ++i)
    looked_at[i]->copy.fingerprint = facts[i].fingerprint;
  return {};
}

void BoundArrays::write(const Energy& energy, const Binding& solved) const {
  for (const FieldId unknown : energy.unknowns()) {
    if (solved.device_array(unknown) != nullptr) continue;
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

}  // namespace thallo
