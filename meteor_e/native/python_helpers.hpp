// Between C++ and the Python C API: references, buffers, the GIL, exceptions.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "common.hpp"

namespace meteor::python {

// An error that Python knows of already.
struct ErrorSet {};

// Owns a reference.
class Ref {
public:
    Ref() = default;
    explicit Ref(PyObject* object) : object_(object) {
        if (!object) throw ErrorSet{};
    }
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Ref(const Ref&) = delete;
    Ref& operator=(const Ref&) = delete;
    ~Ref() { Py_XDECREF(object_); }

    static Ref borrowed(PyObject* object) {
        Py_XINCREF(object);
        return Ref(object);
    }
    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }

private:
    PyObject* object_ = nullptr;
};

// A list or tuple, or a list made of another iterable.
class Sequence {
public:
    explicit Sequence(PyObject* object) : items_(PySequence_Fast(object, "a sequence was expected")) {}

    std::size_t size() const { return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items_.get())); }
    PyObject* operator[](std::size_t index) const {  // borrowed
        // Code that ran since the size was asked for may have shortened a list.
        if (index >= size()) throw std::invalid_argument("a sequence changed while it was read");
        return PySequence_Fast_GET_ITEM(items_.get(), static_cast<Py_ssize_t>(index));
    }

private:
    Ref items_;
};

// Memory of a Python object, held as long as this lives.
class Buffer {
public:
    explicit Buffer(PyObject* object, int flags = 0) {
        if (PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS | flags) < 0) throw ErrorSet{};
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    template <class Item>
    View<Item> items() const {
        if (!view_.len) return {};  // it may lie anywhere
        if (view_.len % static_cast<Py_ssize_t>(sizeof(Item)) ||
            reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(Item)) {
            throw std::invalid_argument("a buffer does not hold whole items");
        }
        return {static_cast<const Item*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(Item)};
    }

private:
    Py_buffer view_{};
};

// Lets other Python threads run.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() { PyEval_RestoreThread(state_); }

    // Handles signals such as Ctrl-C, and asks whether `stop`, which another thread may change, has become
    // true. False: a Python error is set.
    bool go_on(PyObject* stop) {
        PyEval_RestoreThread(state_);
        bool fine = PyErr_CheckSignals() == 0;
        if (fine) {
            const int stopped = PyObject_IsTrue(stop);
            if (stopped > 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
            fine = stopped == 0;
        }
        state_ = PyEval_SaveThread();
        return fine;
    }

private:
    PyThreadState* state_;
};

// Module state would be the modern home; the exception lives as long as the module that raises it.
inline PyObject* damaged_index_error = nullptr;

// Calls a function that may throw, and turns what it throws into a Python error and `failed`.
template <class Function, class Result>
Result guarded(Result failed, const Function& function) noexcept {
    try {
        return function();
    } catch (const ErrorSet&) {
    } catch (const DamagedIndex& error) {
        PyObject* arguments = Py_BuildValue("ss", error.file().c_str(), error.what());
        if (arguments) {
            PyErr_SetObject(damaged_index_error, arguments);
            Py_DECREF(arguments);
        }
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::length_error&) {
        PyErr_NoMemory();
    } catch (const std::invalid_argument& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return failed;
}

// An attribute of a Python object.
inline Ref attribute(PyObject* object, const char* name) { return Ref(PyObject_GetAttrString(object, name)); }

inline std::size_t to_size(PyObject* object) {
    const std::size_t value = PyLong_AsSize_t(object);
    if (value == static_cast<std::size_t>(-1) && PyErr_Occurred()) throw ErrorSet{};
    return value;
}

inline std::uint32_t to_number(PyObject* object) {
    const std::size_t value = to_size(object);
    if (value > 0x7FFFFFFF) throw std::invalid_argument("a number is too large");
    return static_cast<std::uint32_t>(value);
}

inline double to_double(PyObject* object) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) throw ErrorSet{};
    return value;
}

inline std::u32string to_string(PyObject* object) {
    if (!PyUnicode_Check(object)) throw std::invalid_argument("a text was expected");
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) < 0) throw ErrorSet{};
#endif
    const Py_ssize_t size = PyUnicode_GET_LENGTH(object);
    std::u32string string(static_cast<std::size_t>(size), U'\0');
    for (Py_ssize_t k = 0; k < size; ++k) string[static_cast<std::size_t>(k)] = PyUnicode_READ_CHAR(object, k);
    return string;
}

inline std::string to_utf8(PyObject* object) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (!bytes) throw ErrorSet{};
    return std::string(bytes, static_cast<std::size_t>(size));
}

inline Ref to_python(View<char32_t> string) {
    return Ref(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, string.data, static_cast<Py_ssize_t>(string.size)));
}

}  // namespace meteor::python
