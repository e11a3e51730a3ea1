// The Python classes of the extension.
#pragma once

#include "python_helpers.hpp"

#include <vector>

#include "batch.hpp"

namespace meteor::python {

// A chain and the words seen with it; `_native.Core`. Used by one Python thread at a time.
struct Core {
    std::vector<std::unique_ptr<Buffer>> buffers;  // of the mapped indexes
    Chain chain;
    std::unique_ptr<Vocabulary> vocabulary;
    std::unique_ptr<Normalizer> normalizer;
    Workshop workshop;
};

struct CoreObject {
    PyObject_HEAD Core* core;
};

// Segments that are scored together; `_native.Batch`.
struct BatchObject {
    PyObject_HEAD PyObject* owner;  // the Core
    Batch* batch;
};

extern PyTypeObject* core_type;
extern PyTypeObject* batch_type;
extern PyType_Spec core_spec;
extern PyType_Spec batch_spec;

// A Batch object without segments.
Ref new_batch(PyObject* owner);

inline Core& core_of(PyObject* object) {
    Core* core = reinterpret_cast<CoreObject*>(object)->core;
    if (!core) throw std::invalid_argument("the core was not initialized");
    return *core;
}

inline Batch& batch_of(PyObject* object) { return *reinterpret_cast<BatchObject*>(object)->batch; }

}  // namespace meteor::python
