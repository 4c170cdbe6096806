/* Block-sparse LU for the Newton systems: d x d blocks, symmetric pattern, unsymmetric values.
 *
 * Ordering and fill come from one pass of approximate minimum degree on the quotient graph. A block that is eliminated
 * becomes an element: the clique of the blocks it still touched. That clique is the pattern of its row of U, so keeping
 * all elements, absorbed ones too, is the symbolic factorisation.
 *
 * The order is fixed before the numbers are known; pivoting is complete inside each diagonal block and does not cross
 * blocks. That is enough here: the matrices are P (W + eps) + Q with a positive semidefinite W and Q >= 0 on sliding
 * contacts, tiny pivots are perturbed, and the caller refines the solution and searches along it. */
#include "sparse.h"

#include <math.h>

#define TINY_PIVOT 1e-14 /* relative to the block row's largest entry */
#define PERTURBED 1e-10

enum { MOST = 6 }; /* blocks are 2 x 2, 3 x 3 or 6 x 6 */

/* ---- ordering -------------------------------------------------------------------------------------------------- */

/* The quotient graph. Variable i owns list[start[i]] ..: first elements[i] elements, then variables, length[i] in all.
 * Its list never grows: adding the new element always removes the pivot or an element that it absorbs. */
typedef struct {
    int *list, *start, *elements, *length;
    int *degree, *head, *next, *previous; /* variables by degree, doubly linked */
    int *mark;                            /* variable in the current clique: stamp */
    int *outside, *seen;                  /* element: members outside the current clique, valid when seen == stamp */
    char *gone;                           /* variable eliminated and its element absorbed */
} quotient;

static void link_in(quotient *g, int i)
{
    const int first = g->head[g->degree[i]];
    g->next[i] = first;
    g->previous[i] = -1;
    if (first >= 0) {
        g->previous[first] = i;
    }
    g->head[g->degree[i]] = i;
}

