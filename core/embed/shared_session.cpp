#include "core/embed/shared_session.h"

#include "core/plugin/session.h"

namespace thallo {

Session& shared_session() {
  struct Loaded : Session {
    Loaded() { plugins(); }
  };
  static Loaded session;
  return session;
}

}  // namespace thallo
