/* Co-simulation by FMI 2.0 over a carom_model: the functions of the standard. See carom/fmu.h for what the file that
 * includes this defines before. Names carry the prefix FMI2_FUNCTION_PREFIX where it is defined (source units that are
 * linked together), and are exported where it is not. */
#ifndef CAROM_FMI2_H
#define CAROM_FMI2_H

#include "fmu.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

#ifdef FMI2_FUNCTION_PREFIX
#define CAROM_FMI2_PASTE(a, b) a##b
#define CAROM_FMI2_NAME(a, b) CAROM_FMI2_PASTE(a, b)
#define FMI2(name) CAROM_FMI2_NAME(FMI2_FUNCTION_PREFIX, name)
#define FMI2_EXPORT extern
#else
#define FMI2(name) name
#if defined(_WIN32)
#define FMI2_EXPORT extern __declspec(dllexport)
#else
#define FMI2_EXPORT extern __attribute__((visibility("default")))
#endif
#endif

#define CAROM_LIVE (CAROM_BEFORE_STEPS | CAROM_IN(CAROM_FMU_STEPPING))

/* A function of the standard: declared as it is exported, and defined by what follows. */
#define CAROM_FMI2(name, ...)                                                                                          \
    FMI2_EXPORT fmi2Status FMI2(name)(__VA_ARGS__);                                                                    \
    fmi2Status FMI2(name)(__VA_ARGS__)

static inline void carom_fmi2_say(carom_fmu *fmu, int severe, const char *category, const char *message)
{
    const fmi2CallbackFunctions *const host = (const fmi2CallbackFunctions *)fmu->logger;
    host->logger(host->componentEnvironment, fmu->name, severe != 0 ? fmi2Error : fmi2OK, category, "%s", message);
}

FMI2_EXPORT const char *FMI2(fmi2GetTypesPlatform)(void);
FMI2_EXPORT const char *FMI2(fmi2GetVersion)(void);
FMI2_EXPORT fmi2Component FMI2(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                                const fmi2CallbackFunctions *host, fmi2Boolean visible,
                                                fmi2Boolean logging);
FMI2_EXPORT void FMI2(fmi2FreeInstance)(fmi2Component c);

const char *FMI2(fmi2GetTypesPlatform)(void) { return "default"; }
const char *FMI2(fmi2GetVersion)(void) { return "2.0"; }

CAROM_FMI2(fmi2SetDebugLogging, fmi2Component c, fmi2Boolean on, size_t n, const fmi2String list[])
{
    return carom_fmu_log((carom_fmu *)c, on != 0, n, list) ? fmi2OK : fmi2Error;
}

fmi2Component FMI2(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                    const fmi2CallbackFunctions *host, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources;
    (void)visible;
    if (name == NULL || name[0] == '\0' || guid == NULL || host == NULL || host->logger == NULL) {
        return NULL;
    }
    if (type != fmi2CoSimulation || strcmp(guid, CAROM_FMU_TOKEN) != 0) {
        host->logger(host->componentEnvironment, name, fmi2Error, "logStatusError", "%s",
                     type != fmi2CoSimulation ? "this unit is for co-simulation" : "the guid is that of another unit");
        return NULL;
    }
    carom_fmu *const fmu = carom_fmu_new(name);
    if (fmu != NULL) {
        fmu->logger = host;
        fmu->say = carom_fmi2_say;
        fmu->logging = logging != 0;
        fmu->events = true;
    }
    return fmu;
}

void FMI2(fmi2FreeInstance)(fmi2Component c) { carom_fmu_free((carom_fmu *)c); }

CAROM_FMI2(fmi2SetupExperiment, fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
           fmi2Boolean has_stop, fmi2Real stop)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    (void)has_tolerance;
    (void)tolerance;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INSTANTIATED), "fmi2SetupExperiment")) {
        return fmi2Error;
    }
    return carom_fmu_plan(fmu, start, has_stop != 0, stop) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2EnterInitializationMode, fmi2Component c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INSTANTIATED), "fmi2EnterInitializationMode")) {
        return fmi2Error;
    }
    fmu->phase = CAROM_FMU_INITIALISING;
    return fmi2OK;
}

CAROM_FMI2(fmi2ExitInitializationMode, fmi2Component c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_INITIALISING), "fmi2ExitInitializationMode") || !carom_fmu_begin(fmu)) {
        return fmi2Error;
    }
    fmu->phase = CAROM_FMU_STEPPING;
    return fmi2OK;
}

CAROM_FMI2(fmi2Terminate, fmi2Component c)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_STEPPING), "fmi2Terminate")) {
        return fmi2Error;
    }
    fmu->phase = CAROM_FMU_TERMINATED;
    return fmi2OK;
}

CAROM_FMI2(fmi2Reset, fmi2Component c)
{
    if (c == NULL) {
        return fmi2Error;
    }
    carom_fmu_reset((carom_fmu *)c);
    return fmi2OK;
}

CAROM_FMI2(fmi2GetReal, fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    carom_fmu *const fmu = (carom_fmu *)c;
    return carom_fmu_may(fmu, CAROM_LIVE | CAROM_IN(CAROM_FMU_TERMINATED), "fmi2GetReal") &&
                   carom_fmu_get(fmu, vr, n, value)
               ? fmi2OK
               : fmi2Error;
}

