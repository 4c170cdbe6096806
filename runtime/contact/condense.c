/* Elimination: what is left of a contact problem when A and its bilateral rows are solved for. By the sparse factor of
 * the whole (one solve for each row of an active contact), or, where A couples only small parts of the unknowns and no
 * bilateral row is there, by factors of these parts, so that W has blocks only where contacts touch the same part. */
#include "contact.h"

#include <math.h>

/* contacts from which on there are two chunks, and CAROM_CHUNKS of them */
enum { CAROM_SEVERAL = 1000, CAROM_MANY = 20000 };

#define PIVOT 1e-12 /* of W_NN: less is none */

static void *take(carom_condensed *w, int count, size_t element)
{
    return carom_arena_take(&w->arena, (size_t)(count > 0 ? count : 1), element);
}

/* ---- A by parts ------------------------------------------------------------------------------------------------- */

/* Which parts have factors of their own: small ones that no bilateral row of the set touches. */
static void look_at_parts(carom_condensed *w)
{
    const carom_contact_problem *const p = w->p;
    w->far = false;
    for (int k = 0; k < p->parts; ++k) {
        w->kind[k] = p->first[k + 1] - p->first[k] <= CAROM_PART_MOST ? CAROM_PART_FULL : CAROM_PART_FAR;
    }
    for (int i = 0; i < p->tables->ne; ++i) {
        for (int k = p->Gp[i]; p->set[i] && k < p->Gp[i + 1]; ++k) {
            w->kind[p->part[p->Gj[k]]] = CAROM_PART_FAR;
        }
    }
    for (int k = 0; k < p->parts; ++k) {
        w->far = w->far || w->kind[k] == CAROM_PART_FAR;
    }
}

/* L D L^T in place, D on the diagonal */
static carom_status factor_full(int m, double *L)
{
    for (int i = 0; i < m; ++i) {
        const double whole = L[i * m + i];
        for (int j = 0; j < i; ++j) {
            double sum = L[i * m + j];
            for (int k = 0; k < j; ++k) {
                sum -= L[i * m + k] * L[j * m + k] * L[k * m + k];
            }
            L[i * m + j] = sum / L[j * m + j];
            L[i * m + i] -= sum * L[i * m + j];
        }
        if (!(L[i * m + i] > 1e-14 * whole)) {
            return isfinite(L[i * m + i]) ? CAROM_SINGULAR_MASS : CAROM_NOT_FINITE;
        }
    }
    return CAROM_OK;
}

/* A body moving freely: one mass in all directions, and a tensor. Its inverse: 1 / mass, then the tensor's by rows.
 * False: it is something else. */
static bool invert_body(double *L)
{
    const double a = L[21], b = L[27], c = L[33], d = L[28], e = L[34], f = L[35]; /* J: a b c / b d e / c e f */
    for (int i = 1; i < 6; ++i) {
        for (int j = 0; j < (i < 3 ? i : 3); ++j) {
            if (L[6 * i + j] != 0.0) {
                return false;
            }
        }
    }
    const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
    const double det = a * A + b * B + c * C;
    if (!(L[0] > 0.0 && L[7] == L[0] && L[14] == L[0] && a > 0.0 && A > 0.0 && det > 1e-14 * a * d * f)) {
        return false;
    }
    L[0] = 1.0 / L[0];
    L[1] = A / det;
    L[2] = L[4] = B / det;
    L[3] = L[7] = C / det;
    L[5] = (a * f - c * c) / det;
    L[6] = L[8] = (b * c - a * e) / det;
    L[9] = (a * d - b * b) / det;
    return true;
}

