/* One cursor runs through the bytes (cursor.h); the two formats differ in the order of what it takes. Every count is
 * held against the bytes that are left before room is made for it. */
#include "gmsh.h"

#include "cursor.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const carom_gmsh_kind kinds[] = {
    {15, 0, 1, NULL}, {1, 1, 2, "bar2"}, {2, 2, 3, "tri3"}, {3, 2, 4, "quad4"}, {4, 3, 4, "tet4"}, {5, 3, 8, "hex8"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], CELL_NODES = 8, FACE_NODES = 4 };

const carom_gmsh_kind *carom_gmsh_cell(const char *name)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].name != NULL && strcmp(kinds[k].name, name) == 0) {
            return &kinds[k];
        }
    }
    return NULL;
}

/* ---- arrays that grow -------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t *data;
    size_t count, room;
} List;

typedef struct {
    int64_t tag;
    int64_t at; /* of a node: its place in X; of a group: its number among the names */
} Entry;

typedef struct {
    int dimension;
    int64_t entity;
    size_t first, count; /* of its groups */
} Entity;

typedef struct {
    carom_cursor c;
    int version;                         /* 22, 41; 0: not known yet */
    const carom_gmsh_kind *kind, *other; /* of the cells; one that should be, NULL: none was met */
    Entry *group;                        /* named groups one dimension below the cells */
    int named;
    char (*name)[CAROM_GMSH_NAME]; /* the different ones */
    int names;
    Entity *entity; /* format 4.1 */
    size_t entities;
    List groups; /* of entities */
    Entry *node; /* number in the file -> place */
    double *X;
    size_t nodes;
    List cells, faces, face_names; /* by the file's numbers of nodes */
} Reader;

static void *room_for(Reader *r, void *old, size_t count, size_t size)
{
    void *data = count <= SIZE_MAX / size ? realloc(old, count > 0 ? count * size : size) : NULL;
    if (data == NULL) {
        free(old);
        carom_cursor_stop(&r->c, "it needs more memory than there is");
        r->c.failed = -2;
    }
    return data;
}

