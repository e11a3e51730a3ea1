// The extension module meteor_e._native. Its signatures are in meteor_e/_native.pyi.
#include "python_core.hpp"
#include "shared_characters.hpp"
#include "statistics.hpp"

using namespace meteor::python;

namespace {

py::object names_of(const std::vector<const char*>& names) {
    return py::tuple(to_list(names, [](const char* name) { return py::str(name); }));
}

PYBIND11_CONSTINIT py::gil_safe_call_once_and_store<py::object> damaged_index_error;

void translate(std::exception_ptr raised) {
    try {
        if (raised) std::rethrow_exception(raised);
    } catch (const meteor::DamagedIndex& error) {
        py::set_error(damaged_index_error.get_stored(), py::make_tuple(error.file, error.what()));
    } catch (const std::length_error&) {
        PyErr_NoMemory();
    }
}

}  // namespace

// The engine gives each thread a core of its own; nothing else is shared.
PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    module.doc() = "The native core of meteor_e.";
    damaged_index_error.call_once_and_store_result([] {
        return taken(PyErr_NewExceptionWithDoc("meteor_e._native.DamagedIndexError",
                                               "A mapped index holds what no builder writes: (file, problem).",
                                               PyExc_RuntimeError, nullptr));
    });
    module.attr("DamagedIndexError") = damaged_index_error.get_stored();
    py::register_exception_translator(translate);
    // Names of the columns before, of and after the matchers, and of the parts of a score.
    const meteor::Layout& layout = meteor::layout();
    module.attr("STATISTICS") =
        py::make_tuple(names_of(layout.before), names_of(layout.matcher), names_of(layout.after));
    module.attr("SCORES") = names_of(layout.scores);
    module.attr("NGRAM_LENGTHS") = py::make_tuple(py::int_(meteor::SharedCharacters::MAX_NGRAM),
                                                  py::int_(meteor::SharedCharacters::MAX_ORDERED_NGRAM));
    add_core(module);
    add_batch(module);
}
