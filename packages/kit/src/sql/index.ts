/* Store code that is shared by all runtimes. The drivers are in kit/sqlite and kit/postgres. */
export { migrationsOf, migrationStatements } from './ddl.ts';
export { isUnavailable, reasonsOf, unusableSqlite } from './errors.ts';
export {
  applyPending,
  isSqlite,
  type Migrations,
  readVersion,
  refuseVersion,
  type StoreSchema,
  type StoreVersion,
  StoreVersionError,
  versionProblem,
} from './migrations.ts';
export { TableRows } from './rows.ts';
export {
  bytes,
  choice,
  Column,
  type DatabaseKind,
  flag,
  json,
  type KyselyTables,
  moment,
  real,
  type Row,
  type SelectedRow,
  type Table,
  type TableDefinition,
  table,
  text,
  whole,
  type WrittenRow,
} from './table.ts';
export { worklist } from './worklist.ts';
