/* Store code that is shared by all runtimes. The drivers are in kit/sqlite and kit/postgres. */
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