static carom_status factor_parts(carom_condensed *w)
{
    const carom_contact_problem *const p = w->p;
    const carom_kkt_tables *const t = p->tables;
    int size = 0;
    for (int k = 0; k < p->parts; ++k) {
        const int m = p->first[k + 1] - p->first[k];
        w->start[k] = size;
        size += w->kind[k] != CAROM_PART_FAR ? m * m : 0;
        for (int i = 0; i < m; ++i) {
            w->place[p->member[p->first[k] + i]] = i;
        }
    }
    w->factor = take(w, size, sizeof(double));
    if (w->factor == NULL) {
        return CAROM_ARGUMENT;
    }
    for (int k = 0; k < size; ++k) {
        w->factor[k] = 0.0;
    }
    for (int k = 0; k < t->na; ++k) {
        const int part = p->part[t->Ai[k]], m = p->first[part + 1] - p->first[part];
        const int i = w->place[t->Ai[k]], j = w->place[t->Aj[k]];
        if (w->kind[part] != CAROM_PART_FAR) {
            w->factor[w->start[part] + (i > j ? i * m + j : j * m + i)] = p->A[k]; /* the lower triangle */
        }
    }
    for (int part = 0; part < p->parts; ++part) {
        const int m = p->first[part + 1] - p->first[part];
        double *const L = w->factor + w->start[part];
        if (w->kind[part] == CAROM_PART_FAR) {
            continue;
        }
        w->kind[part] = m == 6 && invert_body(L) ? CAROM_PART_BODY : CAROM_PART_FULL;
        const carom_status status = w->kind[part] == CAROM_PART_FULL ? factor_full(m, L) : CAROM_OK;
        if (status != CAROM_OK) {
            return status;
        }
    }
    return CAROM_OK;
}

static void solve_part(const carom_condensed *w, int part, double *x)
{
    const int first = w->p->first[part], m = w->p->first[part + 1] - first;
    const int *const member = w->p->member + first;
    const double *const L = w->factor + w->start[part];
    if (w->kind[part] == CAROM_PART_BODY) {
        const double y[3] = {x[member[3]], x[member[4]], x[member[5]]};
        for (int i = 0; i < 3; ++i) {
            x[member[i]] *= L[0];
            x[member[3 + i]] = L[1 + 3 * i] * y[0] + L[2 + 3 * i] * y[1] + L[3 + 3 * i] * y[2];
        }
        return;
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < i; ++k) {
            x[member[i]] -= L[i * m + k] * x[member[k]];
        }
    }
    for (int i = m - 1; i >= 0; --i) {
        x[member[i]] /= L[i * m + i];
        for (int k = i + 1; k < m; ++k) {
            x[member[i]] -= L[k * m + i] * x[member[k]];
        }
    }
}

void carom_condensed_clear(const carom_condensed *w, int row, double *x)
{
    const carom_contact_problem *const p = w->p;
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        const int part = p->part[p->Gj[k]];
        for (int i = p->first[part]; i < p->first[part + 1]; ++i) {
            x[p->member[i]] = 0.0;
        }
    }
}

/* Does a row touch a part whose factor is that of the whole? */
static bool reaches_far(const carom_condensed *w, int row)
{
    const carom_contact_problem *const p = w->p;
    bool far = false;
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        far = far || w->kind[p->part[p->Gj[k]]] == CAROM_PART_FAR;
    }
    return far;
}

carom_status carom_condensed_column(carom_condensed *w, int row, double *x, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    if (!w->local || (w->far && reaches_far(w, row))) {
        for (int k = 0; k < p->tables->nv; ++k) {
            w->g[k] = 0.0;
        }
        carom_row_add(p, row, 1.0, w->g);
        return carom_condensed_apply(w, w->g, NULL, x, info);
    }
    carom_row_add(p, row, 1.0, x);
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        const int part = p->part[p->Gj[k]];
        bool before = false; /* each part once */
        for (int l = p->Gp[row]; l < k; ++l) {
            before = before || p->part[p->Gj[l]] == part;
        }
        if (!before) {
            solve_part(w, part, x);
        }
    }
    return CAROM_OK;
}

carom_status carom_condensed_apply(carom_condensed *w, const double *f, const double *b, double *x, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    if (!w->local || w->far) {
        return carom_kkt_factored_solve(p->tables, p->A, p->G, f, b, x, w->dr, w->space->kkt, w->space->ikkt, info);
    }
    for (int j = 0; j < p->tables->nv; ++j) {
        x[j] = f[j];
    }
    for (int part = 0; part < p->parts; ++part) {
        solve_part(w, part, x);
    }
    return CAROM_OK;
}

