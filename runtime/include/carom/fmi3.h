/* Co-simulation by FMI 3.0 over a carom_model: the functions of the standard, with event mode and early return. See
 * carom/fmu.h for what the file that includes this defines before. Names carry the prefix FMI3_FUNCTION_PREFIX where it
 * is defined (source units that are linked together), and are exported where it is not. */
#ifndef CAROM_FMI3_H
#define CAROM_FMI3_H

#include "fmu.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const uint8_t *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#ifdef FMI3_FUNCTION_PREFIX
#define CAROM_FMI3_PASTE(a, b) a##b
#define CAROM_FMI3_NAME(a, b) CAROM_FMI3_PASTE(a, b)
#define FMI3(name) CAROM_FMI3_NAME(FMI3_FUNCTION_PREFIX, name)
#define FMI3_EXPORT extern
#else
#define FMI3(name) name
#if defined(_WIN32)
#define FMI3_EXPORT extern __declspec(dllexport)
#else
#define FMI3_EXPORT extern __attribute__((visibility("default")))
#endif
#endif

#define CAROM_RUNNING (CAROM_IN(CAROM_FMU_STEPPING) | CAROM_IN(CAROM_FMU_EVENT))

/* A function of the standard: declared as it is exported, and defined by what follows. */
#define CAROM_FMI3(name, ...)                                                                                          \
    FMI3_EXPORT fmi3Status FMI3(name)(__VA_ARGS__);                                                                    \
    fmi3Status FMI3(name)(__VA_ARGS__)

static inline void carom_fmi3_say(carom_fmu *fmu, int severe, const char *category, const char *message)
{
    fmi3LogMessageCallback log;
    memcpy(&log, &fmu->logger, sizeof log);
    if (log != NULL) {
        log(fmu->environment, severe != 0 ? fmi3Error : fmi3OK, category, message);
    }
}

FMI3_EXPORT const char *FMI3(fmi3GetVersion)(void);
const char *FMI3(fmi3GetVersion)(void) { return "3.0"; }

CAROM_FMI3(fmi3SetDebugLogging, fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String list[])
{
    return carom_fmu_log((carom_fmu *)c, on, n, list) ? fmi3OK : fmi3Error;
}

/* Other kinds of units. */
FMI3_EXPORT fmi3Instance FMI3(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                            fmi3Boolean visible, fmi3Boolean logging,
                                                            fmi3InstanceEnvironment environment,
                                                            fmi3LogMessageCallback log);
fmi3Instance FMI3(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                fmi3Boolean visible, fmi3Boolean logging,
                                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    if (log != NULL) {
        log(environment, fmi3Error, "logStatusError", "this unit is for co-simulation");
    }
    return NULL;
}

FMI3_EXPORT fmi3Instance FMI3(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
    fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
fmi3Instance FMI3(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging,
                                                     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                     fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                                     fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    if (log != NULL) {
        log(environment, fmi3Error, "logStatusError", "this unit is for co-simulation");
    }
    return NULL;
}

FMI3_EXPORT fmi3Instance FMI3(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
fmi3Instance FMI3(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                               fmi3Boolean early, const fmi3ValueReference required[], size_t n,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)visible;
    (void)required;
    (void)update;
    if (name == NULL || name[0] == '\0' || token == NULL || strcmp(token, CAROM_FMU_TOKEN) != 0 || n > 0) {
        if (log != NULL) {
            log(environment, fmi3Error, "logStatusError",
                n > 0 ? "this unit has no intermediate updates" : "the instantiation token is that of another unit");
        }
        return NULL;
    }
    carom_fmu *const fmu = carom_fmu_new(name);
    if (fmu != NULL) {
        memcpy(&fmu->logger, &log, sizeof log);
        fmu->environment = environment;
        fmu->say = carom_fmi3_say;
        fmu->logging = logging;
        fmu->events = true;
        fmu->event_mode = event_mode;
        fmu->early = early;
    }
    return fmu;
}

FMI3_EXPORT void FMI3(fmi3FreeInstance)(fmi3Instance c);
void FMI3(fmi3FreeInstance)(fmi3Instance c) { carom_fmu_free((carom_fmu *)c); }

CAROM_FMI3(fmi3EnterInitializationMode, fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
           fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    (void)has_tolerance;
    (void)tolerance;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INSTANTIATED), "fmi3EnterInitializationMode") ||
        !carom_fmu_plan(fmu, start, has_stop, stop)) {
        return fmi3Error;
    }
    fmu->phase = CAROM_FMU_INITIALISING;
    return fmi3OK;
}

CAROM_FMI3(fmi3ExitInitializationMode, fmi3Instance c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INITIALISING), "fmi3ExitInitializationMode") || !carom_fmu_begin(fmu)) {
        return fmi3Error;
    }
    fmu->phase = fmu->event_mode ? CAROM_FMU_EVENT : CAROM_FMU_STEPPING;
    return fmi3OK;
}

CAROM_FMI3(fmi3EnterEventMode, fmi3Instance c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_STEPPING), "fmi3EnterEventMode") || !fmu->event_mode) {
        return fmi3Error;
    }
    fmu->phase = CAROM_FMU_EVENT;
    return fmi3OK;
}

CAROM_FMI3(fmi3EnterStepMode, fmi3Instance c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_EVENT), "fmi3EnterStepMode")) {
        return fmi3Error;
    }
    fmu->phase = CAROM_FMU_STEPPING;
    return fmi3OK;
}

CAROM_FMI3(fmi3UpdateDiscreteStates, fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
           fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_EVENT), "fmi3UpdateDiscreteStates")) {
        return fmi3Error;
    }
    *again = *terminate = *nominals = *values = *has_next = false; /* contacts are dealt with inside of steps */
    *next = 0.0;
    return fmi3OK;
}

