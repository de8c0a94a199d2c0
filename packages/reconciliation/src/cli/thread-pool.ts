/**
 * Statements that DuckDB runs at the same time, each on a thread of libuv's pool: two of queries, one
 * each of a pass, an export, a write, a sync and an import; and one thread for files. With libuv's
 * four, queries would wait until the others end.
 */
const THREADS = '8';

// libuv reads this when the first task starts, which is after the modules are loaded.
process.env.UV_THREADPOOL_SIZE ??= THREADS;
