#include "parcels.h"

PetscErrorCode CaromParcelsSend(MPI_Comm comm, PetscInt first, PetscInt owned, PetscInt count, const CaromParcel *mine,
                                PetscInt *got, CaromParcel **theirs)
{
    const PetscInt end = first + owned;
    PetscInt *ends;
    PetscMPIInt ranks, *send, *receive, *send_at, *receive_at, *to;
    CaromParcel *out;
    MPI_Datatype parcel;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCall(PetscCalloc5(ranks, &ends, ranks, &send, ranks, &receive, ranks + 1, &send_at, ranks + 1, &receive_at));
    PetscCall(PetscMalloc2(count, &to, count, &out));
    PetscCallMPI(MPI_Allgather(&end, 1, MPIU_INT, ends, 1, MPIU_INT, comm));
    for (PetscInt i = 0; i < count; i++) {
        PetscMPIInt low = 0, high = ranks - 1; /* the first rank whose rows end behind this one */
        while (low < high) {
            const PetscMPIInt middle = (low + high) / 2;
            if (ends[middle] > mine[i].row) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        to[i] = low;
        send[low]++;
    }
    PetscCallMPI(MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, comm));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        send_at[r + 1] = send_at[r] + send[r];
        receive_at[r + 1] = receive_at[r] + receive[r];
        ends[r] = send_at[r]; /* from here on: where the next one goes */
    }
    for (PetscInt i = 0; i < count; i++) {
        out[ends[to[i]]++] = mine[i];
    }
    *got = receive_at[ranks];
    PetscCall(PetscMalloc1(*got, theirs));
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)sizeof(CaromParcel), MPI_BYTE, &parcel));
    PetscCallMPI(MPI_Type_commit(&parcel));
    PetscCallMPI(MPI_Alltoallv(out, send, send_at, parcel, *theirs, receive, receive_at, parcel, comm));
    PetscCallMPI(MPI_Type_free(&parcel));
    PetscCall(PetscFree2(to, out));
    PetscCall(PetscFree5(ends, send, receive, send_at, receive_at));
    PetscFunctionReturn(0);
}