static void push(Reader *r, List *list, int64_t value)
{
    if (list->count == list->room) {
        list->room = list->room > 0 ? 2 * list->room : 1024;
        list->data = room_for(r, list->data, list->room, sizeof *list->data);
        if (list->data == NULL) {
            *list = (List){NULL, 0, 0};
            return;
        }
    }
    list->data[list->count++] = value;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void read_format(Reader *r)
{
    char text[64];
    carom_cursor_word(&r->c, text);
    r->c.at += strlen(text);
    const int version = strcmp(text, "2.2") == 0 ? 22 : strcmp(text, "4.1") == 0 ? 41 : 0;
    if (version == 0) {
        carom_cursor_stop(&r->c, "has the format %.20s; save it as 2.2 or 4.1 (gmsh -format msh22 or msh41)",
                          text[0] != '\0' ? text : "of no mesh");
    }
    const int64_t kind = carom_cursor_text(&r->c, "0 for text or 1 for binary");
    const int64_t size = carom_cursor_line(&r->c, "8, the size of its numbers");
    if ((kind != 0 && kind != 1) || size != 8) {
        carom_cursor_expect(&r->c, "0 for text or 1 for binary, and 8, the size of its numbers");
    }
    if (r->c.failed == 0 && kind == 1) {
        int32_t one;
        r->c.binary = 1;
        carom_cursor_raw(&r->c, &one, sizeof one, "the number 1");
        r->c.swapped = one == 0x01000000;
        if (one != 1 && !r->c.swapped) {
            r->c.at -= sizeof one;
            carom_cursor_expect(&r->c, "the number 1");
        }
    }
    r->version = version;
    r->c.wide = version == 41;
}

/* A group of faces and its name, which may be that of an earlier one. */
static void put_name(Reader *r, int64_t tag, const char *text, size_t length)
{
    int same = 0;
    if (r->named % 64 == 0) {
        r->group = room_for(r, r->group, (size_t)r->named + 64, sizeof *r->group);
        r->name = room_for(r, r->name, (size_t)r->named + 64, sizeof *r->name);
    }
    if (length >= CAROM_GMSH_NAME) {
        carom_cursor_expect(&r->c, "a physical name of at most 127 letters");
    }
    while (r->c.failed == 0 && same < r->names &&
           (strncmp(r->name[same], text, length) != 0 || r->name[same][length] != '\0')) {
        same++;
    }
    if (r->c.failed == 0 && same == r->names) {
        memcpy(r->name[same], text, length);
        r->name[same][length] = '\0';
        r->names++;
    }
    if (r->c.failed == 0) {
        r->group[r->named++] = (Entry){tag, same};
    }
}

/* Always text. Only names of groups of faces are kept. */
static void read_names(Reader *r)
{
    const size_t n = carom_cursor_count(&r->c, carom_cursor_text(&r->c, "a count of physical names"), 5,
                                        "a count of physical names");
    for (size_t i = 0; i < n && r->c.failed == 0; i++) {
        const int64_t dimension = carom_cursor_text(&r->c, "a physical name: dimension, number, \"name\"");
        const int64_t tag = carom_cursor_text(&r->c, "a physical name: dimension, number, \"name\"");
        const char *line = memchr(r->c.at, '\n', (size_t)(r->c.end - r->c.at));
        line = line != NULL ? line : r->c.end;
        const char *open = memchr(r->c.at, '"', (size_t)(line - r->c.at));
        const char *shut = open != NULL ? memchr(open + 1, '"', (size_t)(line - open - 1)) : NULL;
        if (r->c.failed == 0 &&
            (shut == NULL || shut == open + 1 || memchr(open, '\0', (size_t)(shut - open)) != NULL)) {
            carom_cursor_expect(&r->c, "a physical name: dimension, number, \"name\"");
        }
        if (r->c.failed == 0 && dimension == r->kind->dimension - 1) {
            put_name(r, tag, open + 1, (size_t)(shut - open - 1));
        }
        r->c.at = line;
    }
}

/* The physical groups that entities of format 4.1 belong to. */
static void read_entities(Reader *r)
{
    size_t n[4];
    for (int dimension = 0; dimension < 4; dimension++) {
        n[dimension] =
            carom_cursor_count(&r->c, carom_cursor_long(&r->c, "counts of entities"), 8, "counts of entities");
    }
    for (int dimension = 0; dimension < 4; dimension++) {
        for (size_t i = 0; i < n[dimension] && r->c.failed == 0; i++) {
            Entity entity = {dimension, carom_cursor_int(&r->c, "an entity"), r->groups.count, 0};
            for (int k = dimension == 0 ? 3 : 6; k > 0; k--) {
                (void)carom_cursor_real(&r->c, "the box of an entity");
            }
            entity.count =
                carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of groups"), 1, "a count of groups");
            for (size_t k = 0; k < entity.count && r->c.failed == 0; k++) {
                const int64_t tag = carom_cursor_int(&r->c, "a group");
                push(r, &r->groups, tag < 0 ? -tag : tag);
            }
            const size_t bounds =
                dimension > 0
                    ? carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of bounds"), 1, "a count of bounds")
                    : 0;
            for (size_t k = 0; k < bounds && r->c.failed == 0; k++) {
                (void)carom_cursor_int(&r->c, "a bound");
            }
            if (r->c.failed == 0 && dimension == r->kind->dimension - 1) {
                if ((r->entities & (r->entities + 1)) == 0) { /* one less than a power of 2 */
                    r->entity = room_for(r, r->entity, 2 * r->entities + 1, sizeof *r->entity);
                }
                if (r->entity != NULL) {
                    r->entity[r->entities++] = entity;
                }
            }
        }
    }
}

static void put_node(Reader *r, int64_t tag)
{
    for (int c = 0; c < 3; c++) {
        r->X[3 * r->nodes + (size_t)c] = carom_cursor_real(&r->c, "the place of a node");
    }
    r->node[r->nodes] = (Entry){tag, (int64_t)r->nodes};
    r->nodes++;
}

static void nodes_room(Reader *r, size_t more)
{
    if (r->c.failed == 0) {
        r->X = room_for(r, r->X, r->nodes + more, 3 * sizeof *r->X);
        r->node = room_for(r, r->node, r->nodes + more, sizeof *r->node);
    }
}

static void read_nodes(Reader *r)
{
    size_t n, blocks, all;
    if (r->nodes > 0) {
        carom_cursor_stop(&r->c, "has two sections $Nodes");
    }
    if (r->version == 22) {
        n = carom_cursor_count(&r->c, carom_cursor_line(&r->c, "a count of nodes"), r->c.binary ? 28 : 7,
                               "a count of nodes");
        nodes_room(r, n);
        for (size_t i = 0; i < n && r->c.failed == 0; i++) {
            const int64_t tag = carom_cursor_int(&r->c, "the number of a node");
            put_node(r, tag);
        }
        return;
    }
    blocks = carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of blocks"), 8, "a count of blocks");
    all = carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of nodes"), r->c.binary ? 32 : 7,
                             "a count of nodes");
    (void)carom_cursor_long(&r->c, "the smallest number of a node");
    (void)carom_cursor_long(&r->c, "the largest number of a node");
    nodes_room(r, all);
    for (size_t b = 0; b < blocks && r->c.failed == 0; b++) {
        const int64_t dimension = carom_cursor_int(&r->c, "a block of nodes");
        (void)carom_cursor_int(&r->c, "a block of nodes");
        const int64_t parametric = carom_cursor_int(&r->c, "a block of nodes");
        n = carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of nodes"), r->c.binary ? 32 : 7,
                               "a count of nodes");
        if (r->c.failed == 0 && (n > all - r->nodes || dimension < 0 || dimension > 3)) {
            carom_cursor_expect(&r->c, "a block of nodes that are in the count of all");
        }
        const size_t first = r->nodes;
        for (size_t i = 0; i < n && r->c.failed == 0; i++) {
            r->node[first + i].tag = carom_cursor_long(&r->c, "the number of a node");
        }
        for (size_t i = 0; i < n && r->c.failed == 0; i++) {
            put_node(r, r->node[first + i].tag);
            for (int64_t k = parametric != 0 ? dimension : 0; k > 0; k--) {
                (void)carom_cursor_real(&r->c, "the parameters of a node");
            }
        }
    }
}

