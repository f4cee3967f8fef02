// How the program gives memory back.
#pragma once

namespace thallo::gui {

// Makes every free of a small block join it with its neighbours at once. By default, glibc puts
// that off until somebody asks for a large block, and then does it for all blocks that the jobs
// have freed: a paint of the window took 60 ms in an allocation. Does nothing with other libraries.
void joinFreedBlocksAtOnce();

}  // namespace thallo::gui
