// What the C++ wrappers of generated integrators share: views of numbers, refusals as exceptions. C++17; std::span from C++20 on.
#ifndef CAROM_HOST_HPP
#define CAROM_HOST_HPP

#include "model.h"

#include <cstddef>
#include <stdexcept>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace carom
{
#if __cplusplus >= 202002L
using view = std::span<const double>;
#else
class view
{
  public:
    view(const double *data, std::size_t size) : data_(data), size_(size) {}
    const double *data() const { return data_; }
    std::size_t size() const { return size_; }
    const double *begin() const { return data_; }
    const double *end() const { return data_ + size_; }
    double operator[](std::size_t i) const { return data_[i]; }

  private:
    const double *data_;
    std::size_t size_;
};
#endif

// A status that is not good. Above 0 the state is as before: a smaller step may do.
class error : public std::runtime_error
{
  public:
    error(carom_status s, const carom_info &i) : std::runtime_error(carom_status_text(s)), status(s), info(i) {}
    carom_status status;
    carom_info info;
};
} // namespace carom

#endif
