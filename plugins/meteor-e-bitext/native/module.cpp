// The extension module meteor_e_bitext._native; src/meteor_e_bitext/_native.pyi documents it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "phrase_numbers.hpp"
#include "phrase_pairs.hpp"
#include "pivot.hpp"
#include "symmetrization.hpp"
#include "word_alignment.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::bitext;

// A contiguous array. Arguments are declared noconvert(), so that an array of another type raises an error and is not
// copied.
template <class Item>
using Array = py::array_t<Item, py::array::c_style>;

template <class Item>
View<Item> to_view(const Array<Item>& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

void check(bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(problem);
}

void check_sizes(std::size_t size, std::size_t expected) { check(size == expected, "arrays do not fit each other"); }

// Returns the memory of an output array, after a check of its size.
template <class Item>
Item* to_output(Array<Item>& array, std::size_t size) {
    check(static_cast<std::size_t>(array.size()) == size, "an output array has the wrong size");
    return array.mutable_data();
}

template <class Item>
py::bytes to_bytes(const std::vector<Item>& items) {
    return py::bytes(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item));
}

// Reports progress to Python, and handles signals such as Ctrl-C, while work runs without the GIL. If Python raises an
// error, the call returns false to end the work, and rethrow() raises the error afterwards.
class ProgressReporter {
public:
    explicit ProgressReporter(py::function report) : report_(std::move(report)) {}

    bool operator()(std::size_t completed, std::size_t total) {
        const py::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            report_(completed, total);
        } catch (...) {
            error_ = std::current_exception();
        }
        return !error_;
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    py::function report_;
    std::exception_ptr error_;
};

double py_align_words(const Array<std::uint32_t>& source_words, const Array<std::uint64_t>& source_starts,
                      std::size_t source_types, const Array<std::uint32_t>& target_words,
                      const Array<std::uint64_t>& target_starts, std::size_t target_types, std::size_t iterations,
                      double null_probability, double tension, double concentration, std::size_t max_words,
                      std::size_t threads, Array<std::uint16_t> positions, py::function report) {
    check(iterations >= 1 && max_words >= 1 && max_words < NOT_ALIGNED && threads >= 1 && null_probability > 0 &&
              null_probability < 1 && tension > 0 && concentration > 0,
          "an option is out of range");
    ModelOptions options;
    options.iterations = iterations;
    options.null_probability = null_probability;
    options.tension = tension;
    options.concentration = concentration;
    options.max_words = max_words;
    options.threads = threads;
    const Corpus source{to_view(source_words), to_view(source_starts)};
    const Corpus target{to_view(target_words), to_view(target_starts)};
    source.check(source_types);
    target.check(target_types);
    check_sizes(source.sentence_count(), target.sentence_count());
    std::uint16_t* const output = to_output(positions, target.words.size());
    ProgressReporter progress(std::move(report));
    double final_tension = 0;
    {
        const py::gil_scoped_release unlocked;
        final_tension = align_words(source, target, source_types, target_types, options, output, std::ref(progress));
    }
    progress.rethrow();
    return final_tension;
}

py::tuple py_symmetrize(const Array<std::uint64_t>& source_starts, const Array<std::uint64_t>& target_starts,
                        const Array<std::uint16_t>& forward, const Array<std::uint16_t>& backward, int heuristic) {
    check(heuristic >= 0 && heuristic < HEURISTIC_COUNT, "the heuristic does not exist");
    const auto sources = to_view(source_starts), targets = to_view(target_starts);
    check_sizes(sources.size(), targets.size());
    check(!sources.empty(), "the number of words is missing");
    check_sizes(sources.back(), to_view(backward).size());
    check_sizes(targets.back(), to_view(forward).size());
    check_starts(sources);
    check_starts(targets);
    Links links;
    {
        const py::gil_scoped_release unlocked;
        links = symmetrize(sources, targets, to_view(forward), to_view(backward), static_cast<Heuristic>(heuristic));
    }
    return py::make_tuple(to_bytes(links.positions), to_bytes(links.starts));
}

py::tuple py_number_phrases(const Array<std::uint32_t>& words, const Array<std::uint64_t>& starts, std::size_t types,
                            std::size_t max_length, std::uint32_t min_count, Array<std::uint32_t> ids,
                            py::function report) {
    const Corpus corpus{to_view(words), to_view(starts)};
    corpus.check(types);
    check(max_length >= 1 && max_length <= 100 && min_count >= 1, "an option is out of range");
    check(corpus.words.size() <= 0xFFFFFFF0u, "there are more than four billion words");
    std::uint32_t* const output = to_output(ids, corpus.words.size() * max_length);
    ProgressReporter progress(std::move(report));
    PhraseCounts phrases;
    {
        const py::gil_scoped_release unlocked;
        phrases = number_phrases(corpus, max_length, min_count, output, std::ref(progress));
    }
    progress.rethrow();
    return py::make_tuple(to_bytes(phrases.first_positions), to_bytes(phrases.count_by_length));
}

PhraseCorpus to_phrase_corpus(const Array<std::uint64_t>& starts, const Array<std::uint32_t>& ids,
                              std::size_t max_length) {
    const auto sentence_starts = to_view(starts);
    check(!sentence_starts.empty(), "the number of words is missing");
    check_starts(sentence_starts);
    const PhraseIds phrase_ids{to_view(ids), max_length, sentence_starts.back()};
    check_sizes(phrase_ids.word_count * max_length, phrase_ids.ids.size());
    return {sentence_starts, phrase_ids};
}

