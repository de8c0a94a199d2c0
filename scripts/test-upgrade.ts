// `npm run test:upgrade`: runs the programs of the previous version and of this one on the same
// database; see tests/upgrade. `npm test` does not include it, because it installs and compiles
// that version.
import { buildOlder } from '../tests/upgrade/older.ts';
import { compile } from './compile.ts';
import { runProject } from './project.ts';

compile();
buildOlder();
runProject('upgrade');
