// The extension module meteor_e_bitext._native. Its signatures are in src/meteor_e_bitext/_native.pyi.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "phrases.hpp"
#include "pivot.hpp"
#include "word_alignment.hpp"

namespace py = pybind11;

namespace {

using namespace meteor::bitext;

// Only arrays of the very type are taken, so that nothing large is copied without a word: arguments are noconvert().
template <class Item>
using Array = py::array_t<Item, py::array::c_style>;

template <class Item>
View<Item> view(const Array<Item>& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

// The memory of an array that is written to.
template <class Item>
Item* output(Array<Item>& array, std::size_t size) {
    if (static_cast<std::size_t>(array.size()) != size) {
        throw std::invalid_argument("an output array has the wrong size");
    }
    return array.mutable_data();
}

template <class Item>
py::bytes to_bytes(const std::vector<Item>& items) {
    return py::bytes(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item));
}

void expect(bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(problem);
}

void expect_sizes(std::size_t found, std::size_t size) { expect(found == size, "arrays do not fit each other"); }

void expect_sorted(View<std::uint64_t> starts) {
    for (std::size_t k = 0; k + 1 < starts.size; ++k) expect(starts[k] <= starts[k + 1], "sentences overlap");
}

// Calls back into Python from work that runs without the interpreter's lock: progress, and signals such as Ctrl-C.
// Work goes on until it sees `false`; the Python error is then raised again.
class Report {
public:
    explicit Report(py::function function) : function_(std::move(function)) {}

    bool operator()(std::size_t done, std::size_t all) {
        const py::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            function_(done, all);
        } catch (...) {
            error_ = std::current_exception();
        }
        return !error_;
    }
    void raise() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    py::function function_;
    std::exception_ptr error_;
};

double py_align_words(const Array<std::uint32_t>& source_words, const Array<std::uint64_t>& source_starts,
                      std::size_t source_types, const Array<std::uint32_t>& target_words,
                      const Array<std::uint64_t>& target_starts, std::size_t target_types, std::size_t iterations,
                      double null_probability, double tension, double concentration, std::size_t longest,
                      std::size_t threads, Array<std::uint16_t> positions, py::function progress) {
    expect(iterations >= 1 && longest >= 1 && longest < NOT_ALIGNED && threads >= 1 && null_probability > 0 &&
               null_probability < 1 && tension > 0 && concentration > 0,
           "an option is out of range");
    ModelOptions options;
    options.iterations = iterations;
    options.null_probability = null_probability;
    options.tension = tension;
    options.concentration = concentration;
    options.longest = longest;
    options.threads = threads;
    const Side source{view(source_words), view(source_starts)}, target{view(target_words), view(target_starts)};
    source.check(source_types);
    target.check(target_types);
    expect_sizes(source.sentences(), target.sentences());
    std::uint16_t* const out = output(positions, target.words.size);
    Report report(std::move(progress));
    double found = 0;
    {
        const py::gil_scoped_release unlocked;
        found = align_words(source, target, source_types, target_types, options, out, std::ref(report));
    }
    report.raise();
    return found;
}

py::tuple py_symmetrize(const Array<std::uint64_t>& source_starts, const Array<std::uint64_t>& target_starts,
                        const Array<std::uint16_t>& forward, const Array<std::uint16_t>& backward, int heuristic) {
    expect(heuristic >= 0 && heuristic <= 4, "there is no such heuristic");
    const auto sources = view(source_starts), targets = view(target_starts);
    expect_sizes(sources.size, targets.size);
    expect(sources.size != 0, "there is no end");
    expect_sizes(sources[sources.size - 1], view(backward).size);
    expect_sizes(targets[targets.size - 1], view(forward).size);
    expect_sorted(sources);
    expect_sorted(targets);
    Links links;
    {
        const py::gil_scoped_release unlocked;
        links = symmetrize(sources, targets, view(forward), view(backward), static_cast<Heuristic>(heuristic));
    }
    return py::make_tuple(to_bytes(links.pairs), to_bytes(links.starts));
}

py::tuple py_number_phrases(const Array<std::uint32_t>& words, const Array<std::uint64_t>& starts, std::size_t types,
                            std::size_t longest, std::uint32_t least, Array<std::uint32_t> numbers,
                            py::function progress) {
    const Side side{view(words), view(starts)};
    side.check(types);
    expect(longest >= 1 && longest <= 100 && least >= 1, "an option is out of range");
    expect(side.words.size <= 0xFFFFFFF0u, "more than four billion words");
    std::uint32_t* const out = output(numbers, side.words.size * longest);
    Report report(std::move(progress));
    std::vector<std::uint32_t> places, by_length;
    {
        const py::gil_scoped_release unlocked;
        places = number_phrases(side, longest, least, out, by_length, std::ref(report));
    }
    report.raise();
    return py::make_tuple(to_bytes(places), to_bytes(by_length));
}

