/* The contacts of many bodies by the parts of the unknowns that they touch: their rows, the blocks W_cc, and products
 * with W, which is never made. */
#include "pile.h"

#include <math.h>
#include <string.h>

#define ROUND 1e-13 /* of W_cc off its diagonal: nothing */
#define PIVOT 1e-12 /* of W_NN: less is none */

static void *take(carom_pile *p, int count, size_t element)
{
    return carom_arena_take(&p->w->arena, (size_t)(count > 0 ? count : 1), element);
}

/* Two bodies that move freely, or one: false when it is something else. All rows of such a contact have the same
 * columns, the six of one body, then those of the other. */
static bool pair_of(const carom_pile *p, int i, carom_pile_contact *out)
{
    static const double none[2 * CAROM_BODY] = {0.0};
    const carom_contact_problem *const P = p->w->p;
    const int *const row = p->w->row + 3 * i, *const column = P->Gj + P->Gp[row[0]];
    const int count = P->Gp[row[0] + 1] - P->Gp[row[0]], sides = count / CAROM_BODY;
    if (count != CAROM_BODY && count != 2 * CAROM_BODY) {
        return false;
    }
    out->sides = 0;
    out->kind = CAROM_STRAIGHT | CAROM_CENTRAL;
    out->at[1] = P->tables->nv;
    out->inverse[1] = NULL;
    for (int side = 0; side < sides; ++side) {
        const int part = P->part[column[CAROM_BODY * side]], first = P->first[part];
        if (p->w->kind[part] != CAROM_PART_BODY ||
            memcmp(column + CAROM_BODY * side, P->member + first, CAROM_BODY * sizeof(int)) != 0) {
            return false;
        }
        const double *const A = out->inverse[side] = p->w->factor + p->w->start[part];
        const bool straight = A[2] == 0.0 && A[3] == 0.0 && A[4] == 0.0 && A[6] == 0.0 && A[7] == 0.0 && A[8] == 0.0;
        out->kind &= straight ? 0xff : (unsigned char)~CAROM_STRAIGHT;
        out->at[side] = first;
    }
    for (int k = 0; k < 3; ++k) {
        const double *const G = out->of.row[k] = row[k] >= 0 ? P->G + P->Gp[row[k]] : none;
        if (k > 0 && row[k] >= 0 &&
            (P->Gp[row[k] + 1] - P->Gp[row[k]] != count ||
             memcmp(P->Gj + P->Gp[row[k]], column, (size_t)count * sizeof(int)) != 0)) {
            return false;
        }
        if (sides > 1 && !(G[6] == -G[0] && G[7] == -G[1] && G[8] == -G[2])) {
            return false;
        }
    }
    const double *const N = out->of.row[0];
    for (int k = 3; k < 3 * 2 * sides; k += 2 * 3) {
        out->kind &= N[k] == 0.0 && N[k + 1] == 0.0 && N[k + 2] == 0.0 ? 0xff : (unsigned char)~CAROM_CENTRAL;
    }
    return true;
}

/* Any parts: values row by row, of A^-1 by the factors. False: no room, or a factor that failed. */
static bool sides_of(carom_pile *p, int i, carom_pile_contact *c, carom_status *status, carom_info *info)
{
    carom_condensed *const w = p->w;
    const carom_contact_problem *const P = w->p;
    int part[2 * CAROM_PART_MOST], count = 0; /* each coordinate may be a part of its own */
    int *list = part, most = 2 * CAROM_PART_MOST;
    for (int k = 0; k < 5; ++k) {
        const int row = k < 3 ? w->row[3 * i + k] : w->tangent[2 * i + k - 3];
        for (int e = row >= 0 ? P->Gp[row] : 0; row >= 0 && e < P->Gp[row + 1]; ++e) {
            bool known = false;
            for (int l = 0; l < count; ++l) {
                known = known || list[l] == P->part[P->Gj[e]];
            }
            if (!known && count == most) {
                int *const more = take(p, 2 * most, sizeof(int));
                if (more == NULL) {
                    return false;
                }
                memcpy(more, list, (size_t)count * sizeof(int));
                list = more;
                most *= 2;
            }
            if (!known) {
                list[count++] = P->part[P->Gj[e]];
            }
        }
    }
    c->sides = count;
    c->of.side = take(p, count, sizeof(carom_side));
    for (int k = 0; k < count && c->of.side != NULL; ++k) {
        carom_side *const s = &c->of.side[k];
        s->part = list[k];
        s->at = P->first[list[k]];
        s->m = P->first[list[k] + 1] - s->at;
        s->G = take(p, 3 * s->m, sizeof(double));
        s->H = take(p, 3 * s->m, sizeof(double));
        p->large = p->large || s->m > CAROM_BODY;
        for (int l = 0; l < 3 * s->m && w->arena.missed == 0; ++l) {
            s->G[l] = s->H[l] = 0.0;
        }
    }
    if (w->arena.missed > 0) {
        return false;
    }
    for (int k = 0; k < 5 && *status == CAROM_OK; ++k) { /* normal and tangents, then those along which it slides */
        const int row = k < 3 ? w->row[3 * i + k] : w->slides[i] ? w->tangent[2 * i + k - 3] : -1;
        const int to = k < 3 ? k : 0;
        const double weight = k < 3 ? 1.0 : -w->along[2 * i + k - 3];
        if (row < 0) {
            continue;
        }
        *status = carom_condensed_column(w, row, w->x, info);
        w->diagonal[3 * i] = k == 0 ? carom_row_times(P, row, w->x) : w->diagonal[3 * i];
        for (int l = 0; l < count; ++l) {
            carom_side *const s = &c->of.side[l];
            for (int j = 0; j < s->m; ++j) {
                s->H[to * s->m + j] += weight * w->x[P->member[s->at + j]];
            }
        }
        carom_condensed_clear(w, row, w->x);
        for (int e = P->Gp[row]; e < P->Gp[row + 1] && k < 3; ++e) {
            for (int l = 0; l < count; ++l) {
                if (c->of.side[l].part == P->part[P->Gj[e]]) {
                    c->of.side[l].G[k * c->of.side[l].m + w->place[P->Gj[e]]] = P->G[e];
                }
            }
        }
    }
    return *status == CAROM_OK;
}

