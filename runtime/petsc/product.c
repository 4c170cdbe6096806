/* Eight alike cells at a time. Their values are gathered side by side, so that every operation is one on eight numbers.
 *
 * A box of isotropic material is its own mirror image in d planes. In the basis of sums and differences over mirrored
 * corners (a Walsh transform, d 2^(d-1) additions per component) its stiffness falls apart into 2^d blocks of d x d, so
 * a product with a hexahedron takes 288 operations instead of 1152. Whether a matrix has this form is seen from its
 * numbers. */
#include "product.h"

enum { LANES = CAROM_LANES, MOST = 3 * CAROM_CELL_NODES };

/* Eight numbers side by side; the compiler knows what to do with them on every machine. */
typedef PetscReal Lanes __attribute__((vector_size(LANES * sizeof(PetscReal))));

struct _p_CaromProduct {
    int d, nodes;
    PetscBool mirrored;
    PetscReal K[MOST * MOST];
    PetscReal m[CAROM_CELL_NODES * CAROM_CELL_NODES];
    PetscReal block[CAROM_CELL_NODES][3][3]; /* of the mirrored form, with the 1/2^d of the transform */
};

/* Corner of the box of each node in VTK order, one bit per axis. */
static const int corner_bits[CAROM_CELL_NODES] = {0, 1, 3, 2, 4, 5, 7, 6};

static int odd(int bits) { return (bits ^ bits >> 1 ^ bits >> 2) & 1; }

/* Finds the blocks: entry of (sum s, component c) with (s', c') where s ^ axis c = s' ^ axis c' = the block's
 * number. */
static PetscBool find_blocks(CaromProduct product)
{
    const int d = product->d, nodes = product->nodes, n = nodes * d;
    PetscReal largest = 0, outside = 0;
    if (nodes != 1 << d) {
        return PETSC_FALSE;
    }
    for (int s = 0; s < nodes; s++) {
        for (int c = 0; c < d; c++) {
            for (int s1 = 0; s1 < nodes; s1++) {
                for (int c1 = 0; c1 < d; c1++) {
                    PetscReal sum = 0;
                    for (int a = 0; a < nodes; a++) {
                        for (int b = 0; b < nodes; b++) {
                            const int sign = odd(s & corner_bits[a]) ^ odd(s1 & corner_bits[b]);
                            const PetscReal k = product->K[(a * d + c) * n + b * d + c1];
                            sum += sign ? -k : k;
                        }
                    }
                    if ((s ^ 1 << c) == (s1 ^ 1 << c1)) {
                        product->block[s ^ 1 << c][c][c1] = sum / (PetscReal)(nodes * nodes);
                        largest = PetscMax(largest, PetscAbsReal(sum));
                    } else {
                        outside = PetscMax(outside, PetscAbsReal(sum));
                    }
                }
            }
        }
    }
    return (PetscBool)(outside <= 1e-12 * largest);
}

PetscErrorCode CaromProductCreate(const CaromSpace *space, PetscInt body, const PetscReal *X, CaromProduct *product)
{
    const PetscReal rest[MOST] = {0};
    PetscFunctionBeginUser;
    PetscCall(PetscNew(product));
    (*product)->d = (int)space->d;
    (*product)->nodes = carom_shape_of((int)space->model->body[body].cell)->nodes;
    PetscCheck(space->model->body[body].tangent(space->p, X, rest, (*product)->K) == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "a checked cell is inverted");
    CaromSpaceMass(space, body, X, (*product)->m);
    (*product)->mirrored = find_blocks(*product);
    PetscFunctionReturn(0);
}

PetscErrorCode CaromProductDestroy(CaromProduct *product)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree(*product));
    PetscFunctionReturn(0);
}

const PetscReal *CaromProductK(CaromProduct product) { return product->K; }

const PetscReal *CaromProductM(CaromProduct product) { return product->m; }

PetscBool CaromProductShort(CaromProduct product) { return product->mirrored; }

/* Whether the cells of a batch stand in a row whose nodes are numbered one after the other, as in a grid: then values
 * are read and written in runs. */
static inline PetscBool in_a_row(int nodes, const PetscInt *cell)
{
    PetscInt off = 0;
    for (int l = 1; l < LANES; l++) {
        for (int n = 0; n < nodes; n++) {
            off |= cell[l * nodes + n] - cell[n] - l;
        }
    }
    return (PetscBool)(off == 0);
}

/* Values of the cells of a batch, node order[n] of a cell at place n; and back. */
static inline void gather(int d, int nodes, const int *place, int lanes, PetscBool row, const PetscInt *cell,
                          const PetscReal *x, Lanes *in)
{
    for (int n = 0; n < nodes && row; n++) {
        const PetscReal *from = x + cell[n] * d;
        for (int c = 0; c < d; c++) {
            for (int l = 0; l < LANES; l++) {
                in[place[n] * d + c][l] = from[l * d + c];
            }
        }
    }
    for (int l = 0; l < lanes && !row; l++) {
        for (int n = 0; n < nodes; n++) {
            for (int c = 0; c < d; c++) {
                in[place[n] * d + c][l] = x[cell[l * nodes + n] * d + c];
            }
        }
    }
}

