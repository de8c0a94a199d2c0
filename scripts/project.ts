import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './build.ts';
import { compile } from './compile.ts';
import { findChromium } from './chromium.ts';
import { bin, dataDir, root } from './paths.ts';
import { countTests } from './test-report.ts';

/** Builds everything, and runs the tests of a project that `npm test` does not run. */
export function testProject(name: string): void {
  try {
    compile();
    bundle();
    runProject(name, { CHROME_PATH: findChromium() });
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

/** Runs the tests of a project. The last line is `N passed, N failed`. */
export function runProject(name: string, env: Record<string, string> = {}): void {
  const folder = join(dataDir, 'reports');
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `${name}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(bin('vitest'), ['run', '--project', name, ...reporters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const json = existsSync(report) ? readFileSync(report, 'utf8') : undefined;
  const { passed, failed, failures } = countTests(name, json, status, root);
  if (failures.length > 0) console.error(`\nFailed:\n  ${failures.join('\n  ')}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
