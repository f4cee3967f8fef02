// What is computed elsewhere: a value that is swapped whole, and what is known of the next one.
// While a new value is under way, and when there will be none, the old one stays to be looked at.
#pragma once

#include <memory>

#include <QString>

namespace thallo::gui {

enum class RemoteState { Empty, Busy, Failed, Ready };

template <class T>
struct Remote {
  RemoteState state = RemoteState::Empty;
  std::shared_ptr<const T> value = {};
  QString error = {};  // of Failed

  bool isReady() const { return state == RemoteState::Ready; }
  static Remote empty() { return {}; }
  static Remote ready(T v) {
    return {RemoteState::Ready, std::make_shared<const T>(std::move(v)), {}};
  }
  Remote busy() const { return {RemoteState::Busy, value, {}}; }
  Remote failed(QString why) const { return {RemoteState::Failed, value, std::move(why)}; }
};

}  // namespace thallo::gui
