// `npm run test:merchant`: installs the packed packages with npm in an empty folder, and tests them with
// shops in several languages and frameworks, and with bundlers that the workspace does not have. Unlike `npm test` it needs the npm
// registry, python3 and php.
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
