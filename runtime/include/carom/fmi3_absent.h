/* Functions of FMI 3.0 for what units of carom do not have: clocks, configuration, derivatives. Included by
 * carom/fmi3.h. */
#ifndef CAROM_FMI3_ABSENT_H
#define CAROM_FMI3_ABSENT_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what they are asked is not looked at */
#endif

#define CAROM_FMI3_ABSENT(name, ...)                                                                                   \
    CAROM_FMI3(name, __VA_ARGS__) { return fmi3Error; }
CAROM_FMI3_ABSENT(fmi3EnterConfigurationMode, fmi3Instance c)
CAROM_FMI3_ABSENT(fmi3ExitConfigurationMode, fmi3Instance c)
CAROM_FMI3_ABSENT(fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t *n)
CAROM_FMI3_ABSENT(fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t dependent[],
                  fmi3ValueReference independent[], size_t index[], fmi3DependencyKind kind[], size_t n)
CAROM_FMI3_ABSENT(fmi3GetDirectionalDerivative, fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                  const fmi3ValueReference known[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 value[],
                  size_t n)
CAROM_FMI3_ABSENT(fmi3GetAdjointDerivative, fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                  const fmi3ValueReference known[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 value[],
                  size_t n)
CAROM_FMI3_ABSENT(fmi3GetOutputDerivatives, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  const fmi3Int32 order[], fmi3Float64 value[], size_t count)
CAROM_FMI3_ABSENT(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  fmi3Float64 interval[], fmi3IntervalQualifier qualifier[])
CAROM_FMI3_ABSENT(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  fmi3UInt64 counter[], fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])
CAROM_FMI3_ABSENT(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shift[])
CAROM_FMI3_ABSENT(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[],
                  fmi3UInt64 resolution[])
CAROM_FMI3_ABSENT(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  const fmi3Float64 interval[])
CAROM_FMI3_ABSENT(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
CAROM_FMI3_ABSENT(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  const fmi3Float64 shift[])
CAROM_FMI3_ABSENT(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                  const fmi3UInt64 counter[], const fmi3UInt64 resolution[])

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
