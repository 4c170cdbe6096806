/* Contacts of pairs that share masters, under a lumped mass. */
#include "coupled.h"

#include "carom/friction.h"

enum { MASTERS = 4, SWEEPS = 5000 };
static const PetscReal enough = 1e-14;

/* What the others must know of a tie. */
typedef struct {
    PetscReal masters, number[MASTERS], weight[MASTERS];
    PetscReal inverse[MASTERS][3]; /* masses of the masters in the components that the slave may move in */
    PetscReal own[3];              /* and of the slave */
} Record;

static PetscErrorCode gather(const CaromTies *ties, Vec inverse_mass, CaromCoupled *coupled, Record **all)
{
    const PetscInt d = ties->d, entries = ties->first[ties->n];
    const PetscMPIInt width = (PetscMPIInt)(sizeof(Record) / sizeof(PetscReal));
    const MPI_Comm comm = PetscObjectComm((PetscObject)ties->C);
    const PetscReal *own, *others;
    Record *mine;
    Vec masters;
    VecScatter scatter;
    IS from;
    PetscMPIInt count = (PetscMPIInt)ties->n * width, ranks, rank;
    PetscFunctionBegin;
    PetscCall(ISCreateBlock(comm, d, entries, ties->master, PETSC_COPY_VALUES, &from));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, entries * d, &masters));
    PetscCall(VecScatterCreate(inverse_mass, from, masters, NULL, &scatter));
    PetscCall(VecScatterBegin(scatter, inverse_mass, masters, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, inverse_mass, masters, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(PetscCalloc1(ties->n, &mine));
    PetscCall(VecGetArrayRead(inverse_mass, &own));
    PetscCall(VecGetArrayRead(masters, &others));
    for (PetscInt t = 0; t < ties->n; t++) {
        mine[t].masters = (PetscReal)(ties->first[t + 1] - ties->first[t]);
        for (PetscInt c = 0; c < d; c++) {
            mine[t].own[c] = own[ties->node[t] * d + c];
        }
        for (PetscInt e = ties->first[t], a = 0; e < ties->first[t + 1]; e++, a++) {
            mine[t].number[a] = (PetscReal)ties->master[e];
            mine[t].weight[a] = ties->weight[e];
            for (PetscInt c = 0; c < d; c++) {
                mine[t].inverse[a][c] = others[e * d + c];
            }
        }
    }
    PetscCall(VecRestoreArrayRead(masters, &others));
    PetscCall(VecRestoreArrayRead(inverse_mass, &own));
    PetscCall(VecScatterDestroy(&scatter));
    PetscCall(VecDestroy(&masters));
    PetscCall(ISDestroy(&from));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCall(PetscMalloc2(ranks, &coupled->counts, ranks + 1, &coupled->starts));
    PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, coupled->counts, 1, MPI_INT, comm));
    coupled->starts[0] = 0;
    for (PetscMPIInt r = 0; r < ranks; r++) {
        coupled->starts[r + 1] = coupled->starts[r] + coupled->counts[r];
    }
    coupled->all = coupled->starts[ranks] / width;
    coupled->first = coupled->starts[rank] / width;
    PetscCall(PetscMalloc1(coupled->all, all));
    PetscCallMPI(MPI_Allgatherv(mine, count, MPIU_REAL, *all, coupled->counts, coupled->starts, MPIU_REAL, comm));
    for (PetscMPIInt r = 0; r < ranks; r++) { /* from here on in contacts */
        coupled->counts[r] /= width;
        coupled->starts[r] /= width;
    }
    PetscCall(PetscFree(mine));
    PetscFunctionReturn(0);
}

/* sum_k N_ik N_jk / m_k, and 1 / m_i when i = j; nothing where i or j is held. */
static void couple_ties(PetscInt d, const Record *i, const Record *j, PetscReal *out)
{
    for (PetscInt c = 0; c < d; c++) {
        const PetscBool free = (PetscBool)(i->own[c] > 0 && j->own[c] > 0);
        out[c] = i == j ? i->own[c] : 0;
        for (PetscInt a = 0; a < (PetscInt)i->masters && free; a++) {
            for (PetscInt b = 0; b < (PetscInt)j->masters; b++) {
                out[c] += i->number[a] == j->number[b] ? i->weight[a] * j->weight[b] * i->inverse[a][c] : 0;
            }
        }
    }
}

