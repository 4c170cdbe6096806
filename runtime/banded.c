/* Contact problems with a diagonal A by elimination within the band of W. See carom/banded.h. */
#include "carom/banded.h"

#include <math.h>
#include <string.h>

#define SIGN_TOL 1e-12   /* a sign is wrong only beyond this, relative to the terms of its row, ... */
#define SIGN_NOISE 1e-13 /* ... and beyond this, relative to the largest terms of all */
#define PIVOT 1e-8       /* of W_kk: less is a row that depends on others, or nearly */
#define REFINE 4e-15     /* residuals beyond this, relative to the largest terms of all, are corrected, ... */
#define REFINEMENTS 3    /* ... at most so often, ... */
#define ACCEPT 1e-10     /* ... and must reach this, relative to the largest of what is given */
#define PATIENCE 12      /* attempts without fewer wrong signs */

#if defined(__GNUC__) && !defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#else
#define INLINE static inline
#define UNROLL
#endif

/* Names for the parts of the caller's work space. Rows k are in the order of the tables; what they couple with, k - n
 * .. k - 1, may lie before the first row, where all is 0. */
typedef struct {
    const carom_kkt_tables *t;
    int n;                /* width of the band */
    double *W, *L;        /* rows without their diagonals */
    double *inverse;      /* 1 / D; 0 where a row is not active */
    double *rest, *y, *z; /* right-hand side of a system with the factor, on its way, solution */
    double *diagonal;     /* of W */
    double *size;         /* of the terms in what rows do without forces, -rest */
    double *spread;       /* of the unknowns; 0 between uses */
    double *of_A, *of_G;  /* what W was made from */
    double *of_f, *of_b;  /* what was solved last, and the answer */
    double *x, *r, *residual;
    unsigned char *of_set, *active;
    int *equal;   /* its rows that were equations; -1: none is kept */
    int *made;    /* is W anything? */
    int *done;    /* is row k of W made? */
    int *in;      /* is it in the factor? -1: its row of L is not made */
    int *next;    /* is it to be? -1: it is not in the set */
    int end;      /* rows from here on are not in the set */
    int from, to; /* rows that a change of the active set reaches */
} space;

static space divide(const carom_kkt_tables *t, double *work, int *iwork)
{
    const int nr = t->nr, n = t->band, rows = nr + n;
    space s = {.t = t, .n = n};
    s.W = work;
    s.L = s.W + rows * n;
    s.inverse = s.L + rows * n;
    s.rest = s.inverse + rows;
    s.y = s.rest + rows;
    s.z = s.y + rows;
    s.diagonal = s.z + rows;
    s.size = s.diagonal + rows;
    s.spread = s.size + rows;
    s.of_A = s.spread + t->nv;
    s.of_G = s.of_A + t->nv;
    s.of_f = s.of_G + t->ng;
    s.x = s.of_f + t->nv;
    s.of_b = s.x + t->nv;
    s.r = s.of_b + nr;
    s.residual = s.r + nr;
    s.W += n * n;
    s.L += n * n;
    s.inverse += n;
    s.rest += n;
    s.y += n;
    s.z += n;
    s.made = iwork;
    s.equal = iwork + 1;
    s.done = iwork + 2;
    s.in = s.done + nr;
    s.next = s.in + nr;
    s.of_set = (unsigned char *)(s.next + nr);
    s.active = s.of_set + nr;
    return s;
}

