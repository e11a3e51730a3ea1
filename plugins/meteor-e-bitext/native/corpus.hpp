// A side of a bitext: the numbers of its words, and where its sentences begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common.hpp"

namespace meteor::bitext {

struct Side {
    View<std::uint32_t> words;
    View<std::uint64_t> starts;  // of each sentence, and an end

    std::size_t sentences() const { return starts.size - 1; }
    std::size_t length(std::size_t sentence) const { return starts[sentence + 1] - starts[sentence]; }
    const std::uint32_t* sentence(std::size_t number) const { return words.data + starts[number]; }

    // Files may have been altered: nothing is read outside of them.
    void check(std::size_t vocabulary) const {
        if (starts.size == 0 || starts[0] != 0 || starts[starts.size - 1] != words.size) {
            throw std::invalid_argument("sentences do not cover the words");
        }
        for (std::size_t k = 0; k + 1 < starts.size; ++k) {
            if (starts[k] > starts[k + 1]) throw std::invalid_argument("sentences overlap");
        }
        for (const std::uint32_t word : words) {
            if (word >= vocabulary) throw std::invalid_argument("a word is not in the vocabulary");
        }
    }
};

constexpr std::uint16_t NOT_ALIGNED = 0xFFFF;

}  // namespace meteor::bitext
