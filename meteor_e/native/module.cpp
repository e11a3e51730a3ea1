// The extension module meteor_e._native. Its signatures are in meteor_e/_native.pyi.
#include "core_object.hpp"

#include "characters.hpp"
#include "statistics.hpp"

namespace {

using namespace meteor::python;

Ref names_of(const std::vector<const char*>& names) {
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
    for (std::size_t k = 0; k < names.size(); ++k) {
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), Ref(PyUnicode_FromString(names[k])).release());
    }
    return tuple;
}

// STATISTICS: names of the columns before, of and after the matchers; SCORES: names of the parts of a score.
int add_layout(PyObject* module) {
    return guarded(-1, [&] {
        const meteor::Layout& layout = meteor::layout();
        const Ref columns(Py_BuildValue("(NNN)", names_of(layout.before).release(), names_of(layout.matcher).release(),
                                        names_of(layout.after).release()));
        const Ref parts = names_of(layout.scores);
        if (PyModule_AddObjectRef(module, "STATISTICS", columns.get()) < 0) return -1;
        return PyModule_AddObjectRef(module, "SCORES", parts.get());
    });
}

int execute(PyObject* module) {
    meteor::prepare_character_classes();
    if (!core_type) {
        core_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&core_spec));
        batch_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&batch_spec));
        damaged_index_error = PyErr_NewExceptionWithDoc("meteor_e._native.DamagedIndexError",
                                                        "A mapped index holds what no builder writes: (file, problem).",
                                                        PyExc_RuntimeError, nullptr);
    }
    if (!core_type || !batch_type || !damaged_index_error) return -1;
    if (PyModule_AddObjectRef(module, "Core", reinterpret_cast<PyObject*>(core_type)) < 0) return -1;
    if (PyModule_AddObjectRef(module, "Batch", reinterpret_cast<PyObject*>(batch_type)) < 0) return -1;
    if (add_layout(module) < 0) return -1;
    return PyModule_AddObjectRef(module, "DamagedIndexError", damaged_index_error);
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    // The engine gives each thread a core of its own; nothing else is shared.
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "meteor_e._native",
                          "The native core of meteor_e.",
                          0,
                          nullptr,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() { return PyModuleDef_Init(&definition); }
