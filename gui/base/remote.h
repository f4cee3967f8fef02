// A value that is computed elsewhere and replaced as a whole, with the state of its next version.
// While a new value is computed, or if that fails, the old one remains available.
#pragma once

#include <memory>

#include <QString>

#include "gui/base/text.h"

namespace thallo::gui {

enum class RemoteState { Empty, Busy, Failed, Ready };

template <class T>
struct Remote {
  RemoteState state = RemoteState::Empty;
  std::shared_ptr<const T> value = {};
  QString error = {};  // in state Failed

  bool isReady() const { return state == RemoteState::Ready; }
  static Remote empty() { return {}; }
  static Remote ready(T v) {
    return {RemoteState::Ready, std::make_shared<const T>(std::move(v)), {}};
  }
  Remote busy() const { return {RemoteState::Busy, value, {}}; }
  Remote failed(QString why) const { return {RemoteState::Failed, value, std::move(why)}; }
  // What a job has made of it.
  Remote next(Expected<T> made) const {
    return made ? ready(*std::move(made)) : failed(toQt(made.error()));
  }
};

}  // namespace thallo::gui