static const carom_gmsh_kind *known(Reader *r, int64_t number)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].number == number) {
            const carom_gmsh_kind *kind = &kinds[k];
            if (kind->dimension > r->kind->dimension || (kind->dimension == r->kind->dimension && kind != r->kind)) {
                carom_cursor_stop(&r->c, "has a cell of kind %s, not %s", kind->name, r->kind->name);
                r->other = kind;
                return NULL;
            }
            return kind;
        }
    }
    if (number >= 8) {
        carom_cursor_stop(&r->c,
                          "has elements of second order (gmsh's kind %lld), and cells are of first order; write "
                          "Mesh.ElementOrder = 1 in the .geo file, or "
                          "gmsh -order 1, and mesh it anew",
                          (long long)number);
    } else {
        carom_cursor_stop(&r->c,
                          "has an element of gmsh's kind %lld, which carom has not; use lines, triangles, "
                          "quadrilaterals, tetrahedra, hexahedra",
                          (long long)number);
    }
    return NULL;
}

/* One element of `groups` physical groups: a cell, a face, or nothing that is wanted. */
static void put_element(Reader *r, const carom_gmsh_kind *kind, const int64_t *group, size_t groups)
{
    int64_t node[CELL_NODES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int k = 0; k < kind->nodes; k++) {
        node[k] = carom_cursor_long(&r->c, "an element");
        if (node[k] < 0) {
            carom_cursor_expect(&r->c, "an element of nodes with numbers from 1 on");
        }
    }
    if (kind == r->kind) {
        for (int k = 0; k < kind->nodes; k++) {
            push(r, &r->cells, node[k]);
        }
    } else if (kind->dimension == r->kind->dimension - 1) {
        for (size_t g = 0; g < groups; g++) {
            for (int i = 0; i < r->named; i++) {
                if (r->group[i].tag == group[g]) {
                    for (int k = 0; k < FACE_NODES; k++) {
                        push(r, &r->faces, k < kind->nodes ? node[k] : -1);
                    }
                    push(r, &r->face_names, r->group[i].at);
                }
            }
        }
    }
}

