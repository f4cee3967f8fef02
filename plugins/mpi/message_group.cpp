// Connects processes by messages of MPI. A thread of each process makes all calls of MPI. It reads
// what is written to the sockets of connections and sends it as messages, and the reverse. While
// there is nothing to do it sleeps, because a core that waits busily would disturb measurements.
#include "plugins/mpi/message_group.h"

#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace thallo {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// MPI is asked for messages at this interval, more often for a while after there was one.
constexpr milliseconds IdlePeriod{5}, BusyPeriod{1};
constexpr milliseconds BusyTime{50};
constexpr std::size_t MessageBytes = 65536;
// While so many messages are under way, nothing more is read from sockets.
constexpr std::size_t MostSends = 64;

// The tag of a message. Each has the number of its connection first, and Data the bytes after it.
enum Tag : int { Open = 1, Data, Close, Leave };
using Number = std::uint32_t;

struct Connection {
  int socket = -1;
  std::string unwritten = {};        // what has arrived and the socket has not taken yet
  bool is_closed_elsewhere = false;  // nothing more will arrive
};
using ConnectionId = std::pair<int, Number>;  // the other rank, and the number that rank 0 gave it

struct Sending {
  std::vector<char> message;
  MPI_Request request = MPI_REQUEST_NULL;
};

class MessageGroup final : public ProcessGroup {
 public:
  MessageGroup() {
    std::promise<void> initialized;
    const auto is_initialized = initialized.get_future();
    thread_ = std::jthread([this, &initialized] { run(initialized); });
    is_initialized.wait();
  }

