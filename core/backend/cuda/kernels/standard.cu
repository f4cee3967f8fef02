// As much of the standard library as the decisions of a solve use (core/solve/descent.h), for
// NVRTC, which has none.
namespace std {

typedef decltype(sizeof(0)) size_t;
class string;

struct string_view {
  const char* text;
  constexpr string_view(const char* of = "") : text(of) {}
};

template <class T, unsigned long Size>
struct array {
  T values[Size];
  constexpr T& operator[](unsigned long i) { return values[i]; }
  constexpr const T& operator[](unsigned long i) const { return values[i]; }
};

struct nullopt_t {};
constexpr nullopt_t nullopt{};

template <class T>
class optional {
 public:
  constexpr optional() : value_(), has_value_(false) {}
  constexpr optional(nullopt_t) : optional() {}
  constexpr optional(const T& value) : value_(value), has_value_(true) {}
  constexpr explicit operator bool() const { return has_value_; }
  constexpr bool has_value() const { return has_value_; }
  constexpr const T& operator*() const { return value_; }
  template <class U>
  constexpr T value_or(const U& other) const {
    return has_value_ ? value_ : T(other);
  }

 private:
  T value_;
  bool has_value_;
};

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<double> {
  static constexpr double epsilon() { return 0x1p-52; }
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ull); }
};
template <>
struct numeric_limits<float> {
  static constexpr float epsilon() { return 0x1p-23f; }
};

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}
template <class T, class U>
T exchange(T& object, const U& value) {
  const T before = object;
  object = value;
  return before;
}

inline double abs(double x) { return ::fabs(x); }
inline double sqrt(double x) { return ::sqrt(x); }
inline double pow(double x, double y) { return ::pow(x, y); }
inline bool isfinite(double x) { return ::isfinite(x); }

}  // namespace std