static void link_out(quotient *g, int i)
{
    if (g->next[i] >= 0) {
        g->previous[g->next[i]] = g->previous[i];
    }
    if (g->previous[i] >= 0) {
        g->next[g->previous[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
}

static int take_ints(carom_arena *arena, int **where, int count)
{
    *where = carom_arena_take(arena, (size_t)count, sizeof(int));
    return *where != NULL;
}

static int quotient_start(quotient *g, const carom_blocks *A, carom_arena *arena)
{
    const int n = A->n;
    int **array[] = {&g->start, &g->elements, &g->length, &g->degree,  &g->head,
                     &g->next,  &g->previous, &g->mark,   &g->outside, &g->seen};
    int good = take_ints(arena, &g->list, A->row[n]);
    for (size_t k = 0; k < sizeof array / sizeof array[0]; ++k) {
        good = take_ints(arena, array[k], n) && good;
    }
    g->gone = carom_arena_take(arena, (size_t)n, 1);
    if (!good || g->gone == NULL) {
        return 0;
    }
    int top = 0;
    for (int i = 0; i < n; ++i) {
        g->start[i] = top;
        for (int k = A->row[i]; k < A->row[i + 1]; ++k) {
            if (A->column[k] != i) {
                g->list[top++] = A->column[k];
            }
        }
        g->length[i] = g->degree[i] = top - g->start[i];
        g->elements[i] = 0;
        g->mark[i] = g->seen[i] = -1;
        g->gone[i] = 0;
        g->head[i] = -1;
    }
    for (int i = n - 1; i >= 0; --i) {
        link_in(g, i);
    }
    return 1;
}

/* Collects the clique of pivot p into `clique`, absorbing p's elements; -1 when `room` is too small. */
static int form_clique(quotient *g, const carom_lu *lu, int p, int stamp, int *clique, int room)
{
    int size = 0;
    g->mark[p] = stamp;
    for (int a = 0; a < g->length[p]; ++a) {
        const int x = g->list[g->start[p] + a];
        const int is_element = a < g->elements[p];
        const int first = is_element ? lu->u_start[lu->position[x]] : 0;
        const int last = is_element ? lu->u_start[lu->position[x] + 1] : 1;
        for (int k = first; k < last; ++k) {
            const int j = is_element ? lu->u_column[k] : x;
            if (g->mark[j] != stamp) {
                if (size == room) {
                    return -1;
                }
                g->mark[j] = stamp;
                clique[size++] = j;
            }
        }
        if (is_element) {
            g->gone[x] = 1;
        }
    }
    return size;
}

/* outside[e] = |e \ clique| for every element that meets the clique. */
static void measure_elements(quotient *g, const carom_lu *lu, const int *clique, int size, int stamp)
{
    for (int a = 0; a < size; ++a) {
        const int i = clique[a];
        for (int k = 0; k < g->elements[i]; ++k) {
            const int e = g->list[g->start[i] + k];
            if (g->seen[e] != stamp) {
                g->seen[e] = stamp;
                g->outside[e] = lu->u_start[lu->position[e] + 1] - lu->u_start[lu->position[e]];
            }
            g->outside[e]--;
        }
    }
}

/* Puts element p into i's list in place of everything that it covers; the new approximate degree. */
static int rewrite_list(quotient *g, int i, int p, int size, int stamp)
{
    int *list = g->list + g->start[i];
    const int old_elements = g->elements[i], old_length = g->length[i];
    int degree = size - 1, kept = 0, end = old_elements;
    for (int k = 0; k < old_elements; ++k) {
        const int e = list[k];
        if (!g->gone[e] && g->outside[e] > 0) {
            list[kept++] = e;
            degree += g->outside[e];
        }
    }
    for (int k = old_elements; k < old_length; ++k) {
        if (g->mark[list[k]] != stamp) {
            list[end++] = list[k];
            degree++;
        }
    }
    const int variables = end - old_elements;
    if (kept == old_elements) { /* then p was among the variables and left a place at the end */
        list[end] = list[kept];
    } else {
        for (int k = 0; k < variables; ++k) {
            list[kept + 1 + k] = list[old_elements + k];
        }
    }
    list[kept] = p;
    g->elements[i] = kept + 1;
    g->length[i] = kept + 1 + variables;
    return degree;
}

/* Fills order, position, u_start and u_column; 0 when the fill exceeds `capacity` blocks. */
static int minimum_degree(carom_lu *lu, quotient *g, int capacity)
{
    const int n = lu->n;
    int lowest = 0, top = 0;
    lu->u_start[0] = 0;
    for (int step = 0; step < n; ++step) {
        while (g->head[lowest] < 0) {
            lowest++;
        }
        const int p = g->head[lowest];
        link_out(g, p);
        lu->order[step] = p;
        lu->position[p] = step;
        int *clique = lu->u_column + top;
        const int size = form_clique(g, lu, p, step, clique, capacity - top);
        if (size < 0) {
            return 0;
        }
        top += size;
        lu->u_start[step + 1] = top;
        measure_elements(g, lu, clique, size, step);
        for (int a = 0; a < size; ++a) {
            const int i = clique[a];
            const int old = g->degree[i];
            int degree = rewrite_list(g, i, p, size, step);
            const int grown = old + size - 1, most = n - step - 2;
            degree = degree < grown ? degree : grown;
            degree = degree < most ? degree : most;
            link_out(g, i);
            g->degree[i] = degree;
            link_in(g, i);
            lowest = degree < lowest ? degree : lowest;
        }
    }
    return 1;
}

/* ---- symbolic -------------------------------------------------------------------------------------------------- */

static size_t quotient_work(int n, int blocks)
{
    return carom_arena_round((size_t)blocks * sizeof(int)) + 10 * carom_arena_round((size_t)n * sizeof(int)) +
           carom_arena_round((size_t)n);
}

static size_t factor_fixed_work(int d, int n)
{
    const size_t count = (size_t)n, dim = (size_t)d;
    return 2 * carom_arena_round(count * sizeof(int)) + 2 * carom_arena_round((count + 1) * sizeof(int)) +
           2 * carom_arena_round(dim * dim * count * sizeof(double)) + carom_arena_round(dim * count * sizeof(double));
}

/* Bytes per block of fill: a block and an index in each of L and U. */
static size_t fill_bytes(int d) { return 2 * (sizeof(int) + (size_t)(d * d) * sizeof(double)); }

size_t carom_lu_work(int d, int n, int blocks) { return factor_fixed_work(d, n) + quotient_work(n, blocks) + 4 * 64; }

/* L by rows is U by columns: walking U in order of elimination lists each row's steps ascending. */
static void transpose_pattern(carom_lu *lu)
{
    const int n = lu->n, total = lu->u_start[n];
    for (int k = 0; k <= n; ++k) {
        lu->l_start[k] = 0;
    }
    for (int k = 0; k < total; ++k) {
        lu->l_start[lu->position[lu->u_column[k]] + 1]++;
    }
    for (int k = 0; k < n; ++k) {
        lu->l_start[k + 1] += lu->l_start[k];
    }
    for (int k = 0; k < n; ++k) {
        for (int a = lu->u_start[k]; a < lu->u_start[k + 1]; ++a) {
            lu->l_step[lu->l_start[lu->position[lu->u_column[a]]]++] = k;
        }
    }
    for (int k = n; k > 0; --k) { /* the starts have moved to the ends */
        lu->l_start[k] = lu->l_start[k - 1];
    }
    lu->l_start[0] = 0;
}

int carom_lu_analyse(carom_lu *lu, const carom_blocks *A, carom_arena *arena)
{
    const int n = A->n;
    const size_t count = (size_t)n, block = (size_t)A->d * (size_t)A->d;
    *lu = (carom_lu){.d = A->d, .n = n};
    int good = take_ints(arena, &lu->order, n) & take_ints(arena, &lu->position, n) &
               take_ints(arena, &lu->u_start, n + 1) & take_ints(arena, &lu->l_start, n + 1);
    lu->pivot = carom_arena_take(arena, block * count, sizeof(double));
    lu->row = carom_arena_take(arena, block * count, sizeof(double));
    lu->y = carom_arena_take(arena, (size_t)A->d * count, sizeof(double));
    const size_t after_fixed = arena->used;
    quotient g;
    if (!good || lu->pivot == NULL || lu->row == NULL || lu->y == NULL || !quotient_start(&g, A, arena)) {
        return 0;
    }
    /* the fill is found first in whatever room is left, as if all of it became factors */
    const size_t room = arena->size - arena->used;
    const size_t most = (size_t)n * (count > 0 ? count - 1 : 0) / 2;
    size_t capacity = room / fill_bytes(A->d);
    capacity = capacity > 8 ? capacity - 8 : 0;
    capacity = capacity < most ? capacity : most;
    if (capacity > 0x7fffffff / 16) {
        capacity = 0x7fffffff / 16;
    }
    good = take_ints(arena, &lu->u_column, (int)capacity);
    if (!good || !minimum_degree(lu, &g, (int)capacity)) {
        const size_t wanted = 2 * (capacity + 64) + (size_t)A->row[n];
        (void)carom_arena_take(arena, arena->size + (wanted < most ? wanted : most) * fill_bytes(A->d), 1);
        return 0;
    }
    /* the graph is done with: slide the pattern of U down over it */
    const int total = lu->u_start[n];
    int *pattern = lu->u_column;
    arena->used = after_fixed;
    good = take_ints(arena, &lu->u_column, total);
    for (int k = 0; k < total; ++k) {
        lu->u_column[k] = pattern[k];
    }
    good = good & take_ints(arena, &lu->l_step, total);
    lu->upper = carom_arena_take(arena, block * (size_t)total, sizeof(double));
    lu->lower = carom_arena_take(arena, block * (size_t)total, sizeof(double));
    if (!good || lu->upper == NULL || lu->lower == NULL) {
        return 0;
    }
    transpose_pattern(lu);
    for (size_t i = 0; i < block * count; ++i) {
        lu->row[i] = 0.0;
    }
    return 1;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* C -= A B, and C = A B, for d x d blocks. */
static void subtract_product2(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 2; ++i) {
        C[2 * i] -= A[2 * i] * B[0] + A[2 * i + 1] * B[2];
        C[2 * i + 1] -= A[2 * i] * B[1] + A[2 * i + 1] * B[3];
    }
}

static void subtract_product3(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 3; ++i) {
        const double a0 = A[3 * i], a1 = A[3 * i + 1], a2 = A[3 * i + 2];
        C[3 * i] -= a0 * B[0] + a1 * B[3] + a2 * B[6];
        C[3 * i + 1] -= a0 * B[1] + a1 * B[4] + a2 * B[7];
        C[3 * i + 2] -= a0 * B[2] + a1 * B[5] + a2 * B[8];
    }
}

static void subtract_product6(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 6; ++i) {
        const double *const a = A + 6 * i;
        double *const c = C + 6 * i;
        for (int j = 0; j < 6; ++j) {
            c[j] -= ((a[0] * B[j] + a[1] * B[6 + j]) + (a[2] * B[12 + j] + a[3] * B[18 + j])) +
                    (a[4] * B[24 + j] + a[5] * B[30 + j]);
        }
    }
}

static void product(int d, const double *A, const double *B, double *C)
{
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            double sum = 0.0;
            for (int k = 0; k < d; ++k) {
                sum += A[d * i + k] * B[d * k + j];
            }
            C[d * i + j] = sum;
        }
    }
}

