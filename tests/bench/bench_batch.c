/* Steps of many instances side by side (carom gen --target batch) beside the same steps one after another. Compiled with
 * -DMODEL=name -DHEADER="name_batch.h" -DCOUNT=instances -DEND=time -DSTEP=step; the parameter restitution goes over them
 * from 0.2 to 0.8. Prints lanes, nanoseconds of a step side by side and alone, and the share of steps left to the latter. */
#define _GNU_SOURCE
#include HEADER
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(what) JOIN(MODEL, what)
#define PACKS ((COUNT + CAROM_LANES - 1) / CAROM_LANES)

enum { ALONE = 64, REPEAT = 7 }; /* of the instances, so many are timed alone */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int begin(MODEL *s, int i)
{
    OF(_params) p;
    OF(_defaults)(&p);
    p.restitution = 0.2 + 0.6 * i / COUNT;
    return OF(_init)(s, &p) == CAROM_OK ? 0 : 1;
}

int main(void)
{
    static MODEL one, alone[ALONE];
    OF(_pack) *const pack = aligned_alloc(sizeof(carom_lanes), PACKS * sizeof *pack);
    double together = HUGE_VAL, apart = HUGE_VAL, left = 0.0;
    int bad = pack == NULL;
    for (int r = 0; r < REPEAT && bad == 0; ++r) {
        bad += begin(&one, 0);
        OF(_batch_fill)(pack, COUNT, &one);
        for (int i = 0; i < COUNT; ++i) {
            bad += begin(&one, i);
            OF(_batch_put)(pack, (size_t)i, &one);
        }
        double start = now();
        bad += (int)OF(_batch_advance)(pack, COUNT, END, STEP);
        together = fmin(together, now() - start);
        left = 0.0;
        for (int i = 0; i < COUNT; ++i) {
            bad += OF(_batch_get)(pack, (size_t)i, &one) != CAROM_OK;
            left += (double)one.counts.steps - (double)pack[i / CAROM_LANES].steps[i % CAROM_LANES];
        }
        for (int k = 0; k < ALONE; ++k) {
            bad += begin(&alone[k], k * (COUNT / ALONE));
        }
        start = now();
        for (int k = 0; k < ALONE; ++k) {
            bad += OF(_advance)(&alone[k], END, STEP) != CAROM_OK;
        }
        apart = fmin(apart, now() - start);
    }
    const double steps = END / STEP;
    (void)printf("%d %.3f %.3f %.2g\n", CAROM_LANES, 1e9 * together / (COUNT * steps), 1e9 * apart / (ALONE * steps),
                 left / (COUNT * steps));
    free(pack);
    return bad;
}