PetscErrorCode CaromCoupledCreate(const CaromTies *ties, Vec inverse_mass, CaromCoupled *coupled)
{
    PetscInt *master, *tie, *seen, entries = 0, room = 0, n = 0;
    Record *all;
    PetscFunctionBegin;
    *coupled = (CaromCoupled){.d = ties->d, .here = ties->n, .comm = PetscObjectComm((PetscObject)ties->C)};
    PetscCall(gather(ties, inverse_mass, coupled, &all));
    PetscCall(PetscMalloc3((MASTERS * coupled->all), &master, (MASTERS * coupled->all), &tie, coupled->all, &seen));
    for (PetscInt t = 0; t < coupled->all; t++) {
        seen[t] = -1;
        for (PetscInt a = 0; a < (PetscInt)all[t].masters; a++) {
            master[entries] = (PetscInt)all[t].number[a];
            tie[entries++] = t;
        }
    }
    PetscCall(PetscSortIntWithArray(entries, master, tie));
    PetscCall(PetscMalloc1((coupled->all + 1), &coupled->row));
    for (PetscInt t = 0; t < coupled->all; t++) {
        coupled->row[t] = n;
        for (PetscInt a = 0; a < (PetscInt)all[t].masters; a++) {
            PetscInt at;
            PetscCall(PetscFindInt((PetscInt)all[t].number[a], entries, master, &at));
            while (at > 0 && master[at - 1] == master[at]) {
                at--;
            }
            for (PetscInt e = at; e < entries && master[e] == master[at]; e++) {
                if (seen[tie[e]] == t) {
                    continue;
                }
                seen[tie[e]] = t;
                if (n == room) {
                    room = 2 * room + 64;
                    PetscCall(PetscRealloc((size_t)room * sizeof(*coupled->col), &coupled->col));
                    PetscCall(PetscRealloc((size_t)(room * coupled->d) * sizeof(*coupled->couple), &coupled->couple));
                }
                coupled->col[n] = tie[e];
                couple_ties(coupled->d, &all[t], &all[tie[e]], coupled->couple + n * coupled->d);
                n++;
            }
        }
    }
    coupled->row[coupled->all] = n;
    PetscCall(PetscFree3(master, tie, seen));
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}

PetscErrorCode CaromCoupledDestroy(CaromCoupled *coupled)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(coupled->row));
    PetscCall(PetscFree(coupled->col));
    PetscCall(PetscFree(coupled->couple));
    PetscCall(PetscFree2(coupled->counts, coupled->starts));
    PetscFunctionReturn(0);
}

void CaromCoupledOne(PetscInt d, const PetscReal *W, const CaromCoupledContact *contact, PetscReal *r)
{
    const PetscInt dim = d < 2 ? 2 : d;
    double V[9] = {0}, b[3] = {0, 0, 0}, force[3] = {0, 0, 0};
    for (PetscInt i = 0; i < d; i++) {
        b[i] = contact->w[i] - (i == 0 ? contact->lo : 0);
        for (PetscInt j = 0; j < d; j++) {
            b[i] -= W[i * d + j] * contact->r[j];
            V[i * dim + j] = W[i * d + j];
        }
    }
    if (contact->sliding > 0) {
        PetscReal along = 0;
        for (PetscInt i = 1; i < d; i++) {
            along += W[i] * contact->slide[i - 1];
        }
        force[0] = PetscMax(0, -b[0] / (W[0] - contact->mu * along));
        for (PetscInt i = 1; i < d; i++) {
            force[i] = -contact->mu * force[0] * contact->slide[i - 1];
        }
    } else {
        for (PetscInt i = 1; i < dim; i++) { /* a held tangent is alone, at rest */
            if (V[i * dim + i] == 0) {
                V[i * dim + i] = 1;
                b[i] = 0;
            }
        }
        (void)(dim == 2 ? carom_friction_local2(V, b, d == 1 ? 0 : contact->mu, force)
                        : carom_friction_local3(V, b, contact->mu, force));
    }
    for (PetscInt i = 0; i < d; i++) {
        r[i] = force[i];
    }
}

