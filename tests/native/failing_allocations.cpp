// Makes one memory allocation of C++ code fail. test_out_of_memory.py preloads this library, so that its operator new
// replaces the operator of the standard library. All other forms of new call this operator.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> remaining{-1};  // number of allocations before the failing one; if negative, no allocation fails
std::atomic<bool> has_failed{false};

}  // namespace

extern "C" void fail_allocation(long index) {
    has_failed = false;
    remaining = index;
}

// Returns whether an allocation failed since the last call of fail_allocation().
extern "C" bool stop_failing() {
    remaining = -1;
    return has_failed;
}

void* operator new(std::size_t size) {
    if (remaining.load() >= 0 && remaining.fetch_sub(1) == 0) {
        has_failed = true;
        throw std::bad_alloc();
    }
    void* const memory = std::malloc(size ? size : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
