// The Python classes of the extension, `_native.Core` and `_native.Batch`; meteor_e/_native.pyi describes them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "python_helpers.hpp"

namespace meteor::python {

// A chain and the words seen with it.
struct Core {
    std::vector<std::unique_ptr<Buffer>> buffers;  // of the mapped indexes
    Chain chain;
    std::unique_ptr<Vocabulary> vocabulary;
    std::unique_ptr<Normalizer> normalizer;
    Workshop workshop;
    std::atomic<bool> in_use = false;
};

// Segments that are scored together. Python keeps the core alive as long as its batches.
struct BoundBatch : Batch {
    explicit BoundBatch(Core& maker) : Batch(maker.chain, *maker.vocabulary, maker.workshop), core(maker) {}

    Core& core;
};

inline Core& core_of(Core& core) { return core; }
inline Core& core_of(BoundBatch& batch) { return batch.core; }

// A method that asserts that a core, with its batches, is used by one thread at a time.
template <class Result, class Self, class... Given>
auto alone(Result (*method)(Self&, Given...)) {
    return [method](Self& self, Given... given) {
        if (core_of(self).in_use.exchange(true)) throw std::logic_error("a Core is used by two threads at once");
        const struct End {
            ~End() { core.in_use = false; }
            Core& core;
        } end{core_of(self)};
        return method(self, given...);
    };
}

void add_core(py::module_& module);
void add_batch(py::module_& module);

}  // namespace meteor::python
