#include "parallel.hpp"

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

namespace {

constexpr std::size_t BLOCK = 16;  // items that a thread takes at a time
constexpr auto PATIENCE = std::chrono::milliseconds(50);

class Run {
public:
    Run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) : count_(count), work_(work) {}

    // `between` is called between items, and says whether to go on.
    template <class Between>
    void work(std::size_t worker, const Between& between) {
        try {
            while (!stopped_) {
                const std::size_t first = next_.fetch_add(BLOCK);
                if (first >= count_) break;
                for (std::size_t item = first; item < std::min(first + BLOCK, count_); ++item) {
                    if (stopped_ || !between()) return;
                    work_(worker, item);
                }
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stopped_ = true;
        }
    }

    void stop() { stopped_ = true; }
    bool stopped() const { return stopped_; }

    void leave() {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++left_;
        someone_left_.notify_one();
    }

    // Returns whether all of them have left before the patience ends.
    bool wait_for(std::size_t threads) {
        std::unique_lock<std::mutex> lock(mutex_);
        return someone_left_.wait_for(lock, PATIENCE, [&] { return left_ == threads; });
    }

    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    const std::size_t count_;
    const std::function<void(std::size_t, std::size_t)>& work_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::condition_variable someone_left_;
    std::size_t left_ = 0;
    std::exception_ptr error_;
};

}  // namespace

bool for_each(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work,
              const std::function<bool()>& go_on) {
    Run run(count, work);
    std::vector<std::thread> helpers;
    threads = std::min(threads, (count + BLOCK - 1) / BLOCK);
    try {
        for (std::size_t worker = 1; worker < threads; ++worker) {
            helpers.emplace_back([&run, worker] {
                run.work(worker, [] { return true; });
                run.leave();
            });
        }
    } catch (const std::system_error&) {
        // The system gives no more threads; those there are do.
    }
    auto asked = std::chrono::steady_clock::now();
    const auto ask = [&] {
        const auto now = std::chrono::steady_clock::now();
        if (now - asked >= PATIENCE) {
            if (!go_on()) run.stop();
            asked = std::chrono::steady_clock::now();
        }
        return !run.stopped();
    };
    run.work(0, ask);
    while (!run.wait_for(helpers.size())) ask();
    for (std::thread& helper : helpers) helper.join();
    run.rethrow();
    return !run.stopped();
}

}  // namespace meteor
