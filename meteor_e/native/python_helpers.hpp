// Between C++ and Python: sequences, buffers, texts, the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "common.hpp"

namespace meteor::python {

namespace py = pybind11;

// What a function of the C API returned: a new reference, or null where Python knows of an error.
template <class Object = py::object>
Object taken(PyObject* object) {
    if (!object) throw py::error_already_set();
    return py::reinterpret_steal<Object>(object);
}

// A list or tuple, or a list made of another iterable. Faster than py::sequence, whose items are looked up by name.
class Sequence {
public:
    explicit Sequence(py::handle object) : items_(taken(PySequence_Fast(object.ptr(), "a sequence was expected"))) {}

    std::size_t size() const { return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items_.ptr())); }
    py::handle operator[](std::size_t index) const {
        // Code that ran since the size was asked for may have shortened a list.
        if (index >= size()) throw std::invalid_argument("a sequence changed while it was read");
        return PySequence_Fast_GET_ITEM(items_.ptr(), static_cast<Py_ssize_t>(index));
    }

private:
    py::object items_;
};

// What `make` makes of each item of a sequence.
template <class Make>
auto to_vector(py::handle object, const Make& make) {
    const Sequence items(object);
    std::vector<decltype(make(items[0]))> made;
    made.reserve(items.size());
    for (std::size_t k = 0; k < items.size(); ++k) made.push_back(make(items[k]));
    return made;
}

// Memory of a Python object, held as long as this lives.
class Buffer {
public:
    explicit Buffer(py::handle object, int flags = 0) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | flags) < 0) throw py::error_already_set();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    template <class Item>
    std::span<Item> items() const {
        if (!view_.len) return {};  // it may lie anywhere
        if (view_.len % static_cast<Py_ssize_t>(sizeof(Item)) ||
            reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(Item)) {
            throw std::invalid_argument("a buffer does not hold whole items");
        }
        return {static_cast<Item*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(Item)};
    }

private:
    Py_buffer view_{};
};

// Runs `work` while other Python threads run. `work` is given a function that handles signals such as Ctrl-C and asks
// whether `stop`, which another thread may change, has become true; where that returns false, work must end with false.
template <class Work>
void unlocked(py::handle stop, const Work& work) {
    const auto go_on = [stop] {
        const py::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) return false;
        const int stopped = PyObject_IsTrue(stop.ptr());
        if (stopped > 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
        return stopped == 0;
    };
    bool done;
    {
        const py::gil_scoped_release released;
        done = work(go_on);
    }
    if (!done) throw py::error_already_set();
}

// What the C API read; -1 may stand for an error.
template <class Number>
Number checked(Number value) {
    if (value == static_cast<Number>(-1) && PyErr_Occurred()) throw py::error_already_set();
    return value;
}

inline std::size_t to_size(py::handle object) { return checked(PyLong_AsSize_t(object.ptr())); }
inline double to_double(py::handle object) { return checked(PyFloat_AsDouble(object.ptr())); }

inline std::uint32_t to_number(py::handle object) {
    const std::size_t value = to_size(object);
    if (value > 0x7FFFFFFF) throw std::invalid_argument("a number is too large");
    return static_cast<std::uint32_t>(value);
}

inline std::u32string to_string(py::handle object) {
    if (!PyUnicode_Check(object.ptr())) throw std::invalid_argument("a text was expected");
    std::u32string string(static_cast<std::size_t>(PyUnicode_GET_LENGTH(object.ptr())), U'\0');
    for (std::size_t k = 0; k < string.size(); ++k) {
        string[k] = PyUnicode_READ_CHAR(object.ptr(), static_cast<Py_ssize_t>(k));
    }
    return string;
}

inline py::str to_python(std::span<const char32_t> string) {
    return taken<py::str>(
        PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, string.data(), static_cast<Py_ssize_t>(string.size())));
}

// A list of what `make` makes of each item.
template <class Items, class Make>
py::list to_list(const Items& items, const Make& make) {
    py::list list(items.size());
    std::size_t k = 0;
    for (const auto& item : items) list[k++] = make(item);
    return list;
}

// A list of numbers.
py::list to_list(const auto& numbers) {
    return to_list(numbers, [](auto number) { return py::int_(number); });
}

}  // namespace meteor::python
