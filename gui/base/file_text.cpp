#include "gui/base/file_text.h"

#include <algorithm>
#include <string_view>

#include "core/base/utf8.h"

namespace thallo::gui {
namespace {

constexpr char16_t FirstByte = 0xdc00;  // of the lone surrogates that stand for bytes
constexpr QChar ByteOrderMark(0xfeff);
const QLatin1String Return("\r\n");

bool isByte(QChar character) {
  return character.unicode() >= FirstByte && character.unicode() < FirstByte + 0x100;
}

// QTextDocument ends a block at these, as it does at line breaks.
bool endsBlock(const QString& character) {
  return character.size() == 1 && QStringLiteral("\u2029\ufdd0\ufdd1").contains(character);
}

}  // namespace

QString textOfBytes(const QByteArray& bytes) {
  const bool hasReturns =
      bytes.count('\r') == bytes.count("\r\n") && bytes.count('\n') == bytes.count("\r\n");
  QString text;
  text.reserve(bytes.size());
  std::string_view rest(bytes.constData(), static_cast<std::size_t>(bytes.size()));
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    const std::string_view piece = rest.substr(0, std::max<std::size_t>(length, 1));
    // fromUtf8() would leave a byte-order mark out.
    const QString character =
        piece == "\xef\xbb\xbf"
            ? QString(ByteOrderMark)
            : QString::fromUtf8(piece.data(), static_cast<qsizetype>(piece.size()));
    if (length > 0 && (piece != "\r" || hasReturns) && !endsBlock(character)) {
      text += character;
    } else {
      for (const char byte : piece)
        text += QChar(static_cast<char16_t>(FirstByte + static_cast<unsigned char>(byte)));
    }
    rest.remove_prefix(piece.size());
  }
  return text;
}

QByteArray bytesOfText(const QString& text) {
  QByteArray bytes;
  for (qsizetype begin = 0; begin < text.size();) {
    const auto* end = std::find_if(text.begin() + begin, text.end(), [&](const QChar& character) {
      const auto* at = &character;
      const bool isPair = at != text.begin() && (at - 1)->isHighSurrogate();
      return isByte(character) && !isPair;
    });
    const auto length = static_cast<qsizetype>(end - (text.begin() + begin));
    bytes += text.mid(begin, length).toUtf8();
    begin += length;
    if (begin < text.size()) bytes += static_cast<char>(text[begin++].unicode() - FirstByte);
  }
  return bytes;
}

QString editorText(QString text) {
  if (text.startsWith(ByteOrderMark)) text.remove(0, 1);
  return text.replace(Return, QLatin1String("\n"));
}

QString textOfEditor(QString edited, const QString& like) {
  if (like.contains(Return)) edited.replace(QLatin1String("\n"), Return);
  if (like.startsWith(ByteOrderMark)) edited.prepend(ByteOrderMark);
  return edited;
}

}  // namespace thallo::gui
