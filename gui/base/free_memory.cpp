#include "gui/base/free_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace thallo::gui {

void joinFreedBlocksAtOnce() {
#ifdef __GLIBC__
  mallopt(M_MXFAST, 0);
#endif
}

}  // namespace thallo::gui