PhraseTotals to_totals(Array<std::uint32_t>& counts) {
    const auto size = static_cast<std::size_t>(counts.size());
    check(size != 0, "an output array is empty");
    return {to_output(counts, size), size - 1};
}

py::bytes py_extract_pairs(const Array<std::uint64_t>& first_starts, const Array<std::uint64_t>& second_starts,
                           const Array<std::uint32_t>& first_ids, const Array<std::uint32_t>& second_ids,
                           std::size_t max_length, const Array<std::uint16_t>& links,
                           const Array<std::uint64_t>& link_starts, std::size_t begin, std::size_t end,
                           Array<std::uint32_t> first_totals, Array<std::uint32_t> second_totals) {
    check(max_length >= 1 && end >= begin, "an option is out of range");
    const PhraseCorpus first = to_phrase_corpus(first_starts, first_ids, max_length);
    const PhraseCorpus second = to_phrase_corpus(second_starts, second_ids, max_length);
    const auto sentence_links = to_view(link_starts);
    check_sizes(first.starts.size(), second.starts.size());
    check_sizes(first.starts.size(), sentence_links.size());
    check_starts(sentence_links);
    check_sizes(sentence_links.back() * 2, to_view(links).size());
    check(end < first.starts.size(), "there are fewer sentences");
    const PhraseTotals first_output = to_totals(first_totals), second_output = to_totals(second_totals);
    std::vector<PairCount> pairs;
    {
        const py::gil_scoped_release unlocked;
        pairs = extract_pairs(first, second, to_view(links), sentence_links, begin, end, first_output, second_output);
    }
    return to_bytes(pairs);
}

void py_merge_runs(const std::vector<Array<std::uint8_t>>& buffers, const py::function& write) {
    std::vector<View<PairCount>> runs;
    for (const auto& buffer : buffers) {
        const auto bytes = to_view(buffer);
        check(bytes.size() % sizeof(PairCount) == 0 &&
                  reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(PairCount) == 0,
              "an array does not hold whole items");
        runs.push_back({reinterpret_cast<const PairCount*>(bytes.data()), bytes.size() / sizeof(PairCount)});
    }
    merge_runs(runs, [&](const std::vector<PairCount>& block) { write(to_bytes(block)); });
}

py::bytes py_pivot(const Array<std::uint32_t>& phrases, const Array<std::uint64_t>& to_starts,
                   const Array<std::uint32_t>& to_translations, const Array<double>& to_probabilities,
                   const Array<std::uint64_t>& from_starts, const Array<std::uint32_t>& from_translations,
                   const Array<double>& from_probabilities, double min_product, double min_probability) {
    const PhraseTable to_pivot{to_view(to_starts), to_view(to_translations), to_view(to_probabilities)};
    const PhraseTable from_pivot{to_view(from_starts), to_view(from_translations), to_view(from_probabilities)};
    check(!to_pivot.starts.empty() && !from_pivot.starts.empty(), "the number of entries is missing");
    to_pivot.check(from_pivot.starts.size() - 1);
    from_pivot.check(to_pivot.starts.size() - 1);
    for (const std::uint32_t phrase : to_view(phrases)) {
        check(phrase < to_pivot.starts.size() - 1, "a phrase is not in the table");
    }
    std::vector<Paraphrase> paraphrases;
    {
        const py::gil_scoped_release unlocked;
        paraphrases = find_paraphrases(to_view(phrases), to_pivot, from_pivot, min_product, min_probability);
    }
    return to_bytes(paraphrases);
}

}  // namespace

// The module does not need the GIL, because calls do not share any state.
PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    using namespace py::literals;
    module.doc() = "Word alignment, phrase extraction and pivoting for resource packs.";
    module.def("align_words", py_align_words, py::kw_only(), "source_words"_a.noconvert(),
               "source_starts"_a.noconvert(), "source_types"_a, "target_words"_a.noconvert(),
               "target_starts"_a.noconvert(), "target_types"_a, "iterations"_a, "null_probability"_a, "tension"_a,
               "concentration"_a, "max_words"_a, "threads"_a, "positions"_a.noconvert(), "report"_a);
    module.def("symmetrize", py_symmetrize, py::kw_only(), "source_starts"_a.noconvert(), "target_starts"_a.noconvert(),
               "forward"_a.noconvert(), "backward"_a.noconvert(), "heuristic"_a);
    module.def("number_phrases", py_number_phrases, py::kw_only(), "words"_a.noconvert(), "starts"_a.noconvert(),
               "types"_a, "max_length"_a, "min_count"_a, "ids"_a.noconvert(), "report"_a);
    module.def("extract_pairs", py_extract_pairs, py::kw_only(), "first_starts"_a.noconvert(),
               "second_starts"_a.noconvert(), "first_ids"_a.noconvert(), "second_ids"_a.noconvert(), "max_length"_a,
               "links"_a.noconvert(), "link_starts"_a.noconvert(), "begin"_a, "end"_a, "first_totals"_a.noconvert(),
               "second_totals"_a.noconvert());
    module.def("merge_runs", py_merge_runs, "runs"_a.noconvert(), "write"_a);
    module.def("pivot", py_pivot, py::kw_only(), "phrases"_a.noconvert(), "to_starts"_a.noconvert(),
               "to_translations"_a.noconvert(), "to_probabilities"_a.noconvert(), "from_starts"_a.noconvert(),
               "from_translations"_a.noconvert(), "from_probabilities"_a.noconvert(), "min_product"_a,
               "min_probability"_a);
}