CAROM_FMI2(fmi2SetReal, fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[])
{
    carom_fmu *const fmu = (carom_fmu *)c;
    return carom_fmu_may(fmu, CAROM_LIVE, "fmi2SetReal") && carom_fmu_set(fmu, vr, n, value) ? fmi2OK : fmi2Error;
}

/* There are real variables only. */
#define CAROM_FMI2_NONE(type)                                                                                          \
    FMI2_EXPORT fmi2Status FMI2(fmi2Get##type)(fmi2Component c, const fmi2ValueReference vr[], size_t n,               \
                                               fmi2##type value[]);                                                    \
    FMI2_EXPORT fmi2Status FMI2(fmi2Set##type)(fmi2Component c, const fmi2ValueReference vr[], size_t n,               \
                                               const fmi2##type value[]);                                              \
    fmi2Status FMI2(fmi2Get##type)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##type value[])       \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return c != NULL && n == 0 ? fmi2OK : fmi2Error;                                                               \
    }                                                                                                                  \
    fmi2Status FMI2(fmi2Set##type)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##type value[]) \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return c != NULL && n == 0 ? fmi2OK : fmi2Error;                                                               \
    }
CAROM_FMI2_NONE(Integer)
CAROM_FMI2_NONE(Boolean)
CAROM_FMI2_NONE(String)

CAROM_FMI2(fmi2GetFMUstate, fmi2Component c, fmi2FMUstate *state)
{
    return carom_fmu_keep((carom_fmu *)c, state) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2SetFMUstate, fmi2Component c, fmi2FMUstate state)
{
    return carom_fmu_restore((carom_fmu *)c, state) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2FreeFMUstate, fmi2Component c, fmi2FMUstate *state)
{
    return carom_fmu_drop((carom_fmu *)c, state) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2SerializedFMUstateSize, fmi2Component c, fmi2FMUstate state, size_t *size)
{
    return carom_fmu_kept_size((carom_fmu *)c, state, size) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2SerializeFMUstate, fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return carom_fmu_to_bytes((carom_fmu *)c, state, bytes, size) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2DeSerializeFMUstate, fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return carom_fmu_from_bytes((carom_fmu *)c, bytes, size, state) ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2DoStep, fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_way_back)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    carom_view view;
    bool happened;
    (void)no_way_back;
    if (!carom_fmu_may(fmu, CAROM_IN(CAROM_FMU_STEPPING), "fmi2DoStep")) {
        return fmi2Error;
    }
    fmu->model->view(fmu->state, &view);
    if (!carom_fmu_can_step(fmu, t, h)) {
        return fmi2Error;
    }
    const carom_status status = carom_fmu_advance(fmu, t + h, false, &happened);
    if (status == CAROM_OK) {
        return fmi2OK;
    }
    if (status > CAROM_OK) { /* it stands where it got to: fmi2LastSuccessfulTime */
        carom_fmu_tell(fmu, 1, "logStatusError", carom_status_text(status));
        return fmi2Discard;
    }
    carom_fmu_break(fmu, carom_status_text(status));
    return fmi2Error;
}

CAROM_FMI2(fmi2CancelStep, fmi2Component c)
{
    (void)c; /* steps are not asynchronous */
    return fmi2Error;
}

CAROM_FMI2(fmi2GetRealStatus, fmi2Component c, fmi2StatusKind kind, fmi2Real *value)
{
    carom_fmu *const fmu = (carom_fmu *)c;
    carom_view view;
    if (fmu == NULL || value == NULL || kind != fmi2LastSuccessfulTime || !fmu->fresh) {
        return fmi2Discard;
    }
    fmu->model->view(fmu->state, &view);
    *value = *view.t;
    return fmi2OK;
}

CAROM_FMI2(fmi2GetBooleanStatus, fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
    if (c == NULL || value == NULL || kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = ((carom_fmu *)c)->phase == CAROM_FMU_TERMINATED;
    return fmi2OK;
}

/* What this unit cannot tell. */
CAROM_FMI2(fmi2GetStatus, fmi2Component c, fmi2StatusKind kind, fmi2Status *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

CAROM_FMI2(fmi2GetIntegerStatus, fmi2Component c, fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

CAROM_FMI2(fmi2GetStringStatus, fmi2Component c, fmi2StatusKind kind, fmi2String *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

CAROM_FMI2(fmi2GetDirectionalDerivative, fmi2Component c, const fmi2ValueReference unknown[], size_t nu,
           const fmi2ValueReference known[], size_t nk, const fmi2Real dk[], fmi2Real du[])
{
    (void)c;
    (void)unknown;
    (void)nu;
    (void)known;
    (void)nk;
    (void)dk;
    (void)du;
    return fmi2Error;
}

CAROM_FMI2(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference vr[], size_t n,
           const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr;
    (void)order;
    (void)value;
    return c != NULL && n == 0 ? fmi2OK : fmi2Error;
}

CAROM_FMI2(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference vr[], size_t n,
           const fmi2Integer order[], fmi2Real value[])
{
    (void)vr;
    (void)order;
    (void)value;
    return c != NULL && n == 0 ? fmi2OK : fmi2Error;
}

#ifdef __cplusplus
}
#endif
#endif