/* Inverse by Gauss-Jordan with complete pivoting; pivots below TINY_PIVOT scale are replaced. Returns how many. */
static int invert(int d, double scale, double *A)
{
    int row_used[MOST] = {0}, column_of[MOST] = {0}, row_of[MOST] = {0}, column_used[MOST] = {0};
    int perturbed = 0;
    for (int step = 0; step < d; ++step) {
        int p = -1, q = -1;
        double largest = -1.0;
        for (int i = 0; i < d; ++i) {
            for (int j = 0; j < d; ++j) {
                if (!row_used[i] && !column_used[j] && fabs(A[d * i + j]) > largest) {
                    largest = fabs(A[d * i + j]);
                    p = i;
                    q = j;
                }
            }
        }
        if (p < 0) { /* not a number: leave it to the caller's checks */
            return perturbed;
        }
        if (!(largest > TINY_PIVOT * scale)) {
            A[d * p + q] = (A[d * p + q] < 0.0 ? -PERTURBED : PERTURBED) * scale;
            perturbed++;
        }
        row_used[p] = column_used[q] = 1;
        row_of[step] = p;
        column_of[step] = q;
        /* exchange step: the pivot's row and column swap roles */
        const double inverse = 1.0 / A[d * p + q];
        for (int i = 0; i < d; ++i) {
            if (i == p) {
                continue;
            }
            const double factor = A[d * i + q] * inverse;
            for (int j = 0; j < d; ++j) {
                if (j != q) {
                    A[d * i + j] -= factor * A[d * p + j];
                }
            }
            A[d * i + q] = factor;
        }
        for (int j = 0; j < d; ++j) {
            A[d * p + j] = j == q ? inverse : -A[d * p + j] * inverse;
        }
    }
    /* A now maps through the exchanges x_q <-> y_p: undo the pairing */
    double B[MOST * MOST];
    carom_fc_copy(d * d, A, B);
    for (int s = 0; s < d; ++s) {
        for (int t = 0; t < d; ++t) {
            A[d * column_of[s] + row_of[t]] = B[d * row_of[s] + column_of[t]];
        }
    }
    return perturbed;
}

