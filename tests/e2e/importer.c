/* An importer of co-simulation units, of FMI 2.0 or 3.0 by -DFMI=2 or 3, written from the standard: walks the state machine, legal and
 * illegal, keeps states in the middle, two instances at once. Arguments: library, token, end, communication step, then value references
 * whose values it prints at the end. Ends with 1 and a line of what was wrong. */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, MOST = 16 };
#define PARAMETER 1000000U
#define CHECK(x) do { if (!(x)) { printf("line %d: %s\n", __LINE__, #x); exit(1); } } while (0)

typedef void *instance;
static void *library;
static int messages, events;

static void *find(const char *name)
{
    void *const f = dlsym(library, name);
    if (f == NULL) {
        printf("no function %s\n", name);
        exit(1);
    }
    return f;
}

static void heard(const char *category)
{
    messages += strcmp(category, "logStatusError") == 0;
    events += strcmp(category, "logEvents") == 0;
}

#if FMI == 2
typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;

static void logger(void *environment, const char *name, int status, const char *category, const char *message, ...)
{
    (void)environment;
    (void)status;
    (void)message;
    CHECK(strcmp(name, "one") == 0 || strcmp(name, "two") == 0);
    heard(category);
}
static const callbacks host = {logger, NULL, NULL, NULL, NULL}; /* the unit says that it needs no memory of the importer */

static instance make(const char *name, const char *token)
{
    return ((instance(*)(const char *, int, const char *, const char *, const callbacks *, int, int))find("fmi2Instantiate"))(
        name, 1, token, "file:///", &host, 0, 1);
}
#define F(name) "fmi2" name
static int enter(instance c, double start, double stop)
{
    const int status = ((int (*)(instance, int, double, double, int, double))find("fmi2SetupExperiment"))(c, 0, 0.0, start, 1, stop);
    return status != OK ? status : ((int (*)(instance))find("fmi2EnterInitializationMode"))(c);
}
static int get(instance c, const unsigned *vr, size_t n, double *x)
{
    return ((int (*)(instance, const unsigned *, size_t, double *))find("fmi2GetReal"))(c, vr, n, x);
}
static int set(instance c, const unsigned *vr, size_t n, const double *x)
{
    return ((int (*)(instance, const unsigned *, size_t, const double *))find("fmi2SetReal"))(c, vr, n, x);
}
static int step(instance c, double t, double h)
{
    return ((int (*)(instance, double, double, int))find("fmi2DoStep"))(c, t, h, 1);
}
#define STATE(what) F(what "FMUstate")
#define SIZE "fmi2SerializedFMUstateSize"
#define READ "fmi2DeSerializeFMUstate"
#else
static void logger(void *environment, int status, const char *category, const char *message)
{
    (void)status;
    CHECK(environment == &messages && message != NULL);
    heard(category);
}
static instance make_with(const char *name, const char *token, bool event_mode, bool early)
{
    return ((instance(*)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
        void (*)(void *, int, const char *, const char *), void *))find("fmi3InstantiateCoSimulation"))(
        name, token, NULL, false, true, event_mode, early, NULL, 0, &messages, logger, NULL);
}
static instance make(const char *name, const char *token) { return make_with(name, token, false, false); }
#define F(name) "fmi3" name
static int enter(instance c, double start, double stop)
{
    return ((int (*)(instance, bool, double, double, bool, double))find("fmi3EnterInitializationMode"))(c, false, 0.0, start, true, stop);
}
static int get(instance c, const unsigned *vr, size_t n, double *x)
{
    return ((int (*)(instance, const unsigned *, size_t, double *, size_t))find("fmi3GetFloat64"))(c, vr, n, x, n);
}
static int set(instance c, const unsigned *vr, size_t n, const double *x)
{
    return ((int (*)(instance, const unsigned *, size_t, const double *, size_t))find("fmi3SetFloat64"))(c, vr, n, x, n);
}
static bool event, terminate, early;
static double last;
static int step(instance c, double t, double h)
{
    return ((int (*)(instance, double, double, bool, bool *, bool *, bool *, double *))find("fmi3DoStep"))(c, t, h, true, &event,
        &terminate, &early, &last);
}
#define STATE(what) F(what "FMUState")
#define SIZE "fmi3SerializedFMUStateSize"
#define READ "fmi3DeserializeFMUState"
#endif

