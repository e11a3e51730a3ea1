// Distributes the work on many items over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace meteor {

enum class Completion {
    complete,
    interrupted,  // `keep_going` returned false
};

using KeepGoing = std::function<bool()>;

// Calls `work(worker, item)` for each item from 0 to `count` - 1. `worker` is the index of the thread, from 0 to
// `threads` - 1. The calling thread is one of the threads. It also calls `keep_going` several times per second. If
// `keep_going` returns false, the work ends early. If the system cannot create enough threads, fewer threads are used.
//
// An exception also ends the work. When all threads have ended, the first exception is thrown again.
[[nodiscard]] Completion for_each(std::size_t count, std::size_t threads,
                                  const std::function<void(std::size_t, std::size_t)>& work,
                                  const KeepGoing& keep_going);

}  // namespace meteor
