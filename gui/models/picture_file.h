// Pictures of files in every format that Thallo writes, also those that Qt does not read.
#pragma once

#include <QPixmap>
#include <QString>

namespace thallo::gui {

// Null when the file cannot be read. Numbers that are no colors, as those of .pfm and .exr, are
// shown from black, their least, to white, their largest, where they leave 0 to 1; of two channels,
// or of more than four, only the first is.
QPixmap pictureOf(const QString& file);

}  // namespace thallo::gui
