/**
 * Settings of the allocator that DuckDB brings on Linux, which it reads when it is loaded.
 *
 * Memory is filled with zeros: DuckDB writes blocks whose gaps contain what the memory contained
 * before, which may be the names in a page of the service or in a ledger file. Free memory returns
 * to the operating system at once.
 */
const settings = 'zero:true,dirty_decay_ms:0,muzzy_decay_ms:0';
const variable = 'DUCKDB_JE_MALLOC_CONF';
const before = process.env[variable];
process.env[variable] = before ? `${before},${settings}` : settings;
