// The class `_native.Batch`; meteor_e/_native.pyi documents it.
#pragma once

#include <vector>

#include "batch.hpp"
#include "python_core.hpp"

namespace meteor::python {

// A batch that keeps its core alive.
struct BoundBatch : Batch {
    explicit BoundBatch(Core& batch_core)
        : Batch(batch_core.chain, *batch_core.vocabulary, batch_core.thread_states),
          core(batch_core),
          core_object(py::cast(batch_core, py::return_value_policy::reference)) {}

    Core& core;
    py::object core_object;
    std::vector<FailedPair> last_failed_pairs;  // of the last call of score() or score_pairs()
};

[[nodiscard]] inline Core& core_of(BoundBatch& batch) noexcept { return batch.core; }

// Creates an empty batch as a Python object. The function calls the Python class, because the cast of a std::unique_ptr
// in pybind11 is not safe if the memory runs out (see define_constructor).
[[nodiscard]] py::object create_batch(Core& core);

void define_batch(py::module_& module);

}  // namespace meteor::python
