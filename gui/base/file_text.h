// The text of a file in an editor. What is not edited is written as it was read: a byte that an
// editor cannot keep is the character U+DC00 plus the byte, which no text has. These are bytes that
// are no UTF-8, line ends that differ from the others, and characters that end lines for editors.
#pragma once

#include <QByteArray>
#include <QString>

namespace thallo::gui {

// A file whose lines all end by \r\n keeps these ends and its byte-order mark in the text.
QString textOfBytes(const QByteArray& bytes);
QByteArray bytesOfText(const QString& text);

// Returns the text without a byte-order mark, and with lines that end by \n, as editors have it.
QString editorText(QString text);
// Undoes editorText(), as it changed the text `like`.
QString textOfEditor(QString edited, const QString& like);

}  // namespace thallo::gui
