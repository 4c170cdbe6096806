/* Functions of FMI 3.0 for what units of carom do not have: clocks, configuration, derivatives. Included by
 * carom/fmi3.h. */
#ifndef CAROM_FMI3_ABSENT_H
#define CAROM_FMI3_ABSENT_H

FMI3_EXPORT fmi3Status FMI3(fmi3EnterConfigurationMode)(fmi3Instance c);
fmi3Status FMI3(fmi3EnterConfigurationMode)(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3ExitConfigurationMode)(fmi3Instance c);
fmi3Status FMI3(fmi3ExitConfigurationMode)(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t *n);
fmi3Status FMI3(fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t *n)
{
    (void)c;
    (void)vr;
    (void)n;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t dependent[],
                                                         fmi3ValueReference independent[], size_t index[],
                                                         fmi3DependencyKind kind[], size_t n);
fmi3Status FMI3(fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference vr, size_t dependent[],
                                             fmi3ValueReference independent[], size_t index[],
                                             fmi3DependencyKind kind[], size_t n)
{
    (void)c;
    (void)vr;
    (void)dependent;
    (void)independent;
    (void)index;
    (void)kind;
    (void)n;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                                                          const fmi3ValueReference known[], size_t nk,
                                                          const fmi3Float64 seed[], size_t ns, fmi3Float64 value[],
                                                          size_t n);
fmi3Status FMI3(fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                                              const fmi3ValueReference known[], size_t nk, const fmi3Float64 seed[],
                                              size_t ns, fmi3Float64 value[], size_t n)
{
    (void)c;
    (void)unknown;
    (void)nu;
    (void)known;
    (void)nk;
    (void)seed;
    (void)ns;
    (void)value;
    (void)n;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                                                      const fmi3ValueReference known[], size_t nk,
                                                      const fmi3Float64 seed[], size_t ns, fmi3Float64 value[],
                                                      size_t n);
fmi3Status FMI3(fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t nu,
                                          const fmi3ValueReference known[], size_t nk, const fmi3Float64 seed[],
                                          size_t ns, fmi3Float64 value[], size_t n)
{
    (void)c;
    (void)unknown;
    (void)nu;
    (void)known;
    (void)nk;
    (void)seed;
    (void)ns;
    (void)value;
    (void)n;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                      const fmi3Int32 order[], fmi3Float64 value[], size_t count);
fmi3Status FMI3(fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                          const fmi3Int32 order[], fmi3Float64 value[], size_t count)
{
    (void)c;
    (void)vr;
    (void)n;
    (void)order;
    (void)value;
    (void)count;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                    fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]);
fmi3Status FMI3(fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 interval[],
                                        fmi3IntervalQualifier qualifier[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)interval;
    (void)qualifier;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                     fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                                     fmi3IntervalQualifier qualifier[]);
fmi3Status FMI3(fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[],
                                         fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)counter;
    (void)resolution;
    (void)qualifier;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                 fmi3Float64 shift[]);
fmi3Status FMI3(fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shift[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)shift;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                  fmi3UInt64 counter[], fmi3UInt64 resolution[]);
fmi3Status FMI3(fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counter[],
                                      fmi3UInt64 resolution[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)counter;
    (void)resolution;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3SetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                    const fmi3Float64 interval[]);
fmi3Status FMI3(fmi3SetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                        const fmi3Float64 interval[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)interval;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3SetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                     const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
fmi3Status FMI3(fmi3SetIntervalFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                         const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)counter;
    (void)resolution;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3SetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                 const fmi3Float64 shift[]);
fmi3Status FMI3(fmi3SetShiftDecimal)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shift[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)shift;
    return fmi3Error;
}

FMI3_EXPORT fmi3Status FMI3(fmi3SetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                                  const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
fmi3Status FMI3(fmi3SetShiftFraction)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                                      const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)c;
    (void)vr;
    (void)n;
    (void)counter;
    (void)resolution;
    return fmi3Error;
}

#endif
