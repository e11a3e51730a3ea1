#include "python_batch.hpp"

#include <unordered_map>

#include "pair_scorer.hpp"
#include "statistics.hpp"

namespace meteor::python {

namespace {

using namespace py::literals;

std::vector<std::size_t> to_sizes(py::handle list) { return to_vector(list, to_size); }

void check_segment(const Batch& batch, std::size_t segment) {
    if (segment >= batch.segment_count()) throw std::invalid_argument("the segment does not exist");
}

void check_hypothesis(const Batch& batch, std::size_t hypothesis) {
    if (hypothesis >= batch.hypothesis_count()) throw std::invalid_argument("the hypothesis does not exist");
}

std::unique_ptr<BoundBatch> make_batch(Core& core) { return std::make_unique<BoundBatch>(core); }

py::list irregular(BoundBatch& batch) { return to_list(batch.irregular_segments()); }

void set_words(BoundBatch& batch, std::size_t segment, py::handle words) {
    batch.set_words(segment, to_vector(words, to_string));
}

std::size_t intern(BoundBatch& batch) {
    batch.intern_new_words();
    return batch.vocabulary().size() - batch.vocabulary().described_count();
}

py::list number_sentences(BoundBatch& batch) { return to_list(batch.find_sentences()); }

void give_rows(BoundBatch& batch, std::size_t matcher, std::size_t sentence, py::handle rows) {
    const Buffer buffer(rows);
    batch.set_rows(matcher, sentence, buffer.items<const std::int16_t>());
}

void pair(BoundBatch& batch, py::handle reference_starts) { batch.pair(to_sizes(reference_starts)); }

py::list types(BoundBatch& batch, std::size_t segment) {
    check_segment(batch, segment);
    return to_list(batch.words(segment));
}

std::size_t original(BoundBatch& batch, std::size_t hypothesis) {
    check_hypothesis(batch, hypothesis);
    return batch.original(hypothesis);
}

// Converts a position that a matcher proposes. Positions outside of the range of an integer are clipped.
std::int64_t to_position(py::handle object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow) return overflow < 0 ? INT64_MIN : INT64_MAX;
    return check_error(value);
}

// Converts a Match of meteor_e/api/matchers.py.
Proposal to_proposal(py::handle match) {
    const auto position = [match](const char* name) { return to_position(match.attr(name)); };
    return {position("reference_start"), position("hypothesis_start"), position("reference_length"),
            position("hypothesis_length"), to_double(match.attr("probability"))};
}

void propose(BoundBatch& batch, std::size_t reference, std::size_t matcher, py::handle matches) {
    batch.propose(reference, matcher, to_vector(matches, to_proposal));
}

template <class Item>
Item* items_of(const py::bytes& object) noexcept {
    return reinterpret_cast<Item*>(PyBytes_AS_STRING(object.ptr()));
}

py::dict score(BoundBatch& batch, std::size_t threads, bool alignments, bool maximum_accuracy, py::handle stop) {
    const auto allocate = [count = batch.hypothesis_count()](std::size_t row_size) {
        return steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * row_size)));
    };
    const py::bytes statistics = allocate(statistics_width(batch.chain()) * sizeof(std::int64_t));
    const py::bytes scores = allocate(scores_width() * sizeof(double));
    const py::bytes best_references = allocate(sizeof(std::int32_t));
    const BatchOptions options{threads, alignments, maximum_accuracy};
    const BatchResults results{items_of<std::int64_t>(statistics), items_of<double>(scores),
                               items_of<std::int32_t>(best_references)};
    run_without_gil(stop, [&](const auto& keep_going) { return batch.score(options, keep_going, results); });
    batch.last_failed_pairs = batch.failed_pairs();
    return py::dict("statistics"_a = statistics, "scores"_a = scores, "best_references"_a = best_references,
                    "total"_a = to_list(batch.total()));
}

PairSource to_pair_source(py::handle source) {
    auto lists = to_vector(source, to_sizes);
    if (lists.size() != 2) throw std::invalid_argument("a source has hypotheses and references");
    return {std::move(lists[0]), std::move(lists[1])};
}

void score_pairs(BoundBatch& batch, py::handle sources, py::handle scores, std::size_t threads, py::handle stop) {
    std::vector<PairSource> pair_sources = to_vector(sources, to_pair_source);
    std::size_t pair_count = 0;
    for (const PairSource& source : pair_sources) pair_count += source.hypotheses.size() * source.references.size();
    const Buffer buffer(scores, PyBUF_WRITABLE);
    const auto results = buffer.items<double>();
    if (results.size() != pair_count) throw std::invalid_argument("there must be one score per pair");
    PairScorer scorer(batch, std::move(pair_sources));
    run_without_gil(stop, [&](const auto& keep_going) { return scorer.score(threads, keep_going, results.data()); });
    batch.last_failed_pairs = scorer.failed_pairs();
}

