// `npm run test:firefox`: runs the checkout in Firefox; see tests/firefox/main.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.ts';

const { status } = spawnSync(process.execPath, [join(root, 'tests/firefox/main.ts')], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
