// Long work in other threads, while the calling thread still answers Python.
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
// started. If the system does not provide enough threads, fewer are used; without any, std::system_error is thrown.
//
// An exception ends the work, too. The first one is rethrown when all threads have ended.
Completion run_in_background(std::size_t count, std::size_t threads, const BackgroundWork& work,
                             const KeepGoing& keep_going);

}  // namespace meteor::bitext