py::dict describe_failure(const FailedPair& pair) {
    const auto& [failure, matcher, proposal] = pair.outcome;
    py::dict description("hypothesis"_a = pair.index, "problem"_a = FAILURE_NAMES[static_cast<std::size_t>(failure)],
                         "hypothesis_size"_a = pair.hypothesis_size, "reference_size"_a = pair.reference_size);
    if (failure == Failure::misplaced_proposal || failure == Failure::missing_vectors) {
        description["matcher"] = matcher;
    }
    if (failure == Failure::misplaced_proposal) {
        description["reference_start"] = proposal.reference_start;
        description["hypothesis_start"] = proposal.hypothesis_start;
        description["reference_length"] = proposal.reference_length;
        description["hypothesis_length"] = proposal.hypothesis_length;
    }
    return description;
}

py::list failures(BoundBatch& batch) { return to_list(batch.last_failed_pairs, describe_failure); }

template <class Item>
py::bytes to_bytes(const std::vector<Item>& items) {
    const auto size = static_cast<Py_ssize_t>(items.size() * sizeof(Item));
    return steal<py::bytes>(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(items.data()), size));
}

// The alignments of all hypotheses as arrays. meteor_e/scoring/packed_alignments.py documents the fields.
struct PackedAlignments {
    py::list forms;
    std::unordered_map<std::uint32_t, std::int32_t> form_ids;  // by word type
    std::vector<std::int32_t> words, sizes, matches;
    std::vector<double> probabilities;

    void append_words(const BoundBatch& batch, std::size_t segment) {
        for (const std::uint32_t type : batch.words(segment)) {
            const auto [entry, is_new] = form_ids.try_emplace(type, static_cast<std::int32_t>(form_ids.size()));
            if (is_new) forms.append(to_python(batch.vocabulary().form(type)));
            words.push_back(entry->second);
        }
        append_size(batch.words(segment).size());
    }

    void append_matches(const std::vector<Match>& alignment) {
        for (const Match& match : alignment) {
            for (const std::uint32_t number : {match.reference_start, match.reference_length, match.hypothesis_start,
                                               match.hypothesis_length, match.matcher}) {
                matches.push_back(static_cast<std::int32_t>(number));
            }
            probabilities.push_back(match.probability);
        }
        append_size(alignment.size());
    }

    void append_size(std::size_t size) { sizes.push_back(static_cast<std::int32_t>(size)); }
};

py::dict pack_alignments(BoundBatch& batch, py::handle reference_segments) {
    const std::vector<std::size_t> references = to_sizes(reference_segments);
    if (references.size() != batch.hypothesis_count()) {
        throw std::invalid_argument("there must be one reference per hypothesis");
    }
    PackedAlignments packed;
    for (std::size_t hypothesis = 0; hypothesis < references.size(); ++hypothesis) {
        check_segment(batch, references[hypothesis]);
        packed.append_words(batch, hypothesis);
        packed.append_words(batch, references[hypothesis]);
        packed.append_matches(batch.alignment(hypothesis));
    }
    return py::dict("forms"_a = py::tuple(packed.forms), "words"_a = to_bytes(packed.words),
                    "sizes"_a = to_bytes(packed.sizes), "matches"_a = to_bytes(packed.matches),
                    "probabilities"_a = to_bytes(packed.probabilities));
}

}  // namespace

py::object create_batch(Core& core) {
    return py::type::of<BoundBatch>()(py::cast(core, py::return_value_policy::reference));
}

void define_batch(py::module_& module) {
    py::class_<BoundBatch> type(module, "Batch", py::is_final(), "Segments that are scored together.");
    define_constructor(type, make_batch,
                       "Create an empty batch; Core.read and Core.take create batches with segments.");
    type.def("irregular", exclusive(irregular), "Return the segments that need the normalizer in Python.")
        .def("set_words", exclusive(set_words), "Set the words of a segment.")
        .def("intern", exclusive(intern), "Add new words to the vocabulary; return how many word types lack features.")
        .def("number_sentences", exclusive(number_sentences),
             "Number the distinct sentences; return the first segment of each.")
        .def("give_rows", exclusive(give_rows), "Set the vectors of the words of a sentence.")
        .def("pair", exclusive(pair), "Assign the references to the hypotheses.")
        .def("types", exclusive(types), "Return the word types of a segment.")
        .def("original", exclusive(original), "Return the first hypothesis with the same words and references.")
        .def("propose", exclusive(propose), "Set the matches that a matcher in Python proposes.")
        .def("score", exclusive(score), py::kw_only(), py::arg("threads"), py::arg("alignments"),
             py::arg("maximum_accuracy"), py::arg("stop"),
             "Align and score; return statistics, scores, best references and the sum of the statistics.")
        .def("score_pairs", exclusive(score_pairs), "Score all pairs of the segments of each source.")
        .def("failures", exclusive(failures), "Return the hypotheses or pairs that could not be scored.")
        .def("pack_alignments", exclusive(pack_alignments),
             "Return the alignments of all hypotheses with the given references as arrays.");
}

}  // namespace meteor::python
