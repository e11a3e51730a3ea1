// The class `_native.Core`; meteor_e/_native.pyi documents it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "chain.hpp"
#include "normalizer.hpp"
#include "python_helpers.hpp"
#include "thread_state.hpp"
#include "vocabulary.hpp"

namespace meteor::python {

// A chain with its vocabulary, which contains all words that it has read.
struct Core {
    std::vector<std::unique_ptr<Buffer>> buffers;  // of the mapped indexes
    Chain chain;
    std::unique_ptr<Vocabulary> vocabulary;
    std::unique_ptr<Normalizer> normalizer;
    ThreadStates thread_states;
    std::atomic<bool> is_in_use = false;
};

[[nodiscard]] inline Core& core_of(Core& core) noexcept { return core; }

// Wraps a method so that it raises an error if another thread uses the core or one of its batches at the same time.
// There is an error instead of a lock, because simultaneous use is a programming error.
template <class Result, class Self, class... Arguments>
[[nodiscard]] auto exclusive(Result (*method)(Self&, Arguments...)) {
    return [method](Self& self, Arguments... arguments) {
        Core& core = core_of(self);
        if (core.is_in_use.exchange(true)) throw std::logic_error("a Core is used by two threads at once");
        const struct Release {
            ~Release() { core.is_in_use = false; }
            Core& core;
        } release{core};
        return method(self, arguments...);
    };
}

void define_core(py::module_& module);

}  // namespace meteor::python
