// Two-stage spanning trees: the layer's tree from θ, its first stage, and the cheapest completions, by a block.
//
// A minimum spanning tree under a strict order of the edges is unique, so Borůvka's algorithm finds the edges of
// Kruskal's: in each round every component takes its first edge to another one. Edges are known by their place in the
// order, and compared by it.

#define NONE 0xffffffffu

// Components of the nodes, and edges by place.
struct Forest {
    u16 *component, *above; // by node; above: where a component hooks on
    u32 *best;              // by component: its first edge to another one
    u8 *taken;              // by place: whether the edge is in the forest
    u32 *more;              // whether there was an edge between components
    int nodes;

    __device__ void reset() const {
        for (int i = threadIdx.x; i < nodes; i += blockDim.x) component[i] = (u16)i;
    }

    // Adds the first edges that join components, until none does; `ends(place, a, b)` are the nodes of an edge,
    // a == b where it is not to be used. `taken` must be 0.
    template <class Ends> __device__ void grow(int edges, const Ends &ends) const {
        while (true) {
            for (int i = threadIdx.x; i < nodes; i += blockDim.x) best[i] = NONE, above[i] = (u16)i;
            if (threadIdx.x == 0) *more = 0;
            __syncthreads();
            for (int k = threadIdx.x; k < edges; k += blockDim.x) {
                int a, b;
                ends(k, a, b);
                a = component[a];
                b = component[b];
                if (a == b) continue;
                if ((u32)k < best[a]) atomicMin(&best[a], (u32)k);
                if ((u32)k < best[b]) atomicMin(&best[b], (u32)k);
                *more = 1;
            }
            __syncthreads();
            if (*more == 0) break;
            for (int i = threadIdx.x; i < nodes; i += blockDim.x) {
                if (best[i] == NONE) continue;
                int a, b;
                ends(best[i], a, b);
                a = component[a];
                b = component[b];
                int other = a == i ? b : a;
                taken[best[i]] = 1;
                if (!(best[other] == best[i] && i < other)) above[i] = (u16)other; // of two that chose one edge, one
            }
            __syncthreads();
            for (int i = threadIdx.x; i < nodes; i += blockDim.x) {
                int root = component[i];
                while (above[root] != root) root = above[root];
                component[i] = (u16)root;
            }
            __syncthreads();
        }
        __syncthreads();
    }
};

// An edge of the graph by its place in the order, and only those of the first stage if `first` is given.
struct Ordered {
    const u16 *order;
    const int *u, *v;
    const u8 *stage;
    __device__ void operator()(int k, int &a, int &b) const {
        int e = order[k];
        a = u[e];
        b = stage == 0 || stage[e] == 1 ? v[e] : a;
    }
};

struct Listed {
    const int *ends;
    __device__ void operator()(int k, int &a, int &b) const { a = ends[2 * k], b = ends[2 * k + 1]; }
};

// out[row, x] = cost / (|V| − 1); a block per (row, instance). `whole`: sums are exact in every order.
extern "C" __global__ void trees(
    const double *theta1, const double *theta2, const i64 *edge, const int *u, const int *v, const double *first,
    const i64 *tree, const int *ends, const double *costs, const int *nodes, const double *nothing, const u8 *whole,
    int x0, i64 total, int most, double *out, int columns
) {
    extern __shared__ double shared[];
    Sorting s((char *)shared, most);
    int x = x0 + blockIdx.y;
    i64 begin = edge[x];
    int m = (int)(edge[x + 1] - begin), n = nodes[x], scenarios = (int)((tree[x + 1] - tree[x]) / (n - 1));
    const double *bar1 = theta1 + blockIdx.x * total + begin, *bar2 = theta2 + blockIdx.x * total + begin;
    for (int e = threadIdx.x; e < m; e += blockDim.x) s.keys[e] = Least::of(bar1[e], bar2[e]);
    __syncthreads();
    const u16 *order = sorted(s, m);
    // keys and counts are free now: best, components, stages and what is taken lie there
    Forest f;
    f.nodes = n;
    f.best = s.counts;
    f.component = (u16 *)s.keys;
    f.above = f.component + most + 1;
    u16 *label = f.above + most + 1;
    f.taken = (u8 *)(label + most + 1);
    u8 *stage = f.taken + most + 1;
    u32 *more = (u32 *)s.room + 60;
    f.more = more;
    for (int e = threadIdx.x; e < m; e += blockDim.x) f.taken[e] = stage[e] = 0;
    f.reset();
    __syncthreads();
    Ordered ordered = {order, u + begin, v + begin, 0};
    f.grow(m, ordered);
    int bought = 0;
    double sum = 0.0;
    for (int k = threadIdx.x; k < m; k += blockDim.x) {
        int e = order[k];
        if (f.taken[k] && bar1[e] <= bar2[e]) {
            stage[e] = 1;
            bought += 1;
            sum += first[begin + e];
        }
    }
    bought = over_block<Sum>(bought, (int *)s.room);
    if (bought == 0) {
        if (threadIdx.x == 0) out[(i64)blockIdx.x * columns + x] = nothing[x] / (n - 1.0);
        return;
    }
    bool exact = whole[x];
    if (exact) sum = over_block<Sum>(sum, s.room);
    if (!exact && threadIdx.x == 0) {
        sum = 0.0;
        for (int e = 0; e < m; ++e)
            if (stage[e] == 1) sum += first[begin + e];
    }
    for (int e = threadIdx.x; e < m; e += blockDim.x) f.taken[e] = 0;
    f.reset();
    __syncthreads();
    ordered.stage = stage;
    f.grow(m, ordered);
    for (int i = threadIdx.x; i < n; i += blockDim.x) label[i] = f.component[i];
    double second = 0.0;
    for (int c = 0; c < scenarios; ++c) {
        i64 top = tree[x] + (i64)c * (n - 1);
        Listed listed = {ends + 2 * top};
        for (int i = threadIdx.x; i < n; i += blockDim.x) f.component[i] = label[i], f.taken[i] = 0;
        __syncthreads();
        f.grow(n - 1, listed);
        double own = 0.0;
        if (exact) {
            for (int k = threadIdx.x; k < n - 1; k += blockDim.x)
                if (f.taken[k]) own += costs[top + k];
            own = over_block<Sum>(own, s.room);
        } else if (threadIdx.x == 0) {
            for (int k = 0; k < n - 1; ++k)
                if (f.taken[k]) own += costs[top + k];
        }
        second += own;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        double cost = (scenarios * sum + second) / scenarios;
        out[(i64)blockIdx.x * columns + x] = Least::of(nothing[x], cost) / (n - 1.0);
    }
}
