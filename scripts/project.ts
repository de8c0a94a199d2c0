import { spawnSync } from 'node:child_process';
import { bundle } from './build.ts';
import { compile } from './compile.ts';
import { findChromium } from './chromium.ts';
import { bin, root } from './paths.ts';

/** Builds everything, and runs the tests of a project that `npm test` does not run. */
export function testProject(name: string): void {
  try {
    compile();
    bundle();
    const { status } = spawnSync(bin('vitest'), ['run', '--project', name], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, CHROME_PATH: findChromium() },
    });
    process.exitCode = status ?? 1;
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
