// Work on many items, on several threads.
#include "batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace meteor {

constexpr std::size_t BLOCK = 16;  // items that a thread takes at a time
constexpr auto PATIENCE = std::chrono::milliseconds(50);

bool for_each(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work,
              const std::function<bool()>& go_on) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex;  // of those that follow
    std::condition_variable someone_left;
    std::size_t left = 0;
    std::exception_ptr error;
    // `between` is called between items, and says whether to go on.
    const auto run = [&](std::size_t worker, const auto& between) {
        try {
            for (std::size_t first; !stopped && (first = next.fetch_add(BLOCK)) < count;) {
                for (std::size_t item = first; item < std::min(first + BLOCK, count); ++item) {
                    if (stopped || !between()) return;
                    work(worker, item);
                }
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!error) error = std::current_exception();
            stopped = true;
        }
    };
    std::vector<std::thread> helpers;
    threads = std::min(threads, (count + BLOCK - 1) / BLOCK);
    try {
        for (std::size_t worker = 1; worker < threads; ++worker) {
            helpers.emplace_back([&, worker] {
                run(worker, [] { return true; });
                const std::lock_guard<std::mutex> lock(mutex);
                ++left;
                someone_left.notify_one();
            });
        }
    } catch (const std::system_error&) {
        // The system gives no more threads; those there are do.
    }
    auto asked = std::chrono::steady_clock::now();
    const auto ask = [&] {
        if (std::chrono::steady_clock::now() - asked >= PATIENCE) {
            if (!go_on()) stopped = true;
            asked = std::chrono::steady_clock::now();
        }
        return !stopped;
    };
    run(0, ask);
    const auto all_left = [&] {
        std::unique_lock<std::mutex> lock(mutex);
        return someone_left.wait_for(lock, PATIENCE, [&] { return left == helpers.size(); });
    };
    while (!all_left()) ask();
    for (std::thread& helper : helpers) helper.join();
    if (error) std::rethrow_exception(error);
    return !stopped;
}

}  // namespace meteor
