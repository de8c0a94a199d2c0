// `npm run test:pgbouncer`: the stores of both programs behind a real PgBouncer in transaction mode.
// `npm test` does not include it, because it installs PgBouncer.
import { testProject } from './project.ts';

testProject('pgbouncer');