/* Text: every element for itself; binary: blocks of alike ones, whose head stands before them. */
static void read_elements_22(Reader *r)
{
    size_t left = carom_cursor_count(&r->c, carom_cursor_line(&r->c, "a count of elements"), r->c.binary ? 8 : 6,
                                     "a count of elements");
    while (left > 0 && r->c.failed == 0) {
        const carom_gmsh_kind *kind;
        size_t alike = 1, tags;
        int64_t number;
        if (!r->c.binary) {
            (void)carom_cursor_int(&r->c, "an element");
        }
        number = carom_cursor_int(&r->c, "an element");
        kind = r->c.failed == 0 ? known(r, number) : NULL;
        if (r->c.binary) {
            alike = carom_cursor_count(&r->c, carom_cursor_int(&r->c, "a count of elements"), 8, "a count of elements");
        }
        tags = carom_cursor_count(&r->c, carom_cursor_int(&r->c, "a count of tags"), 1, "a count of tags");
        if (r->c.failed == 0 && (alike == 0 || alike > left)) {
            carom_cursor_expect(&r->c, "a block of elements that are in the count of all");
        }
        for (size_t i = 0; i < alike && kind != NULL && r->c.failed == 0; i++) {
            int64_t group = 0;
            if (r->c.binary) {
                (void)carom_cursor_int(&r->c, "an element");
            }
            for (size_t k = 0; k < tags && r->c.failed == 0; k++) {
                const int64_t tag = carom_cursor_int(&r->c, "a tag");
                group = k == 0 ? tag : group;
            }
            put_element(r, kind, &group, tags > 0 ? 1 : 0);
        }
        left -= r->c.failed == 0 ? alike : 0;
    }
}

static void read_elements_41(Reader *r)
{
    const size_t blocks =
        carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of blocks"), 8, "a count of blocks");
    for (int k = 0; k < 3; k++) {
        (void)carom_cursor_long(&r->c, "a count of elements");
    }
    for (size_t b = 0; b < blocks && r->c.failed == 0; b++) {
        const int64_t dimension = carom_cursor_int(&r->c, "a block of elements"),
                      tag = carom_cursor_int(&r->c, "a block of elements"),
                      number = carom_cursor_int(&r->c, "a block of elements");
        const carom_gmsh_kind *kind = r->c.failed == 0 ? known(r, number) : NULL;
        const size_t n =
            carom_cursor_count(&r->c, carom_cursor_long(&r->c, "a count of elements"), 4, "a count of elements");
        const int64_t *group = NULL;
        size_t groups = 0;
        for (size_t e = 0; e < r->entities && groups == 0; e++) {
            if (r->entity[e].count > 0 && r->entity[e].dimension == dimension && r->entity[e].entity == tag) {
                groups = r->entity[e].count;
                group = r->groups.data + r->entity[e].first;
            }
        }
        for (size_t i = 0; i < n && kind != NULL && r->c.failed == 0; i++) {
            (void)carom_cursor_long(&r->c, "an element");
            put_element(r, kind, group, groups);
        }
    }
}