int carom_lu_factor(carom_lu *lu, const carom_blocks *A)
{
    const int d = lu->d, dd = d * d;
    int perturbed = 0;
    for (int k = 0; k < lu->n; ++k) {
        const int i = lu->order[k];
        double scale = 0.0;
        for (int a = A->row[i]; a < A->row[i + 1]; ++a) {
            double *place = lu->row + dd * A->column[a];
            for (int b = 0; b < dd; ++b) {
                place[b] = A->block[dd * a + b];
                scale = fmax(scale, fabs(place[b]));
            }
        }
        for (int a = lu->l_start[k]; a < lu->l_start[k + 1]; ++a) {
            const int step = lu->l_step[a];
            double *left = lu->row + dd * lu->order[step], *L = lu->lower + dd * a;
            product(d, left, lu->pivot + dd * step, L);
            for (int b = 0; b < dd; ++b) {
                left[b] = 0.0;
            }
            const int first = lu->u_start[step], last = lu->u_start[step + 1];
            if (d == 2) {
                for (int b = first; b < last; ++b) {
                    subtract_product2(L, lu->upper + 4 * b, lu->row + 4 * lu->u_column[b]);
                }
            } else if (d == 6) {
                for (int b = first; b < last; ++b) {
                    subtract_product6(L, lu->upper + 36 * b, lu->row + 36 * lu->u_column[b]);
                }
            } else {
                for (int b = first; b < last; ++b) {
                    subtract_product3(L, lu->upper + 9 * b, lu->row + 9 * lu->u_column[b]);
                }
            }
        }
        double *pivot = lu->pivot + dd * k, *diagonal = lu->row + dd * i;
        for (int b = 0; b < dd; ++b) {
            pivot[b] = diagonal[b];
            diagonal[b] = 0.0;
        }
        perturbed += invert(d, scale, pivot);
        for (int a = lu->u_start[k]; a < lu->u_start[k + 1]; ++a) {
            double *place = lu->row + dd * lu->u_column[a], *U = lu->upper + dd * a;
            for (int b = 0; b < dd; ++b) {
                U[b] = place[b];
                place[b] = 0.0;
            }
        }
    }
    return perturbed;
}

