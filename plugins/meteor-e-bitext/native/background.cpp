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

namespace {

constexpr auto POLL_INTERVAL = std::chrono::milliseconds(50);

// The threads and their shared state. The destructor joins the threads, because the destructor of a running std::thread
// would terminate the program.
class ThreadGroup {
public:
    ThreadGroup(std::size_t count, const BackgroundWork& work) : count_(count), work_(work) {}
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;
    ~ThreadGroup() {
        stop();
        for (std::thread& thread : threads_) thread.join();
    }

    void start(std::size_t thread_count) {
        threads_.reserve(thread_count);
        try {
            while (threads_.size() < thread_count) {
                threads_.emplace_back([this] { run(); });
            }
        } catch (const std::system_error&) {
            if (threads_.empty()) throw;
            // The system does not provide more threads.
        }
    }
    // Waits for a short time, and returns whether all threads have finished.
    [[nodiscard]] bool wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        return finished_.wait_for(lock, POLL_INTERVAL, [this] { return finished_count_ == threads_.size(); });
    }
    void stop() noexcept { is_stopped_ = true; }
    void rethrow_error() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    void run() noexcept {
        std::exception_ptr error;
        try {
            for (std::size_t item; !is_stopped_ && (item = next_.fetch_add(1)) < count_;) work_(item, is_stopped_);
        } catch (...) {
            error = std::current_exception();
            stop();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        if (error && !error_) error_ = error;
        ++finished_count_;
        finished_.notify_one();
    }

    const std::size_t count_;
    const BackgroundWork& work_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> is_stopped_{false};
    std::mutex mutex_;
    std::condition_variable finished_;
    std::size_t finished_count_ = 0;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace

Completion run_in_background(std::size_t count, std::size_t threads, const BackgroundWork& work,
                             const KeepGoing& keep_going) {
    Completion completion = Completion::complete;
    ThreadGroup group(count, work);
    group.start(std::max<std::size_t>(1, std::min(threads, count)));
    while (!group.wait()) {
        if (completion == Completion::complete && !keep_going()) {
            completion = Completion::interrupted;
            group.stop();
        }
    }
    group.rethrow_error();
    return completion;
}

}  // namespace meteor::bitext
