#include "gui/workspace/view/cause_looks.h"

namespace thallo::gui {

Ink inkOf(Wait wait) {
  switch (wait) {
    case Wait::Launch: return Ink::Field;
    case Wait::Memory: return Ink::Intermediate;
    case Wait::Cache: return Ink::Sum;
    case Wait::Atomics: return Ink::Unknown;
    case Wait::Arithmetic: return Ink::Product;
    case Wait::Latency: return Ink::Cut;
    case Wait::Unknown: break;
  }
  return Ink::Muted;
}

Ink inkOf(Cause cause) {
  switch (cause) {
    case Cause::Recomputation: return inkOf(Wait::Arithmetic);
    case Cause::StoredBytes: return inkOf(Wait::Memory);
    case Cause::Atomics: return inkOf(Wait::Atomics);
    case Cause::Cache: return inkOf(Wait::Cache);
    case Cause::Latency: return inkOf(Wait::Latency);
    case Cause::Launches: return inkOf(Wait::Launch);
    case Cause::Host: return Ink::Residual;
    case Cause::Unknown: break;
  }
  return Ink::Muted;
}

}  // namespace thallo::gui
