/**
 * Number of threads in libuv's pool. DuckDB runs each statement on one of them: two for queries,
 * and one each for a pass, an export, a write, a sync and an import; the last one is for files.
 * With the default of four, queries would have to wait.
 */
const THREADS = '8';

// libuv reads this when the first task starts, after the modules are loaded.
process.env.UV_THREADPOOL_SIZE ??= THREADS;