/* Forgets W where A or G are others than those that it was made from. */
static void look_at_matrices(space *s, const double *A, const double *G)
{
    const carom_kkt_tables *const t = s->t;
    const size_t of_A = (size_t)t->nv * sizeof(double), of_G = (size_t)t->ng * sizeof(double);
    if (*s->made && memcmp(s->of_A, A, of_A) == 0 && memcmp(s->of_G, G, of_G) == 0) {
        return;
    }
    *s->made = 1;
    *s->equal = -1;
    memcpy(s->of_A, A, of_A);
    memcpy(s->of_G, G, of_G);
    for (int k = 0; k < t->nr; ++k) {
        s->done[k] = 0;
        s->in[k] = -1;
    }
    for (int j = 0; j < t->nv; ++j) {
        s->spread[j] = 0.0;
    }
    for (int k = -s->n; k < 0; ++k) {
        s->inverse[k] = s->y[k] = s->z[k] = 0.0;
    }
    for (int k = -s->n * s->n; k < 0; ++k) {
        s->L[k] = 0.0;
    }
}

/* Row k of W. */
static void make_row(const space *s, int k, const double *A, const double *G)
{
    const carom_kkt_tables *const t = s->t;
    const int begin = t->Gp[t->Wo[k]], end = t->Gp[t->Wo[k] + 1];
    double *const W = s->W + k * s->n, whole = 0.0;
    for (int p = begin; p < end; ++p) {
        const double y = G[p] / A[t->Gj[p]];
        s->spread[t->Gj[p]] = y;
        whole += G[p] * y;
    }
    s->diagonal[k] = whole;
    for (int j = 0; j < s->n; ++j) {
        const int other = k - s->n + j >= 0 ? t->Wo[k - s->n + j] : -1, last = other >= 0 ? t->Gp[other + 1] : 0;
        double sum = 0.0;
        for (int p = other >= 0 ? t->Gp[other] : 0; p < last; ++p) {
            sum += G[p] * s->spread[t->Gj[p]];
        }
        W[j] = sum;
    }
    for (int p = begin; p < end; ++p) {
        s->spread[t->Gj[p]] = 0.0;
    }
    s->done[k] = 1;
}

/* What changes in the active set, and the rows that it reaches: n rows that are not active let nothing through. Returns
 * the first of those that change. */
static int reach(space *s)
{
    int first = s->end, last = -1, idle = 0;
    for (int k = 0; k < s->end; ++k) {
        if (s->in[k] != (s->next[k] > 0)) {
            first = k < first ? k : first;
            last = k;
        }
    }
    s->from = first;
    s->to = last + 1;
    while (s->from > 0 && idle < s->n) {
        --s->from;
        idle = s->in[s->from] > 0 ? 0 : idle + 1;
    }
    for (idle = 0; s->to < s->end && idle < s->n; ++s->to) {
        idle = s->in[s->to] > 0 ? 0 : idle + 1;
    }
    return first;
}

/* All rows, of which those before the first that changes have their factor. */
static int everything(space *s)
{
    int first = 0;
    while (first < s->end && s->in[first] == (s->next[first] > 0)) {
        ++first;
    }
    s->from = 0;
    s->to = s->end;
    return first;
}

/* L D L^T = W on the rows that are to be in it. False: a row depends on others. */
INLINE bool factorise(const space *s, int n, int first)
{
    for (int k = first; k < s->to; ++k) {
        const double *const W = s->W + k * n;
        double *const L = s->L + k * n, d = s->diagonal[k];
        s->in[k] = s->next[k] > 0;
        s->inverse[k] = 0.0;
        if (!s->in[k]) {
            UNROLL
            for (int j = 0; j < n; ++j) {
                L[j] = 0.0;
            }
            continue;
        }
        UNROLL
        for (int j = 0; j < n; ++j) { /* L D first; of rows that are not active 1 / D is 0 */
            const double *const other = L - (n - j) * n + (n - j);
            double sum = W[j];
            UNROLL
            for (int m = 0; m < j; ++m) {
                sum -= L[m] * other[m];
            }
            L[j] = sum;
        }
        UNROLL
        for (int j = 0; j < n; ++j) {
            const double l = L[j] * s->inverse[k - n + j];
            d -= L[j] * l;
            L[j] = l;
        }
        if (!(d > PIVOT * s->diagonal[k])) {
            return false;
        }
        s->inverse[k] = 1.0 / d;
    }
    return true;
}