py::bytes py_extract_pairs(const Array<std::uint64_t>& first_starts, const Array<std::uint64_t>& second_starts,
                           const Array<std::uint32_t>& first_numbers, const Array<std::uint32_t>& second_numbers,
                           std::size_t longest, const Array<std::uint16_t>& links,
                           const Array<std::uint64_t>& link_starts, std::size_t begin, std::size_t end,
                           Array<std::uint32_t> first_counts, Array<std::uint32_t> second_counts) {
    expect(longest >= 1 && end >= begin, "an option is out of range");
    const auto firsts = view(first_starts), seconds = view(second_starts), link_from = view(link_starts);
    expect_sizes(firsts.size, seconds.size);
    expect_sizes(firsts.size, link_from.size);
    expect(end < firsts.size, "there are fewer sentences");
    const PhraseNumbers first{view(first_numbers), longest, firsts[firsts.size - 1]};
    const PhraseNumbers second{view(second_numbers), longest, seconds[seconds.size - 1]};
    expect_sizes(first.words * longest, first.numbers.size);
    expect_sizes(second.words * longest, second.numbers.size);
    expect_sizes(link_from[link_from.size - 1] * 2, view(links).size);
    for (const auto starts : {firsts, seconds, link_from}) expect_sorted(starts);
    const std::size_t phrases = view(first_counts).size, others = view(second_counts).size;
    expect(phrases != 0 && others != 0, "an output array is empty");
    std::uint32_t* const out = output(first_counts, phrases);
    std::uint32_t* const other_out = output(second_counts, others);
    std::vector<PairCount> pairs;
    {
        const py::gil_scoped_release unlocked;
        pairs = extract_pairs(firsts, seconds, first, second, view(links), link_from, begin, end, out, phrases - 1,
                              other_out, others - 1);
    }
    return to_bytes(pairs);
}

void py_merge_runs(const std::vector<Array<std::uint8_t>>& buffers, const py::function& write) {
    std::vector<View<PairCount>> runs;
    for (const auto& buffer : buffers) {
        const auto bytes = view(buffer);
        expect(bytes.size % sizeof(PairCount) == 0 &&
                   reinterpret_cast<std::uintptr_t>(bytes.data) % alignof(PairCount) == 0,
               "an array does not hold whole items");
        runs.push_back({reinterpret_cast<const PairCount*>(bytes.data), bytes.size / sizeof(PairCount)});
    }
    merge_runs(runs, [&](const std::vector<PairCount>& block) { write(to_bytes(block)); });
}

py::bytes py_pivot(const Array<std::uint32_t>& phrases, const Array<std::uint64_t>& starts,
                   const Array<std::uint32_t>& pivots, const Array<double>& to_probabilities,
                   const Array<std::uint64_t>& pivot_starts, const Array<std::uint32_t>& others,
                   const Array<double>& from_probabilities, double least_product, double least_sum) {
    const PairTable to{view(starts), view(pivots), view(to_probabilities)};
    const PairTable from{view(pivot_starts), view(others), view(from_probabilities)};
    expect(to.starts.size && from.starts.size, "there is no end");
    to.check(from.starts.size - 1);
    from.check(to.starts.size - 1);
    for (const std::uint32_t phrase : view(phrases)) {
        expect(phrase < to.starts.size - 1, "a phrase is not in the table");
    }
    std::vector<Paraphrase> found;
    {
        const py::gil_scoped_release unlocked;
        found = pivot(view(phrases), to, from, least_product, least_sum);
    }
    return to_bytes(found);
}

}  // namespace

// Nothing is shared between calls, so that free-threaded Python needs no lock.
PYBIND11_MODULE(_native, module, py::mod_gil_not_used()) {
    using namespace py::literals;
    module.doc() = "Packs from bitext: the heavy part.";
    module.def("align_words", py_align_words, py::kw_only(), "source_words"_a.noconvert(),
               "source_starts"_a.noconvert(), "source_types"_a, "target_words"_a.noconvert(),
               "target_starts"_a.noconvert(), "target_types"_a, "iterations"_a, "null_probability"_a, "tension"_a,
               "concentration"_a, "longest"_a, "threads"_a, "positions"_a.noconvert(), "report"_a);
    module.def("symmetrize", py_symmetrize, py::kw_only(), "source_starts"_a.noconvert(), "target_starts"_a.noconvert(),
               "forward"_a.noconvert(), "backward"_a.noconvert(), "heuristic"_a);
    module.def("number_phrases", py_number_phrases, py::kw_only(), "words"_a.noconvert(), "starts"_a.noconvert(),
               "types"_a, "longest"_a, "least"_a, "numbers"_a.noconvert(), "report"_a);
    module.def("extract_pairs", py_extract_pairs, py::kw_only(), "first_starts"_a.noconvert(),
               "second_starts"_a.noconvert(), "first_numbers"_a.noconvert(), "second_numbers"_a.noconvert(),
               "longest"_a, "links"_a.noconvert(), "link_starts"_a.noconvert(), "begin"_a, "end"_a,
               "first_counts"_a.noconvert(), "second_counts"_a.noconvert());
    module.def("merge_runs", py_merge_runs, "runs"_a.noconvert(), "write"_a);
    module.def("pivot", py_pivot, py::kw_only(), "phrases"_a.noconvert(), "starts"_a.noconvert(),
               "pivots"_a.noconvert(), "to_probabilities"_a.noconvert(), "pivot_starts"_a.noconvert(),
               "others"_a.noconvert(), "from_probabilities"_a.noconvert(), "least_product"_a, "least_sum"_a);
}
