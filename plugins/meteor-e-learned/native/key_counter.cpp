#include "key_counter.hpp"

#include <algorithm>
#include <limits>

namespace meteor::learned {

void KeyCounter::start(std::size_t key_count) {
    std::size_t slot_count = 16;
    while (slot_count < 4 * key_count) slot_count *= 2;
    if (slot_count > slots_.size() || round_ == std::numeric_limits<std::uint32_t>::max()) {
        slots_.assign(std::max(slot_count, slots_.size()), Slot{});
        round_ = 0;
    }
    // Few keys use only the first slots, which stay in the processor's cache.
    mask_ = slot_count - 1;
    ++round_;
}

}  // namespace meteor::learned
