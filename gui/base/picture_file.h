// Loads pictures from files of every format that Thallo writes, including those that Qt cannot
// read.
#pragma once

#include <QImage>
#include <QPixmap>
#include <QString>

#include "core/base/io/image.h"

namespace thallo::gui {

// If values exceed 0 to 1, as in .pfm and .exr files of other data, the range from the smallest to
// the largest is mapped to black to white. Of two channels, or more than four, only the first is
// shown.
QImage toQImage(const Image& image);
// Null if the file cannot be read.
QPixmap pictureOf(const QString& file);

}  // namespace thallo::gui
