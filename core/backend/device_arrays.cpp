#include "core/backend/device_arrays.h"

#include <utility>

namespace thallo {

Expected<Binding> copy_to_host(const Energy& energy, const Binding& binding,
                               DeviceArrays& devices) {
  Binding on_host = binding;
  for (const FieldId field : binding.fields_on_device()) {
    auto values = devices.download(*binding.device_array(field));
    if (!values) return fail(values.error());
    if (auto done = on_host.set_field(energy.field(field).name, *std::move(values)); !done)
      return fail(done.error());
  }
  return on_host;
}

}  // namespace thallo
