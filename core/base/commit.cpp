#include "core/base/commit.h"

#include "core/base/commit_id.h"  // generated; compiled alone, since it changes with each commit

namespace thallo {

std::string_view built_commit() { return THALLO_COMMIT; }

}  // namespace thallo
