// The longest time that the thread of the window works without a return to the event loop, during
// which nobody's clicks are answered; and what it did. Time that others take the processor is none
// of its own: what the thread uses itself is counted.
#pragma once

#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

namespace thallo::test {

class BlockMeter final : public QObject {
 public:
  struct Part {
    QString event;  // "Paint of QWidget in waterfall"
    double ms = 0;
  };
  struct Block {
    double ms = 0;
    std::vector<Part> parts;  // events that took at least a millisecond, in their order

    // Names the largest parts: "Paint of QWidget in waterfall 12.3 ms, MetaCall of Mailbox 4.10
    // ms".
    QString text() const;
  };

  // Begins to measure the thread that makes it, which must be that of the application.
  BlockMeter();

  // Forgets what was measured.
  void begin();
  // What is done between the last turn of the event loop and the next does not count.
  void excuse();
  const Block& longest() const { return m_longest; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void look();
  void endEvent(double now);

  QTimer m_turn;
  Block m_current, m_longest;
  double m_turnBegan = 0, m_eventBegan = 0;
  bool m_isExcused = false;
  // Of the event that is handled now. Names are made only of those that last.
  int m_type = 0;
  const char* m_class = "";
  QPointer<QObject> m_object;
};

}  // namespace thallo::test