static int plain(const char *name, instance c) { return ((int (*)(instance))find(name))(c); }
static void drop(instance c) { ((void (*)(instance))find(F("FreeInstance")))(c); }
static int keep(instance c, void **state) { return ((int (*)(instance, void **))find(STATE("Get")))(c, state); }
static int restore(instance c, void *state) { return ((int (*)(instance, void *))find(STATE("Set")))(c, state); }
static int forget(instance c, void **state) { return ((int (*)(instance, void **))find(STATE("Free")))(c, state); }

static void begin(instance c, double end)
{
    CHECK(enter(c, 0.0, end) == OK && plain(F("ExitInitializationMode"), c) == OK);
}

static void run(instance c, long from, long to, double h)
{
    for (long k = from; k < to; k++) {
        CHECK(step(c, (double)k * h, h) == OK);
    }
}

static void illegal(const char *token)
{
    instance c = make("one", token);
    double x = 1.0;
    const unsigned mass = PARAMETER, time = 0U, none = 99U * PARAMETER, output = 3U * PARAMETER;
    CHECK(c != NULL);
    CHECK(make("", token) == NULL && make("one", "another") == NULL);
    CHECK(step(c, 0.0, 0.1) == ERROR && plain(F("Terminate"), c) == ERROR && plain(F("ExitInitializationMode"), c) == ERROR);
    CHECK(enter(c, 1.0, 0.0) == ERROR); /* ends before it starts */
    CHECK(set(c, &mass, 1, &x) == OK && get(c, &mass, 1, &x) == OK);
    begin(c, 1.0);
    CHECK(plain(F("EnterInitializationMode"), c) == ERROR || FMI == 3);
    CHECK(step(c, 0.5, 0.1) == ERROR && step(c, 0.0, 0.0) == ERROR && step(c, 0.0, -1.0) == ERROR && step(c, 0.0, 2.0) == ERROR);
    CHECK(step(c, 0.0, 0.1) == OK && get(c, &time, 1, &x) == OK && fabs(x - 0.1) < 1e-12);
    CHECK(set(c, &output, 1, &x) == ERROR); /* and it is broken now */
    CHECK(step(c, 0.1, 0.1) == ERROR && plain(F("Reset"), c) == OK);
    CHECK(get(c, &none, 1, &x) == ERROR && plain(F("Reset"), c) == OK);
    begin(c, 1.0);
    x = NAN;
    CHECK(set(c, &mass, 1, &x) == ERROR && plain(F("Reset"), c) == OK);
    x = -1.0; /* no such mass or length: told when the state is made */
    begin(c, 1.0);
    CHECK(plain(F("Terminate"), c) == OK && step(c, 0.0, 0.1) == ERROR && get(c, &time, 1, &x) == OK);
    CHECK(messages > 5);
    drop(c);
    drop(NULL);
}

