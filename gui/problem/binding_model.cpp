#include "gui/problem/binding_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// Files are not read for each letter of their names.
constexpr auto TypingPause = 250ms;

}  // namespace

BindingModel::BindingModel() {
  m_wait.setSingleShot(true);
  m_wait.setInterval(TypingPause);
  connect(&m_wait, &QTimer::timeout, this, [this] {
    m_runner.start(
        "facts", [work = m_work](const std::stop_token&) -> Expected<Facts> { return work(); },
        [this](Expected<Facts> facts) {
          m_facts = facts ? *std::move(facts) : Facts{{QString(), {.fault = toQt(facts.error())}}};
          Q_EMIT changed();
        });
  });
}

void BindingModel::clear() {
  m_wait.stop();
  m_runner.cancel("facts");
  if (m_facts.empty()) return;
  m_facts.clear();
  Q_EMIT changed();
}

void BindingModel::checkBindings(std::shared_ptr<const Energy> energy, const InputSources& sources,
                                 bool isComplete) {
  checkSoon([energy = std::move(energy), sources, isComplete] {
    return factsOfBindings(*energy, sources, isComplete);
  });
}

void BindingModel::checkFiles(const InputSources& files) {
  checkSoon([files] {
    Facts facts;
    for (const auto& [option, file] : files) facts[option] = factsOfFile(file);
    return facts;
  });
}

bool BindingModel::hasFault() const {
  return std::ranges::any_of(m_facts, [](const auto& its) { return !its.second.fault.isEmpty(); });
}

void BindingModel::checkSoon(std::function<Facts()> work) {
  m_runner.cancel("facts");
  m_work = std::move(work);
  m_wait.start();
}

}  // namespace thallo::gui
