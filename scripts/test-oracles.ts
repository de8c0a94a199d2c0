// `npm run test:oracles`: Beancount, hledger and ledger read journals; see tests/oracles. `npm test`
// does not include it, because it installs these programs. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms } from '../tests/oracles/programs.ts';
import { compile } from './compile.ts';
import { bin, dataDir, root } from './paths.ts';
import { countTests } from './test-report.ts';

compile();
findPrograms();
const folder = join(dataDir, 'oracles');
mkdirSync(folder, { recursive: true });
const report = join(folder, 'report.json');
rmSync(report, { force: true });
const { status } = spawnSync(
  bin('vitest'),
  [
    'run',
    '--project',
    'oracles',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  { cwd: root, stdio: 'inherit' },
);
const json = existsSync(report) ? readFileSync(report, 'utf8') : undefined;
const { passed, failed, failures } = countTests('oracles', json, status, root);
if (failures.length > 0) console.error(`\nFailed:\n  ${failures.join('\n  ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
