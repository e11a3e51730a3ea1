#include "python_core.hpp"

namespace meteor::python {

namespace {

using namespace py::literals;

std::vector<std::size_t> sizes_of(py::handle list) { return to_vector(list, to_size); }

void set_words(BoundBatch& batch, std::size_t segment, py::handle words) {
    batch.set_words(segment, to_vector(words, to_string));
}

std::size_t intern(BoundBatch& batch) {
    batch.intern_new_words();
    return batch.core.vocabulary->size() - batch.core.vocabulary->described();
}

void give_rows(BoundBatch& batch, std::size_t matcher, std::size_t sentence, py::handle rows) {
    const Buffer buffer(rows);
    batch.give_rows(matcher, sentence, buffer.items<const std::int16_t>());
}

Words types_of(const Batch& batch, std::size_t segment) {
    if (segment >= batch.segments()) throw std::invalid_argument("there is no such segment");
    return batch.words(segment);
}

py::list types(BoundBatch& batch, std::size_t segment) { return to_list(types_of(batch, segment)); }

py::tuple words(BoundBatch& batch, std::size_t segment) {
    return to_list(types_of(batch, segment),
                   [&batch](std::uint32_t type) { return to_python(batch.core.vocabulary->form(type)); });
}

std::size_t hypothesis_number(const Batch& batch, std::size_t hypothesis) {
    if (hypothesis >= batch.hypotheses()) throw std::invalid_argument("there is no such hypothesis");
    return hypothesis;
}

std::int64_t position_of(py::handle object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    return overflow ? (overflow < 0 ? INT64_MIN : INT64_MAX) : checked(value);
}

// The matches are those of meteor_e/api/matchers.py.
void propose(BoundBatch& batch, std::size_t reference, std::size_t matcher, py::handle matches) {
    batch.propose(reference, matcher, to_vector(matches, [](py::handle match) -> Proposal {
                      const auto position = [match](const char* name) { return position_of(match.attr(name)); };
                      return {position("reference_start"), position("hypothesis_start"), position("reference_length"),
                              position("hypothesis_length"), to_double(match.attr("probability"))};
                  }));
}

py::dict score(BoundBatch& batch, std::size_t threads, bool alignments, bool maximum_accuracy, py::handle stop) {
    const std::size_t count = batch.hypotheses(), width = statistics_width(batch.core.chain);
    const auto bytes = [count](std::size_t item) {
        return taken<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * item)));
    };
    const py::bytes statistics = bytes(width * sizeof(std::int64_t)), scores = bytes(scores_width() * sizeof(double)),
                    references = bytes(sizeof(std::int32_t));
    const auto memory = [](const py::bytes& object) { return PyBytes_AS_STRING(object.ptr()); };
    const BatchOptions options{threads, alignments, maximum_accuracy};
    unlocked(stop, [&](const auto& go_on) {
        return batch.score(options, go_on, reinterpret_cast<std::int64_t*>(memory(statistics)),
                           reinterpret_cast<double*>(memory(scores)),
                           reinterpret_cast<std::int32_t*>(memory(references)));
    });
    return py::dict("statistics"_a = statistics, "scores"_a = scores, "best_references"_a = references,
                    "total"_a = to_list(batch.total()));
}

// `sources`: [(hypotheses, references)]; `scores`: float64, to fill.
void score_pairs(BoundBatch& batch, py::handle sources, py::handle scores, std::size_t threads, py::handle stop) {
    std::size_t size = 0;
    const auto numbers = to_vector(sources, [&size](py::handle source) -> PairSource {
        const auto sides = to_vector(source, sizes_of);
        if (sides.size() != 2) throw std::invalid_argument("a source has hypotheses and references");
        size += sides[0].size() * sides[1].size();
        return {sides[0], sides[1]};
    });
    const Buffer buffer(scores, PyBUF_WRITABLE);
    const auto filled = buffer.items<double>();
    if (filled.size() != size) throw std::invalid_argument("one score a pair");
    unlocked(stop, [&](const auto& go_on) { return batch.score_pairs(numbers, threads, go_on, filled.data()); });
}

