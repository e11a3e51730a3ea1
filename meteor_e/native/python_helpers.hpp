// Functions that convert between C++ and Python objects, or run code without the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common.hpp"
#include "parallel.hpp"

namespace meteor::python {

namespace py = pybind11;

// Takes ownership of the result of a C API function, which is a new reference, or null after an error.
template <class Object = py::object>
[[nodiscard]] Object steal(PyObject* object) {
    if (!object) throw py::error_already_set();
    return py::reinterpret_steal<Object>(object);
}

// Defines the constructor of a class from a factory function. It replaces py::init, which is not safe in pybind11 3.1
// if the memory runs out while an object is registered. The object of a std::unique_ptr would be freed twice. For a
// pointer, the exception would reach C code, which terminates the program.
template <class Type, class... Arguments, class... Extra>
void define_constructor(py::class_<Type>& type, std::unique_ptr<Type> (*factory)(Arguments...), const Extra&... extra) {
    const auto construct = [factory](py::detail::value_and_holder& target, Arguments... arguments) {
        std::unique_ptr<Type> object = factory(arguments...);
        target.value_ptr() = object.get();
        try {
            target.type->init_instance(target.inst, &object);
        } catch (...) {
            target.value_ptr() = nullptr;
            throw;
        }
    };
    type.def("__init__", construct, py::detail::is_new_style_constructor(), extra...);
}

// A list, a tuple, or a list of the items of another iterable. It is faster than py::sequence.
class Sequence {
public:
    explicit Sequence(py::handle object) : items_(steal(PySequence_Fast(object.ptr(), "a sequence was expected"))) {}

    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items_.ptr()));
    }
    [[nodiscard]] py::handle operator[](std::size_t index) const {
        // Python code may have run since the last access and may have shortened the list.
        if (index >= size()) throw std::invalid_argument("a sequence changed while it was read");
        return PySequence_Fast_GET_ITEM(items_.ptr(), static_cast<Py_ssize_t>(index));
    }

private:
    py::object items_;
};

// Returns the results of `convert` for each item of a sequence.
template <class Convert>
[[nodiscard]] auto to_vector(py::handle object, const Convert& convert) {
    const Sequence items(object);
    std::vector<decltype(convert(items[0]))> results;
    results.reserve(items.size());
    for (std::size_t k = 0; k < items.size(); ++k) results.push_back(convert(items[k]));
    return results;
}

// The memory of a Python object. The object stays alive as long as the buffer exists.
class Buffer {
public:
    explicit Buffer(py::handle object, int flags = 0) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | flags) < 0) throw py::error_already_set();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    template <class Item>
    [[nodiscard]] std::span<Item> items() const {
        if (!view_.len) return {};  // the address of an empty buffer may be unaligned
        if (view_.len % static_cast<Py_ssize_t>(sizeof(Item)) ||
            reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(Item)) {
            throw std::invalid_argument("a buffer does not hold whole items");
        }
        return {static_cast<Item*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(Item)};
    }

private:
    Py_buffer view_{};
};

// Runs `work(keep_going)` without the GIL. `keep_going` handles signals such as Ctrl-C. It returns false after a
// signal, or if another thread has set `stop`. Interrupted work raises KeyboardInterrupt.
template <class Work>
void run_without_gil(py::handle stop, const Work& work) {
    const auto keep_going = [stop] {
        const py::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) return false;
        const int is_stopped = PyObject_IsTrue(stop.ptr());
        if (is_stopped > 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
        return is_stopped == 0;
    };
    Completion completion;
    {
        const py::gil_scoped_release released;
        completion = work(keep_going);
    }
    if (completion == Completion::interrupted) throw py::error_already_set();
}

// Checks the result of a C API function. The result -1 may be an error.
template <class Number>
Number check_error(Number value) {
    if (value == static_cast<Number>(-1) && PyErr_Occurred()) throw py::error_already_set();
    return value;
}

inline std::size_t to_size(py::handle object) { return check_error(PyLong_AsSize_t(object.ptr())); }
inline double to_double(py::handle object) { return check_error(PyFloat_AsDouble(object.ptr())); }

inline std::uint32_t to_uint32(py::handle object) {
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

// Converts a name to a value of an enumeration. `names` is in the order of the enumeration.
template <class Value, std::size_t Count>
[[nodiscard]] Value to_enum(py::handle object, const char* const (&names)[Count]) {
    const auto name = object.cast<std::string>();
    const auto match = std::find(std::begin(names), std::end(names), std::string_view(name));
    if (match == std::end(names)) throw std::invalid_argument("unknown name: " + name);
    return static_cast<Value>(match - std::begin(names));
}

[[nodiscard]] inline py::str to_python(std::span<const char32_t> string) {
    return steal<py::str>(
        PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, string.data(), static_cast<Py_ssize_t>(string.size())));
}

// Returns a list of the results of `convert` for each item.
template <class Items, class Convert>
[[nodiscard]] py::list to_list(const Items& items, const Convert& convert) {
    py::list list(items.size());
    std::size_t k = 0;
    for (const auto& item : items) list[k++] = convert(item);
    return list;
}

[[nodiscard]] py::list to_list(const auto& numbers) {
    return to_list(numbers, [](auto number) { return py::int_(number); });
}

}  // namespace meteor::python