  ~MessageGroup() override {
    {
      const std::scoped_lock lock(mutex_);
      leaves_ = true;
    }
    wake();
    thread_.join();
    for (const int socket : accepted_) close(socket);
    close(wake_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Expected<int> connect(int rank) override {
    const auto ends = socket_pair();
    if (!ends) return fail("no socket for a connection: {}", std::strerror(errno));
    {
      const std::scoped_lock lock(mutex_);
      opened_.emplace_back(rank, ends->second);
    }
    wake();
    return ends->first;
  }

  std::optional<int> accept() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !accepted_.empty() || has_rank_0_left_; });
    if (accepted_.empty()) return {};
    const int socket = accepted_.front();
    accepted_.pop_front();
    return socket;
  }

 private:
  // The first end blocks and is the user's; the second does not and is the thread's.
  static std::optional<std::pair<int, int>> socket_pair() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return std::pair(ends[0], ends[1]);
  }

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
  }

  // --- the thread ---

  void run(std::promise<void>& initialized) {
    // Containers often forbid processes to read each other's memory, by which large messages would
    // be copied otherwise.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    initialized.set_value();
    while (!leaves()) {
      open_new_ones();
      const bool has_received = receive();
      forget_sent();
      if (exchange(has_received ? milliseconds(0) : period()) || has_received)
        last_busy_ = Clock::now();
    }
    leave();
  }

  bool leaves() {
    const std::scoped_lock lock(mutex_);
    return leaves_;
  }

  milliseconds period() const {
    return Clock::now() - last_busy_ < BusyTime ? BusyPeriod : IdlePeriod;
  }

  void leave() {
    for (const auto& [id, connection] : connections_) close(connection.socket);
    if (rank_ == 0)
      for (int rank = 1; rank < size_; ++rank) send({rank, 0}, Leave);
    for (Sending& sending : sends_) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

  void send(ConnectionId to, Tag tag, const char* bytes = nullptr, std::size_t num_bytes = 0) {
    Sending& sending = sends_.emplace_back();
    sending.message.resize(sizeof(Number) + num_bytes);
    std::memcpy(sending.message.data(), &to.second, sizeof(Number));
    if (num_bytes > 0) std::memcpy(sending.message.data() + sizeof(Number), bytes, num_bytes);
    MPI_Isend(sending.message.data(), static_cast<int>(sending.message.size()), MPI_CHAR, to.first,
              tag, MPI_COMM_WORLD, &sending.request);
  }

  void forget_sent() {
    std::erase_if(sends_, [](Sending& sending) {
      int is_sent = 0;
      MPI_Test(&sending.request, &is_sent, MPI_STATUS_IGNORE);
      return is_sent != 0;
    });
  }

  void open_new_ones() {
    std::vector<std::pair<int, int>> opened;
    {
      const std::scoped_lock lock(mutex_);
      opened.swap(opened_);
    }
    for (const auto& [rank, socket] : opened) {
      const ConnectionId id{rank, next_number_++};
      connections_[id] = {socket};
      send(id, Open);
    }
  }

  // Takes all messages that have arrived. Returns true if there were any.
  bool receive() {
    bool has_received = false;
    while (true) {
      int is_there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
      if (is_there == 0) return has_received;
      has_received = true;
      int size = 0;
      MPI_Get_count(&status, MPI_CHAR, &size);
      std::vector<char> message(static_cast<std::size_t>(size));
      MPI_Recv(message.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      Number number = 0;
      std::memcpy(&number, message.data(), sizeof number);
      take({status.MPI_SOURCE, number}, static_cast<Tag>(status.MPI_TAG),
           {message.data() + sizeof number, message.size() - sizeof number});
    }
  }

  void take(ConnectionId id, Tag tag, std::string_view bytes) {
    if (tag == Leave) {
      for (const auto& [its, connection] : connections_) close(connection.socket);
      connections_.clear();
      const std::scoped_lock lock(mutex_);
      has_rank_0_left_ = true;
      changed_.notify_all();
      return;
    }
    if (tag == Open) return accept_one(id);
    // The connection may have been closed here meanwhile.
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    found->second.unwritten += bytes;
    if (tag == Close) found->second.is_closed_elsewhere = true;
  }

  void accept_one(ConnectionId id) {
    const auto ends = socket_pair();
    if (!ends) return send(id, Close);
    connections_[id] = {ends->second};
    const std::scoped_lock lock(mutex_);
    accepted_.push_back(ends->first);
    changed_.notify_all();
  }

  // Waits until a socket can be read or written, but not for longer than `period`, and does so.
  // Returns true if there was something to do.
  bool exchange(milliseconds period) {
    std::vector<pollfd> files = {{wake_, POLLIN, 0}};
    const bool reads = sends_.size() < MostSends;
    for (const auto& [id, connection] : connections_) {
      const int events = (reads ? POLLIN : 0) | (connection.unwritten.empty() ? 0 : POLLOUT);
      files.push_back({connection.socket, static_cast<short>(events), 0});
    }
    poll(files.data(), files.size(), static_cast<int>(period.count()));
    std::uint64_t num_wakes = 0;
    [[maybe_unused]] const ssize_t size = ::read(wake_, &num_wakes, sizeof num_wakes);
    bool is_busy = false;
    for (auto it = connections_.begin(); it != connections_.end();) {
      const bool stays = exchange(it->first, it->second, reads, is_busy);
      if (!stays) close(it->second.socket);
      it = stays ? std::next(it) : connections_.erase(it);
    }
    return is_busy;
  }

  // Writes and reads what is possible. Returns false if the connection has ended.
  bool exchange(ConnectionId id, Connection& connection, bool reads, bool& is_busy) {
    while (!connection.unwritten.empty()) {
      const ssize_t count = ::send(connection.socket, connection.unwritten.data(),
                                   connection.unwritten.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      // The socket was closed here; below it reads its end.
      connection.unwritten.erase(0,
                                 count < 0 ? std::string::npos : static_cast<std::size_t>(count));
      is_busy = true;
    }
    if (connection.is_closed_elsewhere && connection.unwritten.empty()) return false;
    char buffer[MessageBytes];
    while (reads && sends_.size() < MostSends) {
      const ssize_t count = ::read(connection.socket, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      is_busy = true;
      if (count <= 0) {
        if (!connection.is_closed_elsewhere) send(id, Close);
        return false;
      }
      send(id, Data, buffer, static_cast<std::size_t>(count));
    }
    return true;
  }

  int rank_ = 0, size_ = 1;
  int wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // readable when the thread must look

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<std::pair<int, int>> opened_;  // ranks and sockets of new connections
  std::deque<int> accepted_;                 // sockets that accept() returns
  bool has_rank_0_left_ = false;
  bool leaves_ = false;  // true if this process leaves

  // Of the thread.
  std::map<ConnectionId, Connection> connections_;
  std::list<Sending> sends_;  // a message must not move while it is sent
  Number next_number_ = 0;
  Clock::time_point last_busy_ = Clock::now();
  std::jthread thread_;  // last, because it uses the members above
};

}  // namespace
}  // namespace thallo

extern "C" __attribute__((visibility("default"))) thallo::ProcessGroup*
thallo_join_message_group() {
  return new thallo::MessageGroup;
}