py::dict failure_of(const Failure& failure) {
    const auto& [problem, matcher, proposal] = failure.outcome;
    constexpr const char* NAMES[] = {"", "too_many_candidates", "too_many_paths", "misplaced_proposal",
                                     "missing_vectors"};
    py::dict item("hypothesis"_a = failure.hypothesis, "problem"_a = NAMES[static_cast<std::size_t>(problem)],
                  "hypothesis_size"_a = failure.hypothesis_size, "reference_size"_a = failure.reference_size);
    if (problem == Problem::misplaced_proposal || problem == Problem::without_vectors) item["matcher"] = matcher;
    if (problem == Problem::misplaced_proposal) {
        item["reference_start"] = proposal.reference_start;
        item["hypothesis_start"] = proposal.hypothesis_start;
        item["reference_length"] = proposal.reference_length;
        item["hypothesis_length"] = proposal.hypothesis_length;
    }
    return item;
}

// What `make` makes of the fields of each match with the best reference.
py::tuple alignment(BoundBatch& batch, std::size_t hypothesis, py::handle make) {
    const py::tuple names = py::make_tuple("reference_start", "reference_length", "hypothesis_start",
                                           "hypothesis_length", "matcher", "probability");
    return to_list(batch.alignment(hypothesis_number(batch, hypothesis)), [&](const Match& match) {
        const py::object values[] = {py::int_(match.reference_start),  py::int_(match.reference_length),
                                     py::int_(match.hypothesis_start), py::int_(match.hypothesis_length),
                                     py::int_(match.matcher),          py::float_(match.probability)};
        PyObject* fields[std::size(values)];
        for (std::size_t k = 0; k < std::size(values); ++k) fields[k] = values[k].ptr();
        return taken(PyObject_Vectorcall(make.ptr(), fields, 0, names.ptr()));
    });
}

}  // namespace

void add_batch(py::module_& module) {
    py::class_<BoundBatch>(module, "Batch", py::is_final(), "Segments that are scored together. Made by Core.")
        .def("irregular", alone(+[](BoundBatch& batch) { return to_list(batch.irregular()); }),
             "Return the segments that the Python normalizer must do.")
        .def("set_words", alone(set_words), "Give the words of a segment.")
        .def("intern", alone(intern), "Add new words to the vocabulary; return how many types lack features.")
        .def("number_sentences", alone(+[](BoundBatch& batch) { return to_list(batch.number_sentences()); }),
             "Number the distinct sentences; return their segments.")
        .def("give_rows", alone(give_rows), "Give the vectors of a sentence's words.")
        .def("pair", alone(+[](BoundBatch& batch, py::handle starts) { batch.pair(sizes_of(starts)); }),
             "Say which references belong to which hypothesis.")
        .def("types", alone(types), "Return the word types of a segment.")
        .def("words", alone(words), "Return the words of a segment.")
        .def("original", alone(+[](BoundBatch& batch, std::size_t hypothesis) {
                 return batch.original(hypothesis_number(batch, hypothesis));
             }),
             "Return the first hypothesis with the same words and references.")
        .def("propose", alone(propose), "Give the matches that a matcher in Python proposes.")
        .def("score", alone(score), py::kw_only(), py::arg("threads"), py::arg("alignments"),
             py::arg("maximum_accuracy"), py::arg("stop"),
             "Align and score; return statistics, scores, best references and the sum of the statistics.")
        .def("score_pairs", alone(score_pairs), "Score all pairs of the segments of each source.")
        .def("failures", alone(+[](BoundBatch& batch) { return to_list(batch.failures(), failure_of); }),
             "Return the hypotheses that could not be scored.")
        .def("alignment", alone(alignment), "Return the matches of a hypothesis with its best reference.");
}

}  // namespace meteor::python
