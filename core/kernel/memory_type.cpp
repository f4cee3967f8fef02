#include "core/kernel/memory_type.h"

#include "core/base/error.h"

namespace thallo {

ScalarType memory_type(const KernelProgram& program, FieldId field, Precision precision) {
  return memory_type(program.field(field).type, precision);
}
ScalarType memory_type(ScalarType declared, Precision precision) {
  if (declared != ScalarType::Working) return declared;
  return precision == Precision::Double ? ScalarType::Double : ScalarType::Float;
}

std::size_t size_of(ScalarType memory_type) {
  switch (memory_type) {
    case ScalarType::Half: return 2;
    case ScalarType::Float:
    case ScalarType::Int32: return 4;
    case ScalarType::Double: return 8;
    case ScalarType::UInt8: return 1;
    case ScalarType::Working: break;
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
