#include "gui/kernels/other_kernels.h"

#include <utility>

#include "gui/base/text.h"
#include "gui/kernels/kernel_rows.h"

namespace thallo::gui {

const OtherKernel* OtherTexts::find(const QString& label) const {
  const auto found = kernels.find(label);
  return found == kernels.end() ? nullptr : &found->second;
}

OtherKernels::OtherKernels(QStringList workerCommand, ProblemModel& problems,
                           ComparisonModel& comparison)
    : m_problems(problems), m_comparison(comparison), m_worker(std::move(workerCommand)) {
  connect(&problems, &ProblemModel::problemChanged, this, &OtherKernels::onProblemChanged);
  connect(&comparison, &ComparisonModel::choicesChanged, this, &OtherKernels::refresh);
}

void OtherKernels::onProblemChanged() {
  ++m_round;
  m_worker.setOpenRequest(std::nullopt);
  m_isOpen = false;
  m_asked.reset();
  set({});
}

void OtherKernels::setWanted(bool isWanted) {
  m_isWanted = isWanted;
  refresh();
}

void OtherKernels::refresh() {
  if (!m_isWanted || !m_problems.opened()) return;
  const auto other = m_comparison.other();
  if (other == m_asked) return;
  ++m_round;
  if (m_isOpen) m_worker.cancel();
  m_asked = other;
  if (other)
    ask(*other);
  else
    set({});
}

void OtherKernels::ask(const ComparisonModel::Other& other) {
  if (!m_isOpen) m_worker.setOpenRequest(m_problems.opened()->openRequest());
  m_isOpen = true;
  m_arriving = {.schedule = other.name};
  set(Remote<OtherTexts>::empty().busy());
  m_worker.submit({.request = KernelsRequest{other.text.toStdString()},
                   .heard =
                       [this, round = m_round](const WorkerMessage& message) {
                         if (round != m_round || message.kind != WorkerMessage::Kind::Part) return;
                         const auto kernel = message.as<KernelText>();
                         m_arriving.kernels.emplace(
                             labelOf(kernel),
                             OtherKernel{toQt(kernel.preamble), toQt(kernel.text)});
                       },
                   .done =
                       [this, round = m_round](const WorkAnswer& answer) {
                         if (round != m_round) return;
                         set(answer.is_ok() ? Remote<OtherTexts>::ready(m_arriving)
                                            : m_texts.failed(toQt(answer.why())));
                       }});
}

void OtherKernels::set(Remote<OtherTexts> texts) {
  m_texts = std::move(texts);
  Q_EMIT textsChanged();
}

}  // namespace thallo::gui
