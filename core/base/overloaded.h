// Makes one function object out of several lambdas, for std::visit:
//   std::visit(Overloaded{[](int i) { ... }, [](double d) { ... }}, value);
#pragma once

namespace thallo {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace thallo
