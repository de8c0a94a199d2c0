// `npm run test:merchant`: the packages as published, installed by npm in an empty folder, behind an
// Express and a Python shop, and with a ticket that PHP signs. Needs the npm registry, python3 and php,
// which `npm test` does not.
import { spawnSync } from 'node:child_process';
import { bundle, compile } from './build.ts';
import { findChromium } from './chromium.ts';
import { bin, root } from './paths.ts';

try {
  compile();
  bundle();
  const { status } = spawnSync(bin('vitest'), ['run', '--project', 'merchant'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CHROME_PATH: findChromium() },
  });
  process.exitCode = status ?? 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
