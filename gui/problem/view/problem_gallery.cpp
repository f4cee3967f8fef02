#include "gui/problem/view/problem_gallery.h"

#include <algorithm>
#include <utility>

#include <QPainter>
#include <QPainterPath>
#include <QStyledItemDelegate>

#include "gui/problem/problem_list.h"
#include "gui/problem/view/problem_sketch.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int MinCardWidth = 200, CardGap = 6, CardPadding = 12, CardRadius = 8;
// The ratio of a picture's height to its width.
constexpr double PictureAspect = 0.6;

int cardTextHeight(const QFontMetrics& metrics) {
  return 3 * metrics.lineSpacing() + 2 * CardPadding + 4;
}

// Returns the picture from its file, or a sketch if there is none; cropped to the size.
QPixmap makePicture(const QString& file, const QString& name, const QSize& size, double scale) {
  const QPixmap loaded = file.isEmpty() ? QPixmap() : QPixmap(file);
  if (loaded.isNull()) return problemSketch(name, size, scale);
  const QSize pixels = size * scale;
  const QPixmap filled =
      loaded.scaled(pixels, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
  QPixmap picture =
      filled.copy((filled.width() - pixels.width()) / 2, (filled.height() - pixels.height()) / 2,
                  pixels.width(), pixels.height());
  picture.setDevicePixelRatio(scale);
  return picture;
}

class ProblemCardDelegate final : public QStyledItemDelegate {
 public:
  explicit ProblemCardDelegate(ProblemGallery& gallery)
      : QStyledItemDelegate(&gallery), m_gallery(gallery) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
    const QRect card = option.rect.adjusted(CardGap, CardGap, -CardGap, -CardGap);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), CardRadius, CardRadius);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillPath(outline, ink(Ink::Raised));
    const QRect picture(card.topLeft(),
                        QSize(card.width(), card.height() - cardTextHeight(option.fontMetrics)));
    painter->save();
    painter->setClipPath(outline);
    painter->drawPixmap(picture, m_gallery.picture(index, picture.size()));
    painter->restore();
    painter->setPen(
        QPen(ink(isSelected || isHovered ? Ink::Accent : Ink::Frame), isSelected ? 2.0 : 1.0));
    painter->drawPath(outline);
    paintText(
        painter, option, index,
        QRect(card.left(), picture.bottom() + 1, card.width(), card.bottom() - picture.bottom())
            .adjusted(CardPadding, CardPadding, -CardPadding, -CardPadding));
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    const auto* view = qobject_cast<const QListView*>(option.widget);
    return view != nullptr ? view->gridSize() : QSize(MinCardWidth, MinCardWidth);
  }

 private:
  // Paints the title on one line, and two lines of what the problem shows.
  static void paintText(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index, QRect area) {
    QFont bold = option.font;
    bold.setWeight(QFont::DemiBold);
    painter->setFont(bold);
    painter->setPen(ink(Ink::Text));
    const int line = option.fontMetrics.lineSpacing();
    painter->drawText(
        area, Qt::AlignLeft | Qt::AlignTop,
        QFontMetrics(bold).elidedText(index.data().toString(), Qt::ElideRight, area.width()));
    painter->setFont(option.font);
    painter->setPen(ink(Ink::Muted));
    area.setTop(area.top() + line + 1);
    QString rest = index.data(ProblemList::ShowsRole).toString();
    QTextLayout layout(rest, option.font);
    layout.beginLayout();
    const QTextLine first = layout.createLine();
    if (!first.isValid()) return;
    QTextLine(first).setLineWidth(area.width());
    layout.endLayout();
    painter->drawText(area, Qt::AlignLeft | Qt::AlignTop, rest.left(first.textLength()));
    rest.remove(0, first.textLength());
    area.setTop(area.top() + line);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignTop,
                      option.fontMetrics.elidedText(rest, Qt::ElideRight, area.width()));
  }

  ProblemGallery& m_gallery;
};

}  // namespace

ProblemGallery::ProblemGallery(QWidget* parent) : QListView(parent) {
  setObjectName("problemCards");
  setAccessibleName(tr("Problems"));
  setViewMode(QListView::IconMode);
  setMovement(QListView::Static);
  setResizeMode(QListView::Adjust);
  setUniformItemSizes(true);
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setItemDelegate(new ProblemCardDelegate(*this));
  m_next.setSingleShot(true);
  connect(&m_next, &QTimer::timeout, this, &ProblemGallery::makeNext);
  viewport()->setAutoFillBackground(false);
}

QPixmap ProblemGallery::picture(const QModelIndex& index, const QSize& size) {
  Wanted wanted{.key = {},
                .name = index.data(ProblemList::NameRole).toString(),
                .file = index.data(ProblemList::PictureRole).toString(),
                .size = size,
                .scale = devicePixelRatioF()};
  wanted.key = QStringLiteral("%1 %2 %3x%4 %5")
                   .arg(wanted.file, toText(currentTheme()))
                   .arg(size.width())
                   .arg(size.height())
                   .arg(wanted.scale);
  const Made& made = m_made[wanted.name];
  if (made.key == wanted.key) return made.picture;
  std::erase_if(m_wanted, [&](const Wanted& earlier) { return earlier.name == wanted.name; });
  m_wanted.push_back(std::move(wanted));
  m_next.start(0);
  return made.picture;
}

void ProblemGallery::makeNext() {
  if (m_wanted.empty()) return;
  const Wanted wanted = m_wanted.front();
  m_wanted.pop_front();
  m_made[wanted.name] = {wanted.key,
                         makePicture(wanted.file, wanted.name, wanted.size, wanted.scale)};
  if (!m_wanted.empty()) return m_next.start(0);
  viewport()->update();
}

void ProblemGallery::resizeEvent(QResizeEvent* event) {
  const int width = viewport()->width() - 2;
  const int columns = std::max(1, width / (MinCardWidth + 2 * CardGap));
  const int card = width / columns;
  const int picture = static_cast<int>((card - 2 * CardGap) * PictureAspect);
  setGridSize({card, picture + cardTextHeight(fontMetrics()) + 2 * CardGap});
  QListView::resizeEvent(event);
}

}  // namespace thallo::gui
