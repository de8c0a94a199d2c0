// `npm test`: everything that must be true, from formatting to a purchase in Chromium.
// Ends with `N passed, N failed` alone on a line; each gate counts as one, each test as one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './build.ts';
import { findChromium } from './chromium.ts';
import { bin, dataDir, root } from './paths.ts';

let passed = 0;
let failed = 0;
const failures: string[] = [];

function gate(name: string, check: () => void): boolean {
  const started = Date.now();
  try {
    check();
    passed += 1;
    console.log(`✓ ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    failed += 1;
    failures.push(name);
    console.error(`✗ ${name}: ${(error as Error).message}`);
    return false;
  }
}

function run(command: string, args: string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw error ?? new Error(`exit ${status}`);
}

interface RunOptions {
  env?: Record<string, string>;
  retries?: number;
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  success: boolean;
}

/**
 * Runs test projects; each test is counted, and a run that does not report counts as failed.
 * @param retries how often a test may be tried again; the report names those that needed it
 */
function tests(name: string, projects: string[], { env = {}, retries = 0 }: RunOptions = {}): void {
  const report = join(dataDir, 'test', `${name}.json`);
  rmSync(report, { force: true });
  const { status } = spawnSync(
    bin('vitest'),
    [
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--retry=${retries}`,
      `--outputFile.json=${report}`,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } },
  );
  try {
    const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
    passed += result.numPassedTests;
    // A skipped test proves nothing: here it counts as failed.
    failed += result.numFailedTests + result.numPendingTests;
    const silent = status !== 0 && result.numFailedTests === 0;
    if (silent || result.numPassedTests === 0) failed += 1;
    if (status !== 0 || result.numPendingTests > 0) failures.push(`${name} tests`);
  } catch {
    failed += 1;
    failures.push(`${name} tests (no report)`);
  }
}

mkdirSync(join(dataDir, 'test'), { recursive: true });
gate('formatting', () => run(bin('prettier'), ['--check', '--log-level', 'warn', '.']));
const compiled = gate('types', () => run(bin('tsc'), ['-b']));
gate('lint', () => run(bin('eslint'), ['.', '--max-warnings', '0']));
if (compiled && gate('bundles', () => bundle())) {
  let chromium = '';
  gate('Chromium', () => {
    chromium = findChromium();
  });
  tests('unit', ['!@financing-checkout/widget*', '!e2e', '!integrations', '!merchant', '!chaos']);
  if (chromium) {
    // On a busy machine a browser is late now and then: a second try tells that from a fault.
    const inChromium = { env: { CHROME_PATH: chromium }, retries: 1 };
    tests('browser', ['@financing-checkout/widget*'], inChromium);
    tests('e2e', ['e2e', 'integrations'], inChromium);
  }
  tests('chaos', ['chaos']);
}

if (failures.length > 0) console.error(`\nFailed: ${failures.join(', ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