/* z = (L D L^T)^-1 rest on the active rows, 0 on others. */
INLINE void backsolve(const space *s, int n)
{
    double *const y = s->y, *const z = s->z;
    for (int k = s->from; k < s->to; ++k) {
        const double *const L = s->L + k * n;
        double sum = s->rest[k];
        UNROLL
        for (int j = 0; j < n; ++j) {
            sum -= L[j] * y[k - n + j];
        }
        y[k] = sum;
        z[k] = sum * s->inverse[k];
    }
    for (int k = s->to - 1; k >= s->from; --k) {
        const double *const L = s->L + k * n, value = z[k];
        UNROLL
        for (int j = 0; j < n; ++j) {
            z[k - n + j] -= L[j] * value;
        }
    }
}

INLINE bool eliminate(const space *s, int n, int first)
{
    const bool good = factorise(s, n, first);
    if (good) {
        backsolve(s, n);
    }
    return good;
}

/* z of the active rows from rest, as far as a change reaches. */
static bool solve(const space *s, int first)
{
    bool good = false;
    switch (s->n) { /* loops of a few turns are written out */
    case 1:
        good = eliminate(s, 1, first);
        break;
    case 2:
        good = eliminate(s, 2, first);
        break;
    case 3:
        good = eliminate(s, 3, first);
        break;
    case 5:
        good = eliminate(s, 5, first);
        break;
    default:
        good = eliminate(s, s->n, first);
    }
    for (int k = 0; k < s->end && !good; ++k) {
        s->in[k] = -1;
    }
    return good;
}

/* (W z)_k, or the size of its terms */
INLINE double product(const space *s, int k, bool size)
{
    const int n = s->n;
    double sum = s->diagonal[k] * s->z[k];
    sum = size ? fabs(sum) : sum;
    for (int j = 0; j < n; ++j) {
        const double term = s->W[k * n + j] * s->z[k - n + j];
        sum += size ? fabs(term) : term;
    }
    for (int i = k + 1; i <= k + n && i < s->end; ++i) {
        const double term = s->z[i] != 0.0 ? s->W[i * n + n - (i - k)] * s->z[i] : 0.0;
        sum += size ? fabs(term) : term;
    }
    return sum;
}

/* Square of the largest term of the active rows, in the units of carom/kkt.h. */
static double largest_of(const space *s, double given)
{
    double largest = given;
    for (int k = 0; k < s->end; ++k) {
        const double square = s->in[k] ? s->diagonal[k] * s->z[k] * s->z[k] : 0.0;
        largest = square > largest ? square : largest;
    }
    return largest;
}

/* The next active set: wrong rows change; closed rows that do not open join, since a load may arrive there next.
 * Returns how many are wrong. */
static int correct(const space *s, int equal, double given)
{
    double noise = -1.0;
    int wrong = 0;
    for (int k = s->from; k < s->to; ++k) {
        if (s->in[k] ? s->z[k] > 0.0 : s->next[k] < 0) {
            continue;
        }
        const double value = s->in[k] ? s->z[k] * s->diagonal[k] : product(s, k, false) - s->rest[k];
        if (value > (s->in[k] ? 0.0 : SIGN_TOL * s->size[k]) || s->t->Wo[k] < equal) {
            continue;
        }
        const double tolerance = SIGN_TOL * (s->size[k] + product(s, k, true));
        noise = noise < 0.0 ? SIGN_NOISE * SIGN_NOISE * largest_of(s, given) : noise;
        if (value < -tolerance && value * value > noise * s->diagonal[k]) {
            s->next[k] = !s->in[k];
            ++wrong;
        } else if (!s->in[k] && value <= tolerance) {
            s->next[k] = 1;
        }
    }
    return wrong;
}

