/**
 * Makes DuckDB's allocator fill memory with zeros. DuckDB writes blocks whose gaps contain what the
 * memory contained before, which may be the names in a page of the service or in a ledger file.
 * DuckDB reads the variable when it is loaded. It brings its own allocator on Linux only.
 */
const variable = 'DUCKDB_JE_MALLOC_CONF';
const before = process.env[variable];
process.env[variable] = before ? `${before},zero:true` : 'zero:true';
