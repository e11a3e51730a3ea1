// Work on many items, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace meteor {

// Calls work(worker, item) for each item below `count`; `worker` numbers the thread, below `threads`. The calling
// thread works too, and calls `go_on` several times a second; when that returns false, work ends early.
// The first exception that work throws is thrown again here, when all threads have ended.
// Returns whether all items were worked on.
bool for_each(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work,
              const std::function<bool()>& go_on);

}  // namespace meteor