#if FMI == 3
/* Event mode and early return: the unit stops at contacts, and goes on. */
static void early_return(const char *token, double h)
{
    instance c = make_with("one", token, true, true);
    bool flags[5];
    double next, t = 0.0;
    int stops = 0;
    int (*const update)(instance, bool *, bool *, bool *, bool *, bool *, double *) =
        (int (*)(instance, bool *, bool *, bool *, bool *, bool *, double *))find("fmi3UpdateDiscreteStates");
    CHECK(c != NULL);
    begin(c, 100.0 * h);
    CHECK(step(c, 0.0, h) == ERROR); /* in event mode */
    CHECK(update(c, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next) == OK && !flags[0] && !flags[4]);
    CHECK(plain("fmi3EnterStepMode", c) == OK && plain("fmi3EnterStepMode", c) == ERROR);
    while (t < 99.5 * h) {
        const double to = (floor(t / h + 1e-6) + 1.0) * h;
        CHECK(step(c, t, to - t) == OK && !terminate && last > t && last <= to + 1e-9);
        CHECK(early == (to - last > 1e-9) && (!early || event));
        t = early ? last : to;
        stops += early;
        if (event) {
            CHECK(plain("fmi3EnterEventMode", c) == OK);
            CHECK(update(c, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next) == OK);
            CHECK(plain("fmi3EnterStepMode", c) == OK);
        }
    }
    printf("stops %d\n", stops);
    CHECK(plain("fmi3Terminate", c) == OK);
    drop(c);
}
#endif

int main(int argc, char **argv)
{
    CHECK(argc > 5 && argc - 5 <= MOST);
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    CHECK(strcmp(((const char *(*)(void))find(F("GetVersion")))(), FMI == 2 ? "2.0" : "3.0") == 0);
    const double end = atof(argv[3]), h = atof(argv[4]);
    const long steps = lround(end / h);
    const size_t n = (size_t)(argc - 5);
    unsigned vr[MOST];
    double x[MOST], y[MOST];
    for (size_t i = 0; i < n; i++) {
        vr[i] = (unsigned)strtoul(argv[5 + i], NULL, 10);
    }
    illegal(argv[2]);
    events = 0;
    instance one = make("one", argv[2]), two = make("two", argv[2]);
    void *state = NULL, *copy = NULL;
    size_t size = 0;
    CHECK(one != NULL && two != NULL && one != two);
    begin(one, end);
    begin(two, end);
    run(one, 0, steps / 2, h);
    CHECK(keep(one, &state) == OK && state != NULL);
    CHECK(((int (*)(instance, void *, size_t *))find(SIZE))(one, state, &size) == OK && size > 100);
    char *const bytes = malloc(size);
    CHECK(((int (*)(instance, void *, char *, size_t))find(STATE("Serialize")))(one, state, bytes, size - 1) == ERROR);
    CHECK(((int (*)(instance, void *, char *, size_t))find(STATE("Serialize")))(one, state, bytes, size) == OK);
    CHECK(((int (*)(instance, const char *, size_t, void **))find(READ))(two, bytes, size - 1, &copy) == ERROR);
    CHECK(((int (*)(instance, const char *, size_t, void **))find(READ))(two, bytes, size, &copy) == OK);
    ((char *)copy)[size - 1] ^= 1; /* damaged: refused */
    CHECK(restore(two, copy) == ERROR);
    ((char *)copy)[size - 1] ^= 1;
    run(one, steps / 2, steps, h);
    CHECK(get(one, vr, n, x) == OK);
    CHECK(restore(two, copy) == OK); /* the other one goes on from there */
    run(two, steps / 2, steps, h);
    CHECK(get(two, vr, n, y) == OK && memcmp(x, y, n * sizeof *x) == 0);
    CHECK(restore(one, state) == OK); /* and this one once more */
    run(one, steps / 2, steps, h);
    CHECK(get(one, vr, n, y) == OK && memcmp(x, y, n * sizeof *x) == 0);
    CHECK(forget(one, &state) == OK && state == NULL && forget(two, &copy) == OK);
    CHECK(plain(F("Terminate"), one) == OK && plain(F("Reset"), one) == OK);
    begin(one, end);
    run(one, 0, 1, h);
    drop(one);
    drop(two);
    free(bytes);
    CHECK(events > 0);
#if FMI == 3
    early_return(argv[2], h);
#endif
    for (size_t i = 0; i < n; i++) {
        printf("%.17g\n", x[i]);
    }
    return 0;
}