/* x = A^-1 (f + G^T r) and what is left of the rows of the set, worst first: squares in the units of carom/kkt.h. */
static double look(const space *s, int equal, const double *A, const double *G, const double *f, const double *b,
                   double *x, const double *r, carom_info *info)
{
    const carom_kkt_tables *const t = s->t;
    double worst = 0.0;
    for (int j = 0; j < t->nv; ++j) {
        x[j] = f[j];
    }
    for (int k = 0; k < s->end; ++k) {
        const int i = t->Wo[k];
        const double force = r[i];
        for (int p = t->Gp[i]; p < t->Gp[i + 1] && force != 0.0; ++p) {
            x[t->Gj[p]] += G[p] * force;
        }
    }
    for (int j = 0; j < t->nv; ++j) {
        x[j] /= A[j];
    }
    info->residual = 0.0;
    for (int k = 0; k < s->end; ++k) {
        const int i = t->Wo[k];
        s->rest[k] = 0.0;
        if (s->next[k] < 0) {
            continue;
        }
        double w = b[i];
        for (int p = t->Gp[i]; p < t->Gp[i + 1]; ++p) {
            w += G[p] * x[t->Gj[p]];
        }
        const double force = s->diagonal[k] * r[i], residual = i < equal || w < force ? w : force;
        s->rest[k] = s->in[k] ? -w : 0.0;
        info->residual = fabs(residual) > info->residual ? fabs(residual) : info->residual;
        if (!(residual * residual <= worst * s->diagonal[k])) { /* a NaN comes through */
            worst = residual * residual / s->diagonal[k];
        }
    }
    return worst;
}

/* Rows of the set: what they do without forces, which are guessed to be active. Gives the square of the largest that is
 * given; not finite: a row without gradient. */
static double begin(space *s, int equal, const double *A, const double *G, const unsigned char *set, const double *f,
                    const double *b, double *x, const unsigned char *active)
{
    const carom_kkt_tables *const t = s->t;
    double given = 0.0;
    s->end = 0;
    for (int j = 0; j < t->nv; ++j) {
        x[j] = f[j] / A[j];
    }
    for (int k = 0; k < t->nr; ++k) {
        const int i = t->Wo[k];
        if (set != NULL && !set[i]) {
            s->next[k] = -1;
            s->rest[k] = 0.0;
            continue;
        }
        if (!s->done[k]) {
            make_row(s, k, A, G);
        }
        double q = b[i], size = fabs(q);
        for (int p = t->Gp[i]; p < t->Gp[i + 1]; ++p) {
            const double term = G[p] * x[t->Gj[p]];
            q += term;
            size += fabs(term);
        }
        s->rest[k] = -q;
        s->size[k] = size;
        s->next[k] = i < equal || active[i];
        if (!(size * size <= given * s->diagonal[k])) {
            given = size * size / s->diagonal[k];
        }
        if (!(s->diagonal[k] > 0.0)) {
            return HUGE_VAL;
        }
        s->end = k + 1;
    }
    return given;
}

/* Was just that solved last, from the set that was found? */
static bool solved(const space *s, int equal, const unsigned char *set, const double *f, const double *b,
                   const unsigned char *active)
{
    const size_t nv = (size_t)s->t->nv * sizeof(double), nr = (size_t)s->t->nr;
    return set != NULL && *s->equal == equal && memcmp(s->of_f, f, nv) == 0 &&
           memcmp(s->of_b, b, nr * sizeof(double)) == 0 && memcmp(s->of_set, set, nr) == 0 &&
           (active == NULL || memcmp(s->active, active, nr) == 0);
}