static void read_sections(Reader *r)
{
    char name[64], end[80];
    while (r->c.failed == 0) {
        carom_cursor_word(&r->c, name);
        if (name[0] == '\0' && r->c.at == r->c.end) {
            break;
        }
        if (name[0] != '$' || (r->version == 0 && strcmp(name, "$MeshFormat") != 0)) {
            if (r->version == 0) {
                carom_cursor_stop(&r->c, "is no mesh of gmsh: it should begin with $MeshFormat");
            }
            carom_cursor_expect(&r->c, "the name of a section, as $Nodes");
            break;
        }
        r->c.at += strlen(name);
        if (strcmp(name, "$MeshFormat") == 0) {
            if (r->version != 0) {
                carom_cursor_stop(&r->c, "has two sections $MeshFormat");
            }
            read_format(r);
        } else if (strcmp(name, "$PhysicalNames") == 0) {
            read_names(r);
        } else if (strcmp(name, "$PartitionedEntities") == 0) {
            carom_cursor_stop(&r->c, "is cut into parts; save it whole, parts are made when it is run");
        } else if (strcmp(name, "$Entities") == 0 || strcmp(name, "$Nodes") == 0 || strcmp(name, "$Elements") == 0) {
            /* of binary data not even a blank may be jumped over but the end of the line */
            while (r->c.at < r->c.end && *r->c.at == '\r') {
                r->c.at++;
            }
            r->c.at += r->c.at < r->c.end && *r->c.at == '\n';
            if (strcmp(name, "$Entities") == 0) {
                read_entities(r);
            } else if (strcmp(name, "$Nodes") == 0) {
                read_nodes(r);
            } else if (r->version == 22) {
                read_elements_22(r);
            } else {
                read_elements_41(r);
            }
        }
        (void)snprintf(end, sizeof end, "$End%s", name + 1);
        if (r->c.failed == 0) {
            carom_cursor_skip(&r->c, end);
            r->c.at += strlen(end) - 1;
        }
    }
    if (r->version == 0) {
        carom_cursor_stop(&r->c, "is no mesh of gmsh: it should begin with $MeshFormat");
    }
}

/* ---- from the file's numbers to ours ----------------------------------------------------------------------------- */

static int by_tag(const void *a, const void *b)
{
    const int64_t x = ((const Entry *)a)->tag, y = ((const Entry *)b)->tag;
    return x < y ? -1 : x > y;
}

static const Entry *find(const Reader *r, int64_t tag)
{
    const Entry wanted = {tag, 0};
    if (r->nodes > 0 && tag >= r->node[0].tag && (uint64_t)tag - (uint64_t)r->node[0].tag < r->nodes) {
        const Entry *guess = &r->node[(uint64_t)tag - (uint64_t)r->node[0].tag]; /* numbers without holes, as mostly */
        if (guess->tag == tag) {
            return guess;
        }
    }
    return r->nodes > 0 ? bsearch(&wanted, r->node, r->nodes, sizeof *r->node, by_tag) : NULL;
}

/* Cells number the nodes as they come; faces with a node of no cell go. */
static void number(Reader *r, carom_gmsh *mesh)
{
    const size_t per_cell = (size_t)r->kind->nodes;
    int64_t *ours = NULL, used = 0;
    double *X = NULL;
    size_t kept = 0;
    if (r->nodes > 0) {
        qsort(r->node, r->nodes, sizeof *r->node, by_tag);
    }
    for (size_t i = 1; i < r->nodes; i++) {
        if (r->node[i].tag == r->node[i - 1].tag) {
            carom_cursor_stop(&r->c, "holds the node %lld twice", (long long)r->node[i].tag);
        }
    }
    if (r->cells.count == 0) {
        carom_cursor_stop(&r->c, "holds no %s", r->kind->dimension > 1 ? r->kind->name : "cells");
    }
    if (r->cells.count / per_cell > INT_MAX / CELL_NODES || r->nodes > INT_MAX / CELL_NODES) {
        carom_cursor_stop(&r->c, "has more cells or nodes than can be numbered");
    }
    if (r->c.failed == 0) {
        ours = room_for(r, NULL, r->nodes, sizeof *ours);
        X = room_for(r, NULL, r->nodes, 3 * sizeof *X);
    }
    for (size_t i = 0; i < r->nodes && r->c.failed == 0; i++) {
        ours[i] = -1;
    }
    for (size_t i = 0; i < r->cells.count && r->c.failed == 0; i++) {
        const Entry *node = find(r, r->cells.data[i]);
        if (node == NULL) {
            carom_cursor_stop(&r->c, "has a cell with the node %lld, which it does not hold",
                              (long long)r->cells.data[i]);
            break;
        }
        if (ours[node->at] < 0) {
            memcpy(X + 3 * used, r->X + 3 * node->at, 3 * sizeof *X);
            ours[node->at] = used++;
        }
        r->cells.data[i] = ours[node->at];
        for (size_t k = i - i % per_cell; k < i; k++) {
            if (r->cells.data[k] == r->cells.data[i]) {
                carom_cursor_stop(&r->c, "has a cell that uses the node %lld twice", (long long)node->tag);
            }
        }
    }
    for (size_t f = 0; f < r->face_names.count && r->c.failed == 0; f++) {
        int whole = 1;
        for (size_t k = 0; k < FACE_NODES; k++) {
            const int64_t tag = r->faces.data[FACE_NODES * f + k];
            const Entry *node = tag < 0 ? NULL : find(r, tag);
            r->faces.data[FACE_NODES * kept + k] = node != NULL ? ours[node->at] : -1;
            whole = whole && (tag < 0 || (node != NULL && ours[node->at] >= 0));
        }
        r->face_names.data[kept] = r->face_names.data[f];
        kept += whole ? 1 : 0;
    }
    free(ours);
    if (r->c.failed != 0) {
        free(X);
        return;
    }
    *mesh = (carom_gmsh){.kind = r->kind,
                         .face_nodes = FACE_NODES,
                         .nodes = used,
                         .cells = (int64_t)(r->cells.count / per_cell),
                         .faces = (int64_t)kept,
                         .names = r->names,
                         .name = r->name,
                         .X = X,
                         .cell = r->cells.data,
                         .face = r->faces.data};
    mesh->face_name = room_for(r, NULL, kept, sizeof *mesh->face_name);
    for (size_t f = 0; f < kept && mesh->face_name != NULL; f++) {
        mesh->face_name[f] = (int)r->face_names.data[f];
    }
    r->cells.data = r->faces.data = NULL;
    r->name = NULL;
}