/* W_cc, by columns of what a unit impulse does */
static void local_block(const carom_pile_contact *c, double W[9])
{
    if (c->sides == 0) {
        const double m = c->inverse[0][0] + (carom_pile_second(c) ? c->inverse[1][0] : 0.0);
        double turn[2][3][3] = {{{0.0}}}; /* J^-1 E^T */
        for (int side = 0; side < 1 + carom_pile_second(c); ++side) {
            for (int l = 0; l < 3; ++l) {
                double unit[3] = {0.0, 0.0, 0.0};
                unit[l] = 1.0;
                carom_pile_turn(c, 3 + CAROM_BODY * side, c->inverse[side], unit, turn[side][l]);
            }
        }
        for (int k = 0; k < 3; ++k) {
            const double *const G = c->of.row[k];
            for (int l = 0; l <= k; ++l) { /* it is symmetric */
                double sum = m * carom_dot3(G, c->of.row[l]) + carom_dot3(G + 3, turn[0][l]);
                if (carom_pile_second(c)) {
                    sum += carom_dot3(G + 9, turn[1][l]);
                }
                W[3 * k + l] = W[3 * l + k] = sum;
            }
        }
        return;
    }
    memset(W, 0, 9 * sizeof *W);
    for (int at = 0; at < c->sides; ++at) {
        const carom_side *const s = &c->of.side[at];
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                for (int i = 0; i < s->m; ++i) {
                    W[3 * k + l] += s->G[k * s->m + i] * s->H[l * s->m + i];
                }
            }
        }
    }
}

/* q of a contact, where y is what the parts do without impulses */
static void free_of(const carom_pile *p, int i)
{
    const carom_condensed *const w = p->w;
    double u[3];
    carom_pile_moves(&p->contact[i], p->y, u);
    for (int k = 3 * i; k < 3 * i + 3; ++k) {
        w->q[k] = w->row[k] >= 0 ? u[k - 3 * i] + w->p->b[w->row[k]] : 0.0;
    }
}

static double larger(double x, double y) { return y > x ? y : x; } /* fmax is a call */

/* The local solver of a contact. A normal that bilateral rows hold leaves the problem; one that slides may have no
 * finite force. */
