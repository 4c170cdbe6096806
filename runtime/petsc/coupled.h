/* Contact problems of pairs under a lumped mass: slaves know each other through the masters that they share,
 *
 *     w_i = w_i(r) with  dw_i/dr_j = R_i (delta_ij / m_i + sum_k N_ik N_jk / m_k) R_j^T,
 *     0 <= r_N _|_ w_N - lo >= 0 and Coulomb.
 *
 * Solved by Gauss-Seidel over the contacts, from whose few neighbours and own mass it converges fast; every rank solves
 * the whole, which is small, and so all have the same. */
#ifndef CAROM_PETSC_COUPLED_H
#define CAROM_PETSC_COUPLED_H

#include "ties.h"

typedef struct {
    MPI_Comm comm;
    PetscInt d, all;
    PetscInt here, first; /* ties of this rank, the number of the first */
    PetscInt *row, *col;  /* [all + 1] neighbours of a tie, itself among them */
    PetscReal *couple;    /* [row[all] d] the bracket above, by component */
    PetscMPIInt *counts, *starts;
} CaromCoupled;

/* One contact, of numbers only: they travel as they are. */
typedef struct {
    PetscReal on;         /* 0: not in this problem */
    PetscReal frame[9];   /* R by rows */
    PetscReal w[3], r[3]; /* in the frame; in: w belongs to r. Out: the solution */
    PetscReal lo, mu;
    PetscReal sliding, slide[2]; /* not 0: friction is against this direction, whatever w is */
} CaromCoupledContact;

PetscErrorCode CaromCoupledCreate(const CaromTies *ties, Vec inverse_mass, CaromCoupled *coupled);
PetscErrorCode CaromCoupledDestroy(CaromCoupled *coupled);

/* contact [here]; *change: that of the last sweep relative to the largest force, below 1e-14 when it converged. */
PetscErrorCode CaromCoupledSolve(const CaromCoupled *coupled, CaromCoupledContact *contact, PetscReal *change);

/* One contact with the others held: its new r under its own block W [d x d]. */
void CaromCoupledOne(PetscInt d, const PetscReal *W, const CaromCoupledContact *contact, PetscReal *r);

#endif
