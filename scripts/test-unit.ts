// `npm run test:unit`: runs the quick tests, without a build, a browser, a database or another program.
// vitest.unit.config.ts decides which tests these are.
import { spawnSync } from 'node:child_process';
import { bin, root } from './paths.ts';

const { status } = spawnSync(
  bin('vitest'),
  ['run', '--config', 'vitest.unit.config.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
