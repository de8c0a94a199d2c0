// `npm run test:oracles`: Beancount, hledger and ledger read journals; see tests/oracles. `npm test`
// does not include it, because it installs these programs.
import { findPrograms } from '../tests/oracles/programs.ts';
import { compile } from './compile.ts';
import { runProject } from './project.ts';

compile();
findPrograms();
runProject('oracles');