static int parse(const char *bytes, size_t size, const carom_gmsh_kind *kind, carom_gmsh *mesh,
                 const carom_gmsh_kind **other, char why[CAROM_GMSH_WHY])
{
    Reader r = {.c = {.start = bytes, .at = bytes, .end = bytes + size, .why = why, .why_size = CAROM_GMSH_WHY},
                .kind = kind};
    *mesh = (carom_gmsh){.kind = kind};
    why[0] = '\0';
    read_sections(&r);
    if (r.c.failed == 0) {
        number(&r, mesh);
    }
    void *const made[] = {r.name, r.group,      r.entity,     r.groups.data,    r.node,
                          r.X,    r.cells.data, r.faces.data, r.face_names.data};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        free(made[i]);
    }
    if (r.c.failed != 0) {
        carom_gmsh_free(mesh);
    }
    *other = r.other;
    return r.c.failed;
}

int carom_gmsh_parse(const char *bytes, size_t size, const carom_gmsh_kind *kind, carom_gmsh *mesh,
                     char why[CAROM_GMSH_WHY])
{
    const carom_gmsh_kind *given = kind != NULL ? kind : carom_gmsh_cell("bar2"), *other = NULL;
    int status = parse(bytes, size, given, mesh, &other, why);
    while (kind == NULL && other != NULL && other->dimension > given->dimension) { /* three times at most */
        given = other;
        status = parse(bytes, size, given, mesh, &other, why);
    }
    if (kind == NULL && other != NULL) {
        (void)snprintf(why, CAROM_GMSH_WHY, "mixes %s and %s; make cells of one kind", given->name, other->name);
    }
    return status;
}

int carom_gmsh_read(const char *path, const carom_gmsh_kind *kind, carom_gmsh *mesh, char why[CAROM_GMSH_WHY])
{
    size_t size;
    char *bytes = carom_cursor_load(path, &size);
    *mesh = (carom_gmsh){.kind = kind};
    if (bytes == NULL) {
        (void)snprintf(why, CAROM_GMSH_WHY, "cannot be read: %s", strerror(errno));
        return -1;
    }
    const int status = carom_gmsh_parse(bytes, size, kind, mesh, why);
    free(bytes);
    return status;
}

void carom_gmsh_free(carom_gmsh *mesh)
{
    free(mesh->name);
    free(mesh->X);
    free(mesh->cell);
    free(mesh->face);
    free(mesh->face_name);
    *mesh = (carom_gmsh){.kind = mesh->kind};
}
