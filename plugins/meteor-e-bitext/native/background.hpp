// Runs long work in background threads, while the calling thread can react to Python signals.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace meteor::bitext {

enum class Completion {
    complete,
    interrupted,  // `keep_going` returned false
};

using KeepGoing = std::function<bool()>;
using BackgroundWork = std::function<void(std::size_t, const std::atomic<bool>&)>;

// Calls `work(item, is_stopped)` for each item below `count`, on `threads` threads. The calling thread calls
// `keep_going` several times per second. When that returns false, `is_stopped` becomes true, and no further item is
// started. If the system does not provide enough threads, fewer threads are used. If it does not provide any thread,
// std::system_error is thrown.
//
// If `work` throws an exception, no further item is started. The first exception is rethrown when all threads have
// ended.
Completion run_in_background(std::size_t count, std::size_t threads, const BackgroundWork& work,
                             const KeepGoing& keep_going);

}  // namespace meteor::bitext
