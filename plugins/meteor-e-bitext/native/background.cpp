#include "background.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace meteor::bitext {

bool in_background(std::size_t count, std::size_t threads,
                   const std::function<void(std::size_t, const std::atomic<bool>&)>& work,
                   const std::function<bool()>& go_on) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::condition_variable left;
    std::size_t running = 0;
    std::exception_ptr error;
    const auto run = [&] {
        try {
            for (std::size_t item; !stopped && (item = next.fetch_add(1)) < count;) work(item, stopped);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!error) error = std::current_exception();
            stopped = true;
        }
        const std::lock_guard<std::mutex> lock(mutex);
        --running;
        left.notify_one();
    };
    std::vector<std::thread> workers;
    for (std::size_t k = 0; k < std::max<std::size_t>(1, std::min(threads, count)); ++k) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            ++running;
        }
        try {
            workers.emplace_back(run);
        } catch (const std::system_error&) {
            const std::lock_guard<std::mutex> lock(mutex);
            --running;
            if (workers.empty()) throw;
            break;  // the system gives no more threads; those there are do
        }
    }
    for (;;) {
        {
            std::unique_lock<std::mutex> lock(mutex);
            if (left.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) break;
        }
        if (!stopped && !go_on()) stopped = true;
    }
    for (std::thread& worker : workers) worker.join();
    if (error) std::rethrow_exception(error);
    return !stopped;
}

}  // namespace meteor::bitext