/* ---- contacts of the set ---------------------------------------------------------------------------------------- */

double carom_row_stiffness(const carom_contact_problem *p, int row)
{
    double sum = 0.0;
    for (int k = p->Gp[row]; k < p->Gp[row + 1]; ++k) {
        sum += p->G[k] * p->G[k] / p->A[p->tables->Ad[p->Gj[k]]];
    }
    return sum;
}

/* Contacts of many parts by chunks that share no part with each other, then those between chunks: parts are dealt out
 * in their order so that each chunk has about as many contacts. */
static bool deal_out(carom_condensed *w)
{
    const carom_contact_problem *const p = w->p;
    const carom_arena mark = w->arena;
    const int n = w->n, chunks = n >= CAROM_MANY ? CAROM_CHUNKS : n >= CAROM_SEVERAL ? 2 : 1;
    w->chunks = 1;
    w->chunk[0] = 0;
    w->border = n;
    if (chunks == 1) {
        return true;
    }
    int *const last = take(w, p->parts, sizeof(int)), *const of = take(w, n, sizeof(int));
    int *const dealt = take(w, n, sizeof(int));
    if (w->arena.missed > 0) {
        return false;
    }
    for (int k = 0; k < p->parts; ++k) {
        last[k] = 0;
    }
    for (int i = 0; i < n; ++i) { /* the last part that it touches */
        const int row = p->row[w->contact[i] * p->dimension];
        of[i] = 0;
        for (int e = p->Gp[row]; e < p->Gp[row + 1]; ++e) {
            of[i] = p->part[p->Gj[e]] > of[i] ? p->part[p->Gj[e]] : of[i];
        }
        ++last[of[i]];
    }
    for (int k = 0, sum = 0; k < p->parts; ++k) { /* the chunk of each part */
        const int own = last[k];
        last[k] = (int)((long long)sum * chunks / n);
        last[k] = last[k] < chunks ? last[k] : chunks - 1;
        sum += own;
    }
    for (int i = 0; i < n; ++i) {
        const int chunk = last[of[i]];
        of[i] = chunk;
        for (int l = 0; l < p->dimension; ++l) {
            const int row = p->row[w->contact[i] * p->dimension + l];
            for (int e = row >= 0 ? p->Gp[row] : 0; row >= 0 && e < p->Gp[row + 1]; ++e) {
                of[i] = last[p->part[p->Gj[e]]] == chunk ? of[i] : chunks;
            }
        }
    }
    int to = 0;
    for (int k = 0; k <= chunks; ++k) {
        if (k < chunks) {
            w->chunk[k] = to;
        } else {
            w->border = to;
        }
        for (int i = 0; i < n; ++i) {
            if (of[i] == k) {
                dealt[to++] = w->contact[i];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        w->contact[i] = dealt[i];
    }
    w->chunks = chunks;
    w->arena = mark;
    return true;
}

static bool allocate(carom_condensed *w)
{
    const carom_contact_problem *const p = w->p;
    const int n = w->n, size = w->d * n, nv = p->tables->nv;
    w->row = take(w, size, sizeof(int));
    w->tangent = take(w, size, sizeof(int));
    w->along = take(w, size, sizeof(double));
    w->rides = take(w, n, sizeof(int));
    w->slides = take(w, n, sizeof(bool));
    w->mu = take(w, n, sizeof(double));
    w->q = take(w, size, sizeof(double));
    w->z = take(w, size, sizeof(double));
    w->u = take(w, size, sizeof(double));
    w->locked = take(w, n, sizeof(bool));
    w->still = take(w, n, sizeof(double));
    w->diagonal = take(w, size, sizeof(double));
    w->x0 = take(w, nv, sizeof(double));
    w->x = take(w, nv, sizeof(double));
    w->g = take(w, nv, sizeof(double));
    w->free = take(w, nv, sizeof(double));
    w->dr = take(w, p->tables->nr, sizeof(double));
    if (w->local) {
        w->place = take(w, nv, sizeof(int));
        w->start = take(w, p->parts, sizeof(int));
        w->kind = take(w, p->parts, 1);
    }
    return w->arena.missed == 0;
}

carom_status carom_condense(carom_condensed *w, carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const carom_kkt_tables *const t = p->tables;
    w->d = p->dimension > 2 ? 3 : 2;
    w->n = 0;
    w->contact = take(w, p->contacts, sizeof(int));
    if (w->contact == NULL) {
        return CAROM_ARGUMENT;
    }
    for (int c = 0; c < p->contacts; ++c) {
        if (p->set[p->row[c * p->dimension]]) {
            w->contact[w->n++] = c;
        }
    }
    w->chunks = 1;
    w->chunk[0] = 0;
    w->border = w->n;
    if ((w->piled && !deal_out(w)) || !allocate(w)) {
        return CAROM_ARGUMENT;
    }
    const int d = w->d;
    bool given = false;
    for (int i = 0; i < w->n; ++i) {
        const int c = w->contact[i];
        const int *const row = p->row + c * p->dimension;
        const double mu = p->mu != NULL ? p->mu[c] : 0.0;
        bool rough = false;
        w->slides[i] = w->locked[i] = false;
        w->rides[i] = -1;
        for (int m = i - 1; m >= 0 && p->rides != NULL && p->rides[c] >= 0 && w->rides[i] < 0; --m) {
            w->rides[i] = w->contact[m] == p->rides[c] ? m : -1;
        }
        w->row[d * i] = w->rides[i] >= 0 ? -1 : row[0];
        for (int k = 1; k < d; ++k) {
            const int at = k < p->dimension && row[k] >= 0 && p->set[row[k]] && mu > 0.0 ? row[k] : -1;
            const double slide = at >= 0 && p->slide != NULL ? p->slide[at - p->gaps] : 0.0;
            w->tangent[(d - 1) * i + k - 1] = at;
            w->along[(d - 1) * i + k - 1] = mu * slide;
            w->slides[i] = w->slides[i] || slide != 0.0;
            rough = rough || at >= 0;
        }
        w->mu[i] = rough && !w->slides[i] ? mu : 0.0;
        if (p->given != NULL && p->given[c] > 0.0) { /* no unknown: its normal leaves the problem */
            w->row[d * i] = -1;
            given = true;
        }
        for (int k = 1; k < d; ++k) {
            w->row[d * i + k] = w->slides[i] ? -1 : w->tangent[(d - 1) * i + k - 1];
        }
    }
    carom_contact_free(p, w->free);
    for (int i = 0; i < w->n && given; ++i) {
        if (w->row[d * i] < 0 && w->rides[i] < 0) {
            carom_row_add(p, p->row[w->contact[i] * p->dimension], p->given[w->contact[i]], w->free);
        }
    }
    if (w->local) {
        look_at_parts(w);
        const carom_status status = factor_parts(w);
        if (status != CAROM_OK) {
            return status;
        }
    }
    if ((!w->local || w->far) && w->space->factor != CAROM_FACTOR_BILATERAL) {
        unsigned char *const bilateral = take(w, t->nr, 1);
        if (bilateral == NULL) {
            return CAROM_ARGUMENT;
        }
        for (int i = 0; i < t->nr; ++i) {
            bilateral[i] = i < t->ne && p->set[i] ? 1 : 0;
        }
        const carom_status status = carom_kkt_factor(t, p->A, p->G, bilateral, w->space->kkt, w->space->ikkt);
        w->space->factor = status == CAROM_OK ? CAROM_FACTOR_BILATERAL : CAROM_FACTOR_NONE;
        if (status != CAROM_OK) {
            return status;
        }
    }
    return carom_condensed_apply(w, w->free, p->b, w->x0, info);
}

void carom_condensed_free(const carom_condensed *w)
{
    const carom_contact_problem *const p = w->p;
    for (int i = 0; i < w->d * w->n; ++i) {
        const int row = w->row[i], at = i / w->d;
        const bool given = row < 0 && i % w->d == 0 && w->rides[at] < 0;
        w->q[i] = row >= 0 ? carom_row_times(p, row, w->x0) + p->b[row] : given ? -p->given[w->contact[at]] : 0.0;
    }
}

/* ---- W ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    int *head;           /* [parts] first incidence of each part */
    int *next, *contact; /* of incidences */
    int *mark;           /* [n] contacts that the present one is known to share a part with */
    int *column;         /* [n] those */
} sharing;

/* Contacts that share a part with contact i, itself among them; in w's order of incidences. */
static int neighbours(const carom_condensed *w, const sharing *s, int i, int stamp)
{
    const carom_contact_problem *const p = w->p;
    int count = 0;
    s->mark[i] = stamp;
    s->column[count++] = i;
    for (int m = w->rides[i] >= 0 ? w->rides[i] : i; m < w->n && (m <= i || w->rides[m] == i);
         ++m) { /* riders follow */
        if (s->mark[m] != stamp && (m == w->rides[i] || w->rides[m] == i)) {
            s->mark[m] = stamp;
            s->column[count++] = m;
        }
    }
    for (int k = 0; k < w->d; ++k) {
        const int row = k == 0 ? w->row[w->d * i] : w->tangent[(w->d - 1) * i + k - 1];
        for (int e = row >= 0 ? p->Gp[row] : 0; row >= 0 && e < p->Gp[row + 1]; ++e) {
            for (int at = s->head[p->part[p->Gj[e]]]; at >= 0; at = s->next[at]) {
                if (s->mark[s->contact[at]] != stamp) {
                    s->mark[s->contact[at]] = stamp;
                    s->column[count++] = s->contact[at];
                }
            }
        }
    }
    return count;
}

/* Which contacts touch which parts. */
static bool share(carom_condensed *w, sharing *s)
{
    const carom_contact_problem *const p = w->p;
    int incidences = 0;
    for (int i = 0; i < w->n; ++i) {
        for (int k = 0; k < w->d; ++k) {
            const int row = k == 0 ? w->row[w->d * i] : w->tangent[(w->d - 1) * i + k - 1];
            incidences += row >= 0 ? p->Gp[row + 1] - p->Gp[row] : 0;
        }
    }
    s->head = take(w, p->parts, sizeof(int));
    s->next = take(w, incidences, sizeof(int));
    s->contact = take(w, incidences, sizeof(int));
    s->mark = take(w, w->n, sizeof(int));
    s->column = take(w, w->n, sizeof(int));
    if (w->arena.missed > 0) {
        return false;
    }
    for (int k = 0; k < p->parts; ++k) {
        s->head[k] = -1;
    }
    int count = 0;
    for (int i = 0; i < w->n; ++i) {
        s->mark[i] = -1;
        for (int k = 0; k < w->d; ++k) {
            const int row = k == 0 ? w->row[w->d * i] : w->tangent[(w->d - 1) * i + k - 1];
            for (int e = row >= 0 ? p->Gp[row] : 0; row >= 0 && e < p->Gp[row + 1]; ++e) {
                const int part = p->part[p->Gj[e]];
                if (s->head[part] < 0 || s->contact[s->head[part]] != i) {
                    s->contact[count] = i;
                    s->next[count] = s->head[part];
                    s->head[part] = count++;
                }
            }
        }
    }
    return true;
}

bool carom_condensed_blocks(carom_condensed *w, bool full, carom_friction_problem *made, carom_status *status,
                            carom_info *info)
{
    const carom_contact_problem *const p = w->p;
    const int d = w->d, n = w->n;
    sharing s = {0};
    int *row = take(w, n + 1, sizeof(int)), *cursor = take(w, n, sizeof(int));
    *status = CAROM_OK;
    if (row == NULL || cursor == NULL || (!full && !share(w, &s))) {
        return false;
    }
    row[0] = 0;
    for (int i = 0; i < n; ++i) {
        row[i + 1] = row[i] + (full ? n : neighbours(w, &s, i, i));
        cursor[i] = row[i];
    }
    int *column = take(w, row[n], sizeof(int));
    double *block = take(w, d * d * row[n], sizeof(double));
    if (column == NULL || block == NULL) {
        return false;
    }
    for (int k = 0; k < p->tables->nv; ++k) {
        w->x[k] = 0.0;
    }
    for (int i = 0; i < n && *status == CAROM_OK; ++i) { /* column i; by symmetry each row is then in ascending order */
        const int count = full ? n : neighbours(w, &s, i, n + i);
        for (int m = 0; m < count; ++m) {
            const int j = full ? m : s.column[m];
            column[cursor[j]] = i;
        }
        /* components of i, then the tangents along which it slides: it pushes along N - mu slide T */
        for (int l = 0; l < 2 * d - 1 && *status == CAROM_OK; ++l) {
            const int source = l < d ? w->row[d * i + l] : w->slides[i] ? w->tangent[(d - 1) * i + l - d] : -1;
            if (source >= 0) {
                *status = carom_condensed_column(w, source, w->x, info);
            }
            for (int m = 0; m < count; ++m) {
                const int j = full ? m : s.column[m];
                double *const W = block + d * d * cursor[j];
                for (int k = 0; k < d; ++k) {
                    const int target = w->row[d * j + k];
                    const double value = source >= 0 && target >= 0 ? carom_row_times(p, target, w->x) : 0.0;
                    if (l >= d) {
                        W[d * k] -= source >= 0 ? w->along[(d - 1) * i + l - d] * value : 0.0;
                        continue;
                    }
                    W[d * k + l] = source < 0 && target < 0 && i == j && k == l ? 1.0 : value;
                    if (i == j && k == l) {
                        w->diagonal[d * i + k] = W[d * k + l];
                    }
                }
            }
            if (source >= 0 && w->local) { /* a column is 0 but for the parts that it touches */
                carom_condensed_clear(w, source, w->x);
            }
        }
        for (int m = 0; m < count; ++m) {
            cursor[full ? m : s.column[m]]++;
        }
    }
    for (int i = 0; i < n; ++i) { /* u_N of a rider is W_NN of what it rides on, times by how much its z_N is more */
        const double weight = w->rides[i] >= 0 ? w->diagonal[d * w->rides[i]] : 0.0;
        for (int k = row[i]; k < row[i + 1] && w->rides[i] >= 0; ++k) {
            if (column[k] == i || column[k] == w->rides[i]) {
                block[d * d * k] = column[k] == i ? weight : -weight;
            }
        }
        w->diagonal[d * i] = w->rides[i] >= 0 ? weight : w->diagonal[d * i];
    }
    w->block = block;
    *made = (carom_friction_problem){d, n, w->mu, w->q, row, column, block};
    return true;
}

void carom_condensed_lock(carom_condensed *w, const carom_friction_problem *W)
{
    const int d = w->d;
    for (int i = 0; i < w->n; ++i) {
        if (w->row[d * i] < 0) {
            continue;
        }
        const double whole = carom_row_stiffness(w->p, w->row[d * i]);
        if (w->diagonal[d * i] > PIVOT * whole) {
            continue;
        }
        for (int c = 0; c < w->n; ++c) {
            for (int k = W->row[c]; k < W->row[c + 1]; ++k) {
                for (int l = 0; l < d * d && (c == i || W->column[k] == i); ++l) {
                    w->block[d * d * k + l] = c == W->column[k] && l % (d + 1) == 0 ? 1.0 : 0.0;
                }
            }
        }
        w->still[i] = w->locked[i] ? w->still[i] : w->q[d * i];
        w->locked[i] = true;
        w->diagonal[d * i] = whole;
        for (int k = 0; k < d; ++k) {
            w->q[d * i + k] = w->z[d * i + k] = 0.0;
        }
    }
}