static void keep(const space *s, int equal, const unsigned char *set, const double *f, const double *b,
                 const unsigned char *active, const double *x, const double *r, double residual)
{
    const size_t nv = (size_t)s->t->nv * sizeof(double), nr = (size_t)s->t->nr;
    *s->equal = set != NULL ? equal : -1;
    if (set == NULL) {
        return;
    }
    memcpy(s->of_f, f, nv);
    memcpy(s->x, x, nv);
    memcpy(s->of_b, b, nr * sizeof(double));
    memcpy(s->r, r, nr * sizeof(double));
    memcpy(s->of_set, set, nr);
    if (active != NULL) {
        memcpy(s->active, active, nr);
    }
    *s->residual = residual;
}

bool carom_banded_solve(const carom_kkt_tables *t, int equal, const double *A, const double *G,
                        const unsigned char *set, const double *f, const double *b, double *x, double *r,
                        unsigned char *active, double *work, int *iwork, carom_info *info)
{
    space s = divide(t, work, iwork);
    info->contact = -1;
    info->iterations = 1;
    look_at_matrices(&s, A, G);
    if (solved(&s, equal, set, f, b, active)) {
        memcpy(x, s.x, (size_t)t->nv * sizeof(double));
        memcpy(r, s.r, (size_t)t->nr * sizeof(double));
        info->residual = *s.residual;
        return true;
    }
    *s.equal = -1;
    const double given = begin(&s, equal, A, G, set, f, b, x, active);
    if (!(given < HUGE_VAL)) {
        return false;
    }
    int wrong = t->nr + 1, fewest = wrong, patience = PATIENCE;
    for (info->iterations = 0; wrong > 0; ++info->iterations) {
        const int first = info->iterations > 0 ? reach(&s) : everything(&s);
        if (patience == 0 || !solve(&s, first)) {
            return false;
        }
        wrong = correct(&s, equal, given);
        patience = wrong < fewest ? PATIENCE : patience - 1;
        fewest = wrong < fewest ? wrong : fewest;
    }
    for (int i = 0; i < t->nr; ++i) {
        r[i] = 0.0;
    }
    for (int i = 0; i < t->nr && active != NULL; ++i) {
        active[i] = 0;
    }
    for (int k = 0; k < s.end; ++k) {
        const int i = t->Wo[k];
        r[i] = i < equal || s.z[k] > 0.0 ? s.z[k] : 0.0;
        if (active != NULL) {
            active[i] = (unsigned char)(s.in[k] > 0);
        }
        s.next[k] = s.next[k] < 0 ? -1 : s.in[k]; /* this is the set, also where one more row might join */
    }
    double worst = look(&s, equal, A, G, f, b, x, r, info), before = HUGE_VAL;
    const double enough = REFINE * REFINE * (worst > REFINE * REFINE * given ? largest_of(&s, given) : given);
    for (int k = 0; k < REFINEMENTS && worst > enough && worst < 0.25 * before; ++k) {
        before = worst;
        (void)solve(&s, everything(&s)); /* the factor is there */
        for (int l = 0; l < s.end; ++l) {
            const int i = t->Wo[l];
            r[i] = i < equal || r[i] + s.z[l] > 0.0 ? r[i] + s.z[l] : 0.0;
        }
        worst = look(&s, equal, A, G, f, b, x, r, info);
    }
    if (!(worst <= ACCEPT * ACCEPT * given)) {
        return false;
    }
    keep(&s, equal, set, f, b, active, x, r, info->residual);
    return true;
}

void carom_banded_rows(const carom_kkt_tables *t, const double *A, const double *G, int near, double *W)
{
    for (int k = 0; k < t->nr + near; ++k) {
        for (int d = 0; d <= near; ++d) {
            const bool there = k >= d && k < t->nr;
            double sum = 0.0;
            for (int p = there ? t->Gp[k] : 0; p < (there ? t->Gp[k + 1] : 0); ++p) {
                for (int q = t->Gp[k - d]; q < t->Gp[k - d + 1]; ++q) {
                    sum += t->Gj[p] == t->Gj[q] ? G[p] * G[q] / A[t->Gj[p]] : 0.0;
                }
            }
            W[k * (near + 1) + d] = sum;
        }
    }
}
