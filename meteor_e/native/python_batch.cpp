#include "python_core.hpp"

namespace meteor::python {

namespace {

std::vector<std::size_t> sizes_of(py::handle list) { return to_vector(list, to_size); }

py::list numbers_of(std::span<const std::size_t> numbers) {
    return to_list(numbers, [](std::size_t number) { return py::int_(number); });
}

void set_words(Batch& batch, std::size_t segment, py::handle words) {
    batch.set_words(segment, to_vector(words, to_string));
}

Words words_of(const Batch& batch, std::size_t segment) {
    if (segment >= batch.segments()) throw std::invalid_argument("there is no such segment");
    return batch.words(segment);
}

std::size_t hypothesis_number(const Batch& batch, std::size_t hypothesis) {
    if (hypothesis >= batch.hypotheses()) throw std::invalid_argument("there is no such hypothesis");
    return hypothesis;
}

std::int64_t position_of(py::handle object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow) return overflow < 0 ? INT64_MIN : INT64_MAX;
    if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
    return value;
}

// The matches are those of meteor_e/api/matchers.py.
void propose(Batch& batch, std::size_t reference, std::size_t matcher, py::handle matches) {
    batch.propose(reference, matcher, to_vector(matches, [](py::handle match) -> Proposal {
                      const auto position = [match](const char* name) { return position_of(match.attr(name)); };
                      return {position("reference_start"), position("hypothesis_start"), position("reference_length"),
                              position("hypothesis_length"), to_double(match.attr("probability"))};
                  }));
}

py::dict score(BoundBatch& self, std::size_t threads, bool alignments, bool maximum_accuracy, py::handle stop) {
    const std::size_t count = self.batch.hypotheses(), width = statistics_width(self.core.chain);
    const auto bytes = [count](std::size_t item) {
        return taken<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * item)));
    };
    const py::bytes statistics = bytes(width * sizeof(std::int64_t)), scores = bytes(scores_width() * sizeof(double)),
                    references = bytes(sizeof(std::int32_t));
    const auto memory = [](const py::bytes& object) { return PyBytes_AS_STRING(object.ptr()); };
    const BatchOptions options{threads, alignments, maximum_accuracy};
    unlocked(stop, [&](const auto& go_on) {
        return self.batch.score(options, go_on, reinterpret_cast<std::int64_t*>(memory(statistics)),
                                reinterpret_cast<double*>(memory(scores)),
                                reinterpret_cast<std::int32_t*>(memory(references)));
    });
    py::dict result;
    result["statistics"] = statistics;
    result["scores"] = scores;
    result["best_references"] = references;
    result["total"] = to_list(self.batch.total(), [](std::int64_t sum) { return py::int_(sum); });
    return result;
}

// `sources`: [(hypotheses, references)]; `scores`: float64, to fill.
void score_pairs(Batch& batch, py::handle sources, py::handle scores, std::size_t threads, py::handle stop) {
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
    const Problem problem = failure.outcome.problem;
    py::dict item;
    item["hypothesis"] = failure.hypothesis;
    item["hypothesis_size"] = failure.hypothesis_size;
    item["reference_size"] = failure.reference_size;
    if (problem == Problem::too_many_paths) item["paths"] = 1;
    if (problem == Problem::misplaced_proposal || problem == Problem::without_vectors) {
        item["matcher"] = failure.outcome.matcher;
    }
    if (problem == Problem::misplaced_proposal) {
        const Proposal& proposal = failure.outcome.proposal;
        item["reference_start"] = proposal.reference_start;
        item["hypothesis_start"] = proposal.hypothesis_start;
        item["reference_length"] = proposal.reference_length;
        item["hypothesis_length"] = proposal.hypothesis_length;
    }
    return item;
}

// What `make` makes of the fields of each match with the best reference.
py::tuple alignment(const Batch& batch, std::size_t hypothesis, py::handle make) {
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

// A method of a batch, for one thread at a time.
template <class Result, class... Given>
auto alone(Result (*method)(Batch&, Given...)) {
    return [method](BoundBatch& self, Given... given) {
        const InUse use(self.core);
        return method(self.batch, given...);
    };
}

std::size_t undescribed(const BoundBatch& self) {
    return self.core.vocabulary->size() - self.core.vocabulary->described();
}

}  // namespace

void add_batch(py::module_& module) {
    py::class_<BoundBatch>(module, "Batch", py::is_final(), "Segments that are scored together. Made by Core.")
        .def("irregular", alone(+[](Batch& batch) { return numbers_of(batch.irregular()); }),
             "Return the segments that the Python normalizer must do.")
        .def("set_words", alone(set_words), "Give the words of a segment.")
        .def(
            "intern",
            [](BoundBatch& self) {
                const InUse use(self.core);
                self.batch.intern_new_words();
                return undescribed(self);
            },
            "Add new words to the vocabulary; return how many types lack features.")
        .def("number_sentences", alone(+[](Batch& batch) { return numbers_of(batch.number_sentences()); }),
             "Number the distinct sentences; return their segments.")
        .def("give_rows", alone(+[](Batch& batch, std::size_t matcher, std::size_t sentence, py::handle rows) {
                 const Buffer buffer(rows);
                 batch.give_rows(matcher, sentence, buffer.items<const std::int16_t>());
             }),
             "Give the vectors of a sentence's words.")
        .def("pair", alone(+[](Batch& batch, py::handle starts) { batch.pair(sizes_of(starts)); }),
             "Say which references belong to which hypothesis.")
        .def("types", alone(+[](Batch& batch, std::size_t segment) {
                 return to_list(words_of(batch, segment), [](std::uint32_t type) { return py::int_(type); });
             }),
             "Return the word types of a segment.")
        .def(
            "words",
            [](BoundBatch& self, std::size_t segment) {
                const InUse use(self.core);
                return py::tuple(to_list(words_of(self.batch, segment), [&](std::uint32_t type) {
                    return to_python(self.core.vocabulary->form(type));
                }));
            },
            "Return the words of a segment.")
        .def("original", alone(+[](Batch& batch, std::size_t hypothesis) {
                 return batch.original(hypothesis_number(batch, hypothesis));
             }),
             "Return the first hypothesis with the same words and references.")
        .def("propose", alone(propose), "Give the matches that a matcher in Python proposes.")
        .def(
            "score",
            [](BoundBatch& self, std::size_t threads, bool alignments, bool maximum_accuracy, py::handle stop) {
                const InUse use(self.core);
                return score(self, threads, alignments, maximum_accuracy, stop);
            },
            py::kw_only(), py::arg("threads"), py::arg("alignments"), py::arg("maximum_accuracy"), py::arg("stop"),
            "Align and score; return statistics, scores, best references and the sum of the statistics.")
        .def("score_pairs", alone(score_pairs), "Score all pairs of the segments of each source.")
        .def("failures", alone(+[](Batch& batch) { return to_list(batch.failures(), failure_of); }),
             "Return the hypotheses that could not be scored.")
        .def("alignment", alone(+[](Batch& batch, std::size_t hypothesis, py::handle make) {
                 return alignment(batch, hypothesis, make);
             }),
             "Return the matches of a hypothesis with its best reference.");
}

}  // namespace meteor::python
