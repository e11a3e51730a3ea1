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

// Asserts that a core, with its batches, is used by one thread at a time.
class InUse {
public:
    explicit InUse(Core& core) : core_(core) {
        if (core_.in_use.exchange(true)) throw std::logic_error("a Core is used by two threads at once");
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { core_.in_use = false; }

private:
    Core& core_;
};

// Segments that are scored together.
struct BoundBatch {
    explicit BoundBatch(const py::object& made_by)
        : owner(made_by), core(owner.cast<Core&>()), batch(core.chain, *core.vocabulary, core.workshop) {}

    py::object owner;
    Core& core;
    Batch batch;
};

void add_core(py::module_& module);
void add_batch(py::module_& module);

}  // namespace meteor::python
