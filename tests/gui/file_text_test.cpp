// An editor gives back each byte of a file that the user does not edit.
#include "gui/base/file_text.h"

#include <gtest/gtest.h>
#include <QPlainTextEdit>

namespace thallo::gui {
namespace {

// Of an editor that the content was put into, and in which a line was typed on top.
QByteArray edited(const QByteArray& content) {
  const QString text = textOfBytes(content);
  QPlainTextEdit editor;
  editor.setPlainText(editorText(text));
  QTextCursor(editor.document()).insertText(QStringLiteral("-- é\n"));
  const QString shown =
      editor.document()->toRawText().replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
  return bytesOfText(textOfEditor(shown, text));
}

TEST(FileText, KeepsEveryKindOfByte) {
  QByteArray all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const QByteArray& content :
       {QByteArray(), QByteArray("one\n"), QByteArray("no end"), all, all + "\r\n" + all,
        QByteArray("-- d\xe9j\xe0 vu\n"), QByteArray("cut \xe2\x82"), QByteArray("mixed\r\nends\n"),
        QByteArray("old\rends\r"), QByteArray("-- \xe2\x80\xa9 \xe2\x80\xa8 \xef\xb7\x90\n"),
        QByteArray("-- a surrogate \xed\xb3\xa9 and a pair \xf0\x9d\x92\x99\n"),
        QByteArray("-- no\xc2\xa0"
                   "break, \xef\xbb\xbf inside\n")}) {
    EXPECT_EQ(bytesOfText(textOfBytes(content)), content) << content.toPercentEncoding().data();
    EXPECT_EQ(edited(content), "-- \xc3\xa9\n" + content) << content.toPercentEncoding().data();
  }
}

TEST(FileText, KeepsLineEndsAndTheByteOrderMark) {
  EXPECT_EQ(edited("one\r\ntwo\r\n"), "-- \xc3\xa9\r\none\r\ntwo\r\n");
  EXPECT_EQ(edited("\xef\xbb\xbfone\n"), "\xef\xbb\xbf-- \xc3\xa9\none\n");
  EXPECT_EQ(edited("\xef\xbb\xbf\xe9\r\n"), "\xef\xbb\xbf-- \xc3\xa9\r\n\xe9\r\n");
}

}  // namespace
}  // namespace thallo::gui
