// Long work in other threads, while the calling one goes on answering Python.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace meteor::bitext {

// Calls work(item, stopped) for each item below `count` on `threads` threads; `go_on` is called on this one several
// times a second. When it returns false, `stopped` becomes true and no further item is begun. The first exception that
// work throws is thrown again here. Returns whether all items were worked on.
bool in_background(std::size_t count, std::size_t threads,
                   const std::function<void(std::size_t, const std::atomic<bool>&)>& work,
                   const std::function<bool()>& go_on);

}  // namespace meteor::bitext
