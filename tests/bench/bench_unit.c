/* Communication steps of a unit of FMI 3.0, of one internal step each, beside the same steps in a loop. Compiled with
 * -DMODEL=name -DHEADER="name.h" -DSTEP=step and the unit's sources and their text of modelDescription.xml as TOKEN.
 * Prints nanoseconds of a bare step and of one of the unit. */
#define _GNU_SOURCE
#include HEADER
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(what) JOIN(MODEL, what)

typedef void *instance;
typedef void (*logger)(void *, int, const char *, const char *);
instance OF(_fmi3InstantiateCoSimulation)(const char *, const char *, const char *, bool, bool, bool, bool,
                                          const uint32_t *, size_t, void *, logger, void *);
int OF(_fmi3EnterInitializationMode)(instance, bool, double, double, bool, double);
int OF(_fmi3ExitInitializationMode)(instance);
int OF(_fmi3DoStep)(instance, double, double, bool, bool *, bool *, bool *, double *);
void OF(_fmi3FreeInstance)(instance);

enum { COUNT = 20000, REPEAT = 25 };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static MODEL s;
    double bare = HUGE_VAL, unit = HUGE_VAL, last = 0.0;
    bool event, ends, early;
    int bad = 0;
    for (int r = 0; r < REPEAT; ++r) {
        bad += OF(_init)(&s, NULL) != CAROM_OK;
        double start = now();
        for (int k = 0; k < COUNT; ++k) {
            bad += OF(_step)(&s, STEP) != CAROM_OK;
        }
        bare = fmin(bare, now() - start);
        instance i = OF(_fmi3InstantiateCoSimulation)("timed", TOKEN, NULL, false, false, false, false, NULL, 0, NULL,
                                                      NULL, NULL);
        if (i == NULL || OF(_fmi3EnterInitializationMode)(i, false, 0.0, 0.0, false, 0.0) != 0 ||
            OF(_fmi3ExitInitializationMode)(i) != 0) {
            return 1;
        }
        start = now();
        for (int k = 0; k < COUNT; ++k) {
            bad += OF(_fmi3DoStep)(i, k * STEP, STEP, true, &event, &ends, &early, &last) != 0;
        }
        unit = fmin(unit, now() - start);
        OF(_fmi3FreeInstance)(i);
    }
    (void)printf("%.2f %.2f\n", 1e9 * bare / COUNT, 1e9 * unit / COUNT);
    return bad;
}
