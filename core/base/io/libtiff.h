// libtiff, opened when the first TIFF file is read or written. It is not linked: with it would come
// libraries that only its rarer compressions need, one of them under the GPL (libjbig), and
// whatever carries libthallo_core with its libraries would pass those on.
#pragma once

#include <tiffio.h>

#include "core/base/diagnostic.h"

namespace thallo {

// Those functions of libtiff that are called, by their names.
#define THALLO_TIFF_FUNCTIONS(visit)                                                    \
  visit(TIFFClientOpenExt) visit(TIFFClose) visit(TIFFDefaultStripSize)                 \
      visit(TIFFGetFieldDefaulted) visit(TIFFIsTiled) visit(TIFFOpenOptionsAlloc)       \
          visit(TIFFOpenOptionsFree) visit(TIFFOpenOptionsSetErrorHandlerExtR)          \
              visit(TIFFOpenOptionsSetWarningHandlerExtR) visit(TIFFReadDirectory)      \
                  visit(TIFFReadScanline) visit(TIFFReadTile) visit(TIFFScanlineSize)   \
                      visit(TIFFScanlineSize64) visit(TIFFSetField) visit(TIFFTileSize) \
                          visit(TIFFTileSize64) visit(TIFFWriteDirectory) visit(TIFFWriteScanline)

struct LibTiff {
#define THALLO_TIFF_MEMBER(name) decltype(&::name) name = nullptr;
  THALLO_TIFF_FUNCTIONS(THALLO_TIFF_MEMBER)
#undef THALLO_TIFF_MEMBER
};

// Opens the library at the first call. Fails if it is not there, or is too old.
Expected<const LibTiff*> libtiff();

}  // namespace thallo
