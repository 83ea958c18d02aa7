// What it does to Σ C_j of a sequence that one job moves, and the slope of the smoothed cost in its priority: one thread
// for each job of each sequence. See learning/network/insertions.py.
//
// All arrays are (sequences, n), by place: priorities as drawn and the job's own, r, p and the completion times.

struct Sequence {
    const double *r, *p, *end;
    int n;

    __device__ double free(int k) const { return k > 0 ? end[k - 1] : 0.0; }

    // What is still to change from place k on where the machine is free at t, up to where nothing does.
    __device__ double rest(int k, double t) const {
        double change = 0.0;
        for (; k < n && fabs(t - end[k - 1]) > 1e-9; ++k) {
            t = fmax(t, r[k]) + p[k];
            change += t - end[k];
        }
        return change;
    }

    // Job a runs before that at place b < a.
    __device__ double earlier(int a, int b) const {
        double t = fmax(free(b), r[a]) + p[a], change = t - end[a];
        for (int k = b; k < a; ++k) {
            t = fmax(t, r[k]) + p[k];
            change += t - end[k];
        }
        return change + rest(a + 1, t);
    }
};

// Σ_j (C_i(θ'_j + 0) − C_i(θ'_j − 0))·φ((θ'_j − θ_i)/σ)/σ for each job i.
extern "C" __global__ void slopes(const double *drawn, const double *own, const double *r, const double *p,
                                  const double *end, long long rows, int n, int window, double sigma, double *out) {
    long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= rows * n) return;
    int a = (int)(id % n);
    long long begin = id - a;
    Sequence jobs{r + begin, p + begin, end + begin, n};
    drawn += begin;
    double mine = own[id], total = 0.0, before = 0.0; // change of the cost once the job has moved so far
    auto passes = [&](int b, double jump) {
        double distance = (drawn[b] - mine) / sigma;
        total += jump * exp(-0.5 * distance * distance) * 0.3989422804014327 / sigma;
    };
    double t = jobs.free(a), passed = 0.0;
    for (int b = a + 1; b < n && b <= a + window; ++b) {
        t = fmax(t, jobs.r[b]) + jobs.p[b];
        passed += t - jobs.end[b];
        double last = fmax(t, jobs.r[a]) + jobs.p[a];
        double change = passed + last - jobs.end[a] + jobs.rest(b + 1, last);
        passes(b, change - before);
        before = change;
    }
    before = 0.0;
    for (int b = a - 1; b >= 0 && b >= a - window; --b) {
        double change = jobs.earlier(a, b);
        passes(b, before - change);
        before = change;
    }
    out[id] = total;
}
