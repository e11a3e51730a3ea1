// Work on many items with several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace meteor {

enum class Completion {
    complete,
    interrupted,  // `keep_going` returned false
};

using KeepGoing = std::function<bool()>;

// Calls `work(worker, item)` for each item below `count`; `worker` is the index of the thread, below `threads`. The
// calling thread works too, and calls `keep_going` several times per second; when that returns false, the work ends
// early. If the system does not provide enough threads, fewer are used.
//
// An exception ends the work, too. The first one is rethrown when all threads have ended.
[[nodiscard]] Completion for_each(std::size_t count, std::size_t threads,
                                  const std::function<void(std::size_t, std::size_t)>& work,
                                  const KeepGoing& keep_going);

}  // namespace meteor
