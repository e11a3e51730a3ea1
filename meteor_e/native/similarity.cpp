#include "similarity.hpp"

namespace meteor {

void TypeComparison::load(const VectorColumn& column, Words hypothesis, Words reference) {
    column_ = &column;
    hypothesis_ = hypothesis;
    reference_ = reference;
    const std::size_t size = hypothesis.size();
    transposed_.resize(column.dimension * size);
    for (std::size_t i = 0; i < size; ++i) {
        const float* const row = column.row(hypothesis[i]);
        for (std::size_t k = 0; k < column.dimension; ++k) transposed_[k * size + i] = row[k];
    }
}

// Dot products are summed in double precision, in which the product of two single-precision numbers is exact. The order
// of the dimensions is fixed. Therefore, a similarity does not depend on the number of words.
void TypeComparison::select_reference_word(std::uint32_t j) {
    has_reference_vector_ = column_->has_vector[reference_[j]] != 0;
    const std::size_t size = hypothesis_.size();
    dot_products_.assign(size, 0.0);
    if (!has_reference_vector_) return;
    const float* const row = column_->row(reference_[j]);
    for (std::size_t k = 0; k < column_->dimension; ++k) {
        const double factor = row[k];
        const double* const values = transposed_.data() + k * size;
        for (std::size_t i = 0; i < size; ++i) dot_products_[i] += factor * values[i];
    }
}

}  // namespace meteor