static inline void scatter(int d, int nodes, const int *place, int lanes, PetscBool row, const PetscInt *cell,
                           const Lanes *out, PetscReal *y)
{
    for (int n = 0; n < nodes && row; n++) {
        PetscReal *to = y + cell[n] * d;
        for (int l = 0; l < LANES; l++) {
            for (int c = 0; c < d; c++) {
                to[l * d + c] += out[place[n] * d + c][l];
            }
        }
    }
    for (int l = 0; l < lanes && !row; l++) {
        for (int n = 0; n < nodes; n++) {
            for (int c = 0; c < d; c++) {
                y[cell[l * nodes + n] * d + c] += out[place[n] * d + c][l];
            }
        }
    }
}

/* Sums and differences over the corners, in place, nodes in the order of their bits. */
static inline void walsh(int d, int nodes, Lanes *x)
{
    for (int bit = 1; bit < nodes; bit *= 2) {
        for (int n = 0; n < nodes; n++) {
            for (int c = 0; c < d && (n & bit) == 0; c++) {
                const Lanes a = x[n * d + c], b = x[(n | bit) * d + c];
                x[n * d + c] = a + b;
                x[(n | bit) * d + c] = a - b;
            }
        }
    }
}

static inline void mirrored_cells(const struct _p_CaromProduct *product, int d, int nodes, PetscInt cells,
                                  const PetscInt *cell, const PetscReal *x, PetscReal *y)
{
    Lanes in[MOST] = {{0}}, out[MOST];
    for (PetscInt first = 0; first < cells; first += LANES) {
        const int lanes = (int)PetscMin(cells - first, LANES);
        const PetscInt *batch = cell + first * nodes;
        const PetscBool row = (PetscBool)(lanes == LANES && in_a_row(nodes, batch));
        gather(d, nodes, corner_bits, lanes, row, batch, x, in);
        walsh(d, nodes, in);
        for (int k = 0; k < nodes; k++) {
            for (int c = 0; c < d; c++) {
                Lanes sum = product->block[k][c][0] * in[(k ^ 1) * d];
                for (int c1 = 1; c1 < d; c1++) {
                    sum += product->block[k][c][c1] * in[(k ^ 1 << c1) * d + c1];
                }
                out[(k ^ 1 << c) * d + c] = sum;
            }
        }
        walsh(d, nodes, out);
        scatter(d, nodes, corner_bits, lanes, row, batch, out, y);
    }
}

static const int in_order[CAROM_CELL_NODES] = {0, 1, 2, 3, 4, 5, 6, 7};

/* y += factor A x with any matrix of the cells: all components (width d), or the same for each (width 1). */
static inline void dense_cells(const PetscReal *A, PetscReal factor, int width, int d, int nodes, PetscInt cells,
                               const PetscInt *cell, const PetscReal *x, PetscReal *y)
{
    const int n = nodes * width, apart = d / width; /* entries of a row of A stand `apart` values from each other */
    Lanes in[MOST] = {{0}}, out[MOST];
    for (PetscInt first = 0; first < cells; first += LANES) {
        const int lanes = (int)PetscMin(cells - first, LANES);
        const PetscInt *batch = cell + first * nodes;
        const PetscBool row = (PetscBool)(lanes == LANES && in_a_row(nodes, batch));
        gather(d, nodes, in_order, lanes, row, batch, x, in);
        for (int c = 0; c < apart; c++) {
            for (int i = 0; i < n; i++) {
                Lanes sum = {0};
                for (int j = 0; j < n; j++) {
                    sum += A[i * n + j] * in[j * apart + c];
                }
                out[i * apart + c] = factor * sum;
            }
        }
        scatter(d, nodes, in_order, lanes, row, batch, out, y);
    }
}

void CaromProductStiffness(CaromProduct product, PetscInt cells, const PetscInt *cell, const PetscReal *x, PetscReal *y)
{
    /* known sizes let the compiler unroll */
    if (product->mirrored && product->d == 3) {
        mirrored_cells(product, 3, 8, cells, cell, x, y);
    } else if (product->mirrored && product->d == 2) {
        mirrored_cells(product, 2, 4, cells, cell, x, y);
    } else if (product->d == 3 && product->nodes == 8) {
        dense_cells(product->K, 1, 3, 3, 8, cells, cell, x, y);
    } else {
        dense_cells(product->K, 1, product->d, product->d, product->nodes, cells, cell, x, y);
    }
}

void CaromProductMass(CaromProduct product, PetscReal factor, PetscInt cells, const PetscInt *cell, const PetscReal *x,
                      PetscReal *y)
{
    dense_cells(product->m, factor, 1, product->d, product->nodes, cells, cell, x, y);
}
