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
constexpr auto POLL_INTERVAL = std::chrono::milliseconds(50);

// The state of the work, which all threads share.
class SharedWork {
public:
    SharedWork(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work)
        : count_(count), work_(work) {}

    // Works on items until there are none left or the work is stopped. `poll` is called between items.
    template <class Poll>
    void run(std::size_t worker, const Poll& poll) noexcept {
        try {
            for (std::size_t first; !stopped_ && (first = next_.fetch_add(BLOCK)) < count_;) {
                const std::size_t last = std::min(first + BLOCK, count_);
                for (std::size_t item = first; item < last && !stopped_; ++item) {
                    poll();
                    if (!stopped_) work_(worker, item);
                }
            }
        } catch (...) {
            fail();
        }
    }
    // Stops the work because of the current exception.
    void fail() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stopped_ = true;
    }
    void stop() noexcept { stopped_ = true; }
    void rethrow_error() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    const std::size_t count_;
    const std::function<void(std::size_t, std::size_t)>& work_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

// The threads besides the calling thread. The destructor joins them, because the destructor of a running std::thread
// would terminate the program.
class Helpers {
public:
    explicit Helpers(SharedWork& work) : work_(work) {}
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() {
        for (std::thread& thread : threads_) thread.join();
    }

    void start(std::size_t count) {
        threads_.reserve(count);
        try {
            while (threads_.size() < count) {
                threads_.emplace_back([this, worker = threads_.size() + 1] {
                    work_.run(worker, [] {});
                    const std::lock_guard<std::mutex> lock(mutex_);
                    ++finished_count_;
                    finished_.notify_one();
                });
            }
        } catch (const std::system_error&) {
            // The system does not provide more threads.
        }
    }
    // Waits for a short time, and returns whether all threads have finished.
    [[nodiscard]] bool wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        return finished_.wait_for(lock, POLL_INTERVAL, [this] { return finished_count_ == threads_.size(); });
    }

private:
    SharedWork& work_;
    std::mutex mutex_;
    std::condition_variable finished_;
    std::size_t finished_count_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace

Completion for_each(std::size_t count, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work,
                    const KeepGoing& keep_going) {
    SharedWork shared_work(count, work);
    bool was_interrupted = false;
    auto last_poll = std::chrono::steady_clock::now();
    const auto poll = [&] {
        if (std::chrono::steady_clock::now() - last_poll < POLL_INTERVAL) return;
        if (!keep_going()) {
            was_interrupted = true;
            shared_work.stop();
        }
        last_poll = std::chrono::steady_clock::now();
    };
    {
        Helpers helpers(shared_work);
        try {
            const std::size_t blocks = (count + BLOCK - 1) / BLOCK;
            const std::size_t helper_count = std::min(threads, blocks);
            if (helper_count > 1) helpers.start(helper_count - 1);
            shared_work.run(0, poll);
            while (!helpers.wait()) poll();
        } catch (...) {
            shared_work.fail();
        }
    }
    shared_work.rethrow_error();
    return was_interrupted ? Completion::interrupted : Completion::complete;
}

}  // namespace meteor