/* y -= B x */
static void subtract_times(int d, const double *B, const double *x, double *y)
{
    if (d == 2) {
        y[0] -= B[0] * x[0] + B[1] * x[1];
        y[1] -= B[2] * x[0] + B[3] * x[1];
    } else if (d == 6) {
        for (int i = 0; i < 6; ++i) {
            const double *const row = B + 6 * i;
            y[i] -=
                ((row[0] * x[0] + row[1] * x[1]) + (row[2] * x[2] + row[3] * x[3])) + (row[4] * x[4] + row[5] * x[5]);
        }
    } else {
        y[0] -= B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
        y[1] -= B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
        y[2] -= B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
    }
}

void carom_lu_solve(const carom_lu *lu, double *x)
{
    const int d = lu->d, dd = d * d;
    for (int k = 0; k < lu->n; ++k) {
        double *y = lu->y + d * k;
        carom_fc_copy(d, x + d * lu->order[k], y);
        for (int a = lu->l_start[k]; a < lu->l_start[k + 1]; ++a) {
            subtract_times(d, lu->lower + dd * a, lu->y + d * lu->l_step[a], y);
        }
    }
    for (int k = lu->n - 1; k >= 0; --k) {
        double y[MOST] = {0.0}, z[MOST] = {0.0};
        carom_fc_copy(d, lu->y + d * k, y);
        for (int a = lu->u_start[k]; a < lu->u_start[k + 1]; ++a) {
            subtract_times(d, lu->upper + dd * a, x + d * lu->u_column[a], y);
        }
        subtract_times(d, lu->pivot + dd * k, y, z);
        for (int i = 0; i < d; ++i) {
            x[d * lu->order[k] + i] = -z[i];
        }
    }
}
