// The extension module meteor_e._native; meteor_e/_native.pyi documents it.
#include "python_batch.hpp"
#include "python_core.hpp"
#include "shared_characters.hpp"
#include "statistics.hpp"

using namespace meteor::python;

namespace {

py::object to_tuple(const std::vector<const char*>& names) {
    return py::tuple(to_list(names, [](const char* name) { return py::str(name); }));
}

PYBIND11_CONSTINIT py::gil_safe_call_once_and_store<py::object> damaged_index_error;

void translate_exception(std::exception_ptr exception) {
    try {
        if (exception) std::rethrow_exception(exception);
    } catch (const meteor::DamagedIndex& error) {
        py::set_error(damaged_index_error.get_stored(), py::make_tuple(error.file, error.what()));
    } catch (const std::length_error&) {
        PyErr_NoMemory();
    }
}

}  // namespace

// The module works without the GIL, because threads never use the same Core object at the same time.
PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    module.doc() = "The native core of meteor_e.";
    damaged_index_error.call_once_and_store_result([] {
        return steal(PyErr_NewExceptionWithDoc("meteor_e._native.DamagedIndexError",
                                               "A mapped index is damaged; the arguments are the file and the problem.",
                                               PyExc_RuntimeError, nullptr));
    });
    module.attr("DamagedIndexError") = damaged_index_error.get_stored();
    py::register_exception_translator(translate_exception);
    const meteor::Layout& layout = meteor::layout();
    module.attr("STATISTICS") =
        py::make_tuple(to_tuple(layout.before), to_tuple(layout.matcher), to_tuple(layout.after));
    module.attr("SCORES") = to_tuple(layout.scores);
    module.attr("NGRAM_LENGTHS") = py::make_tuple(py::int_(meteor::SharedCharacters::MAX_NGRAM),
                                                  py::int_(meteor::SharedCharacters::MAX_ORDERED_NGRAM));
    define_core(module);
    define_batch(module);
}
