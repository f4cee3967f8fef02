#include "core/backend/device_arrays.h"

#include <utility>

#include "core/kernel/memory_type.h"

namespace thallo {

MemoryRange memory_of(const DeviceArray& array) {
  if (array.num_values() == 0) return {array.address, array.address};
  std::int64_t low = 0;
  std::int64_t high = 1;
  for (std::size_t i = 0; i < array.extents.size(); ++i) {
    const std::int64_t last = (array.extents[i] - 1) * array.strides[i];
    (last < 0 ? low : high) += last;
  }
  const auto bytes = static_cast<std::int64_t>(size_of(array.type));
  const auto address = static_cast<std::int64_t>(array.address);
  return {static_cast<std::uintptr_t>(address + low * bytes),
          static_cast<std::uintptr_t>(address + high * bytes)};
}

Expected<Binding> copy_to_host(const Energy& energy, const Binding& binding,
                               DeviceArrays& devices) {
  Binding on_host = binding;
  for (const FieldId field : binding.fields_on_device()) {
    THALLO_TRY(auto values, devices.download(*binding.device_array(field)));
    THALLO_CHECK(on_host.set_field(energy.field(field).name, std::move(values)));
  }
  return on_host;
}

}  // namespace thallo