CAROM_FMI3(fmi3EvaluateDiscreteStates, fmi3Instance c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    return carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INITIALISING) | CAROM_IN(CAROM_FMU_EVENT),
                         "fmi3EvaluateDiscreteStates")
               ? fmi3OK
               : fmi3Error;
}

CAROM_FMI3(fmi3Terminate, fmi3Instance c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_RUNNING, "fmi3Terminate")) {
        return fmi3Error;
    }
    fmu->phase = CAROM_FMU_TERMINATED;
    return fmi3OK;
}

CAROM_FMI3(fmi3Reset, fmi3Instance c)
{
    if (c == NULL) {
        return fmi3Error;
    }
    carom_fmu_reset((carom_fmu *)c);
    return fmi3OK;
}

CAROM_FMI3(fmi3GetFloat64, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 value[], size_t count)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    return carom_fmu_may(fmu, CAROM_BEFORE_STEPS | CAROM_RUNNING | CAROM_IN(CAROM_FMU_TERMINATED), "fmi3GetFloat64") &&
                   count == n && carom_fmu_get(fmu, vr, n, value)
               ? fmi3OK
               : fmi3Error;
}

CAROM_FMI3(fmi3SetFloat64, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 value[],
           size_t count)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    return carom_fmu_may(fmu, CAROM_BEFORE_STEPS | CAROM_RUNNING, "fmi3SetFloat64") && count == n &&
                   carom_fmu_set(fmu, vr, n, value)
               ? fmi3OK
               : fmi3Error;
}

/* There are variables of type Float64 only. */
#define CAROM_FMI3_NONE(type)                                                                                          \
    FMI3_EXPORT fmi3Status FMI3(fmi3Get##type)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,                \
                                               fmi3##type value[], size_t count);                                      \
    FMI3_EXPORT fmi3Status FMI3(fmi3Set##type)(fmi3Instance c, const fmi3ValueReference vr[], size_t n,                \
                                               const fmi3##type value[], size_t count);                                \
    fmi3Status FMI3(fmi3Get##type)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type value[],        \
                                   size_t count)                                                                       \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return c != NULL && n == 0 && count == 0 ? fmi3OK : fmi3Error;                                                 \
    }                                                                                                                  \
    fmi3Status FMI3(fmi3Set##type)(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##type value[],  \
                                   size_t count)                                                                       \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return c != NULL && n == 0 && count == 0 ? fmi3OK : fmi3Error;                                                 \
    }
CAROM_FMI3_NONE(Float32)
CAROM_FMI3_NONE(Int8)
CAROM_FMI3_NONE(UInt8)
CAROM_FMI3_NONE(Int16)
CAROM_FMI3_NONE(UInt16)
CAROM_FMI3_NONE(Int32)
CAROM_FMI3_NONE(UInt32)
CAROM_FMI3_NONE(Int64)
CAROM_FMI3_NONE(UInt64)
CAROM_FMI3_NONE(Boolean)
CAROM_FMI3_NONE(String)

CAROM_FMI3(fmi3GetBinary, fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary value[],
           size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    return c != NULL && n == 0 && count == 0 ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3SetBinary, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
           const fmi3Binary value[], size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    return c != NULL && n == 0 && count == 0 ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3GetClock, fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock value[])
{
    (void)vr;
    (void)value;
    return c != NULL && n == 0 ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3SetClock, fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock value[])
{
    (void)vr;
    (void)value;
    return c != NULL && n == 0 ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3GetFMUState, fmi3Instance c, fmi3FMUState *state)
{
    return carom_fmu_keep((carom_fmu *)c, state) ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3SetFMUState, fmi3Instance c, fmi3FMUState state)
{
    return carom_fmu_restore((carom_fmu *)c, state) ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3FreeFMUState, fmi3Instance c, fmi3FMUState *state)
{
    return carom_fmu_drop((carom_fmu *)c, state) ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3SerializedFMUStateSize, fmi3Instance c, fmi3FMUState state, size_t *size)
{
    return carom_fmu_kept_size((carom_fmu *)c, state, size) ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3SerializeFMUState, fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return carom_fmu_to_bytes((carom_fmu *)c, state, bytes, size) ? fmi3OK : fmi3Error;
}

CAROM_FMI3(fmi3DeserializeFMUState, fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    return carom_fmu_from_bytes((carom_fmu *)c, bytes, size, state) ? fmi3OK : fmi3Error;
}

/* Internal steps to the end of the communication step, or to the end of the first with an event where the importer lets
 * it return early. */
CAROM_FMI3(fmi3DoStep, fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_way_back, fmi3Boolean *event,
           fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    carom_view view;
    bool happened;
    (void)no_way_back;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_STEPPING), "fmi3DoStep")) {
        return fmi3Error;
    }
    fmu->model->view(fmu->state, &view);
    *event = *terminate = *early = false;
    *last = *view.t;
    if (!carom_fmu_can_step(fmu, t, h)) {
        return fmi3Error;
    }
    const carom_status status = carom_fmu_advance(fmu, t + h, fmu->early, &happened);
    fmu->model->view(fmu->state, &view);
    *last = *view.t;
    if (status < CAROM_OK) {
        carom_fmu_break(fmu, carom_status_text(status));
        return fmi3Error;
    }
    if (status > CAROM_OK) {
        carom_fmu_tell(fmu, 1, "logStatusError", carom_status_text(status));
        return fmi3Discard;
    }
    *event = fmu->event_mode && happened;
    *early = t + h - *last > 1e-9 * (fabs(t) + h);
    return fmi3OK;
}

#include "fmi3_absent.h"

#ifdef __cplusplus
}
#endif
#endif