/* Vectors between components and frames, in place. */
static void turn(PetscInt d, const PetscReal *R, PetscBool back, PetscReal *x)
{
    PetscReal y[3] = {0, 0, 0};
    for (PetscInt i = 0; i < d * d; i++) {
        y[back ? i % d : i / d] += R[i] * x[back ? i / d : i % d];
    }
    for (PetscInt i = 0; i < d; i++) {
        x[i] = y[i];
    }
}

/* The velocities w of all contacts are in plain components here, where couplings are diagonal. */
static void relax(const CaromCoupled *coupled, CaromCoupledContact *contact, PetscInt t, PetscReal *largest,
                  PetscReal *change)
{
    const PetscInt d = coupled->d;
    CaromCoupledContact at = contact[t];
    PetscReal W[9] = {0}, r[3], step[3] = {0, 0, 0}, moved = 0;
    for (PetscInt e = coupled->row[t]; e < coupled->row[t + 1]; e++) {
        for (PetscInt i = 0; i < d * d * d && coupled->col[e] == t; i++) {
            W[i / d] +=
                at.frame[i / (d * d) * d + i % d] * coupled->couple[e * d + i % d] * at.frame[i / d % d * d + i % d];
        }
    }
    turn(d, at.frame, PETSC_FALSE, at.w);
    CaromCoupledOne(d, W, &at, r);
    for (PetscInt i = 0; i < d; i++) {
        step[i] = r[i] - at.r[i];
        contact[t].r[i] = r[i];
        moved = PetscMax(moved, PetscAbsReal(step[i]));
        *largest = PetscMax(*largest, PetscAbsReal(r[i]));
    }
    *change = PetscMax(*change, moved);
    turn(d, at.frame, PETSC_TRUE, step);
    for (PetscInt e = coupled->row[t]; e < coupled->row[t + 1] && moved > 0; e++) {
        PetscReal *w = contact[coupled->col[e]].w;
        for (PetscInt i = 0; i < d; i++) {
            w[i] += coupled->couple[e * d + i] * step[i];
        }
    }
}

PetscErrorCode CaromCoupledSolve(const CaromCoupled *coupled, CaromCoupledContact *contact, PetscReal *change)
{
    PetscMPIInt width = (PetscMPIInt)(sizeof *contact / sizeof(PetscReal));
    CaromCoupledContact *all;
    MPI_Datatype type;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(coupled->all, &all));
    PetscCallMPI(MPI_Type_contiguous(width, MPIU_REAL, &type));
    PetscCallMPI(MPI_Type_commit(&type));
    PetscCallMPI(MPI_Allgatherv(contact, (PetscMPIInt)coupled->here, type, all, coupled->counts, coupled->starts, type,
                                coupled->comm));
    PetscCallMPI(MPI_Type_free(&type));
    *change = 0;
    for (PetscInt t = 0; t < coupled->all; t++) {
        turn(coupled->d, all[t].frame, PETSC_TRUE, all[t].w);
    }
    for (PetscInt sweep = 0; sweep < SWEEPS; sweep++) {
        PetscReal largest = 0;
        *change = 0;
        for (PetscInt t = 0; t < coupled->all; t++) {
            if (all[t].on > 0) {
                relax(coupled, all, t, &largest, change);
            }
        }
        *change = largest > 0 ? *change / largest : 0;
        if (*change <= enough) {
            break;
        }
    }
    PetscCall(PetscArraycpy(contact, all + coupled->first, coupled->here));
    for (PetscInt t = 0; t < coupled->here; t++) {
        turn(coupled->d, contact[t].frame, PETSC_FALSE, contact[t].w);
    }
    PetscCall(PetscFree(all));
    PetscFunctionReturn(0);
}