static carom_status prepare(carom_pile *p, int i, carom_info *info)
{
    carom_condensed *const w = p->w;
    carom_pile_contact *const c = &p->contact[i];
    double W[9], trace = 0.0;
    int components = 0;
    local_block(c, W);
    const double size = larger(fabs(W[0]), larger(fabs(W[4]), fabs(W[8])));
    const double whole = c->sides == 0 ? W[0] : carom_row_stiffness(w->p, w->row[3 * i]); /* nothing holds a pair */
    const double own = w->slides[i] ? w->diagonal[3 * i] : W[0];
    if (!(own > PIVOT * whole)) {
        w->locked[i] = true;
        w->still[i] = w->q[3 * i];
        memset(W, 0, sizeof W);
        W[0] = whole;
        for (int k = 0; k < 3; ++k) {
            w->q[3 * i + k] = w->z[3 * i + k] = 0.0;
        }
        c->sides = -1;
        p->slides = true;
    } else if (w->slides[i] && !(W[0] > PIVOT * own)) {
        info->contact = w->row[3 * i];
        info->residual = W[0];
        return CAROM_PAINLEVE;
    }
    w->diagonal[3 * i] = w->locked[i] ? whole : own;
    for (int k = 0; k < 3; ++k) {
        const bool there = w->row[3 * i + k] >= 0;
        W[4 * k] = there && W[4 * k] > 0.0 ? W[4 * k] : 1.0;
        w->diagonal[3 * i + k] = k > 0 ? W[4 * k] : w->diagonal[3 * i];
        trace += there ? W[4 * k] : 0.0;
        components += there ? 1 : 0;
    }
    p->s[i] = components / trace;
    const double beside = larger(larger(fabs(W[1]), fabs(W[2])), larger(fabs(W[3]), fabs(W[6])));
    c->round = !(larger(beside, larger(fabs(W[5]), fabs(W[7]))) > ROUND * size) && !(fabs(W[4] - W[8]) > ROUND * size);
    if (c->round) {
        c->by.w[0] = 1.0 / W[0];
        c->by.w[1] = 2.0 / (W[4] + W[8]);
        return CAROM_OK;
    }
    c->by.local = take(p, 1, sizeof *c->by.local);
    if (c->by.local != NULL) {
        carom_local_prepare(3, W, w->mu[i], c->by.local);
    }
    p->flat += w->mu[i] > 0.0 ? 1 : 0;
    return CAROM_OK;
}

static void push(const carom_pile *p, int first, int end, const double *z)
{
    for (int i = first; i < end; ++i) {
        const double *const r = z + 3 * i;
        if (r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0) {
            carom_pile_push(&p->contact[i], r, p->y);
        }
    }
}

void carom_pile_add_up(const carom_pile *p, const double *z)
{
    for (int i = 0; i < p->w->p->tables->nv + CAROM_BODY; ++i) {
        p->y[i] = 0.0;
    }
    CAROM_SIDE_BY_SIDE(p->w->chunks)
    for (int k = 0; k < p->w->chunks; ++k) {
        push(p, p->w->chunk[k], carom_pile_end(p, k), z);
    }
    push(p, p->w->border, p->n, z);
}

void carom_pile_velocities(const carom_pile *p, double *u)
{
    const int chunks = carom_fc_chunks(&p->fc);
    CAROM_SIDE_BY_SIDE(chunks)
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int i = carom_chunk(p->n, chunks, chunk); i < carom_chunk(p->n, chunks, chunk + 1); ++i) {
            double moves[3];
            carom_pile_moves(&p->contact[i], p->y, moves);
            for (int k = 0; k < 3; ++k) {
                u[3 * i + k] = p->w->q[3 * i + k] + moves[k];
            }
        }
    }
}

/* u = W z + q; the velocities are those of z then */
static void product(void *context, const double *z, double *u)
{
    const carom_pile *const p = context;
    carom_pile_add_up(p, z);
    carom_pile_velocities(p, u);
}

carom_status carom_pile_begin(carom_pile *p, double tolerance, double floor, carom_info *info)
{
    carom_condensed *const w = p->w;
    const int n = p->n = w->n, nv = w->p->tables->nv;
    carom_status status = CAROM_OK;
    p->contact = take(p, n, sizeof *p->contact);
    p->s = take(p, n, sizeof(double));
    p->y = take(p, nv + CAROM_BODY, sizeof(double));
    p->start = take(p, 3 * n, sizeof(double));
    p->best = take(p, 3 * n, sizeof(double));
    p->least = HUGE_VAL;
    p->z = w->z;
    for (int k = 0; k < nv && p->y != NULL; ++k) {
        w->x[k] = 0.0;
        p->y[k] = w->x0[w->p->member[k]];
    }
    for (int i = 0; i < n && w->arena.missed == 0 && status == CAROM_OK; ++i) {
        carom_pile_contact *const c = &p->contact[i];
        p->slides = p->slides || w->slides[i];
        if ((w->slides[i] || !pair_of(p, i, c)) && !sides_of(p, i, c, &status, info)) {
            break;
        }
        free_of(p, i);
        status = prepare(p, i, info);
    }
    if (w->arena.missed > 0) {
        return CAROM_ARGUMENT;
    }
    p->fc = (carom_fc){.d = 3,
                       .n = n,
                       .size = 3 * n,
                       .mu = w->mu,
                       .q = w->q,
                       .s = p->s,
                       .tolerance = tolerance,
                       .floor = floor,
                       .q_norm = carom_fc_norm(3 * n, w->q),
                       .product = product,
                       .context = p,
                       .chunks = w->chunks,
                       .arena = w->arena};
    return status;
}
