#include "core/schedule/vector_order.h"

#include "core/base/error.h"

namespace thallo {

std::string_view to_string(VectorOrder order) {
  switch (order) {
    case VectorOrder::Plain: return "plain";
    case VectorOrder::Blocked: return "blocked";
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
