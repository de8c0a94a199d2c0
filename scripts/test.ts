// `npm test`: everything that must be true, from formatting to a purchase in Chromium.
// Ends with `N passed, N failed` alone on a line; each gate counts as one, each test as one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { bundle } from './build.ts';
import { findChromium } from './chromium.ts';
import { bin, dataDir, root } from './paths.ts';

let passed = 0;
let failed = 0;
const failures: string[] = [];

async function gate(name: string, check: () => Promise<void> | void): Promise<boolean> {
  const started = Date.now();
  try {
    await check();
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

/** Passes on whole lines, so that two programs do not write into each other's. */
async function passOn(from: Readable, to: Writable): Promise<void> {
  let begun = '';
  for await (const piece of from.setEncoding('utf8') as AsyncIterable<string>) {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) to.write(begun + piece.slice(0, end));
    begun = end > 0 ? piece.slice(end) : begun + piece;
  }
  if (begun) to.write(`${begun}\n`);
}

/** @returns the exit code; null where a signal ended it */
async function program(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<number | null> {
  const child = spawn(bin(command), args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const [[code]] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    passOn(child.stdout, process.stdout),
    passOn(child.stderr, process.stderr),
  ]);
  return code;
}

async function run(command: string, args: string[]): Promise<void> {
  const code = await program(command, args);
  if (code !== 0) throw new Error(`exit ${code}`);
}

interface RunOptions {
  env?: Record<string, string>;
  retries?: number;
  workers?: number;
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/**
 * Runs test projects; each test is counted, and a run that does not report counts as failed.
 * @param retries how often a test may be tried again; the report names those that needed it
 * @param workers how many files at a time; as many as Vitest thinks best unless said
 */
async function tests(
  name: string,
  projects: string[],
  { env = {}, retries = 0, workers }: RunOptions = {},
): Promise<void> {
  const report = join(dataDir, 'test', `${name}.json`);
  rmSync(report, { force: true });
  try {
    const status = await program(
      'vitest',
      [
        'run',
        ...projects.flatMap((project) => ['--project', project]),
        '--reporter=default',
        '--reporter=json',
        `--retry=${retries}`,
        ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
        `--outputFile.json=${report}`,
      ],
      env,
    );
    const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
    const { numPassedTests, numFailedTests } = result;
    // A test that is skipped, or still to be written, proves nothing: here it counts as failed.
    const idle = result.numPendingTests + result.numTodoTests;
    if (!Number.isInteger(numPassedTests + numFailedTests + idle)) throw new Error('no counts');
    passed += numPassedTests;
    failed += numFailedTests + idle;
    const silent = status !== 0 && numFailedTests === 0;
    if (silent || numPassedTests === 0) failed += 1;
    const named = result.testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults
        .filter((test) => test.status === 'failed')
        .map(
          ({ fullName, failureMessages: [why = ''] }) =>
            `${relative(root, file)} > ${fullName}\n    ${why.split('\n', 1)[0]}`,
        ),
    );
    if (status !== 0 || numFailedTests + idle > 0) failures.push(`${name} tests`, ...named);
    else if (numPassedTests === 0) failures.push(`${name} tests (none)`);
  } catch {
    failed += 1;
    failures.push(`${name} tests (no report)`);
  }
}

mkdirSync(join(dataDir, 'test'), { recursive: true });
// Many tests start a program, and most of its start is to compile the same sources again.
process.env.NODE_COMPILE_CACHE = join(dataDir, 'test', 'compiled');
let chromium = '';
await gate('Chromium', () => {
  chromium = findChromium();
});
const compiled = gate('types', () => run('tsc', ['-b']));
const built = compiled.then((isCompiled) => isCompiled && gate('bundles', () => bundle()));
const beside = ['@financing-checkout/sandbox', '@financing-checkout/key-fence'];
const wholeCompanions = ['chaos', 'reconciliation'];
const withBrowsers = ['@financing-checkout/widget*'];
const endToEnd = ['e2e', 'integrations'];
const named = [...beside, ...wholeCompanions, ...withBrowsers, ...endToEnd, 'merchant'];
const when = (ready: Promise<boolean>, work: () => Promise<unknown>) => async () => {
  if (await ready) await work();
};
const whenBuilt = (work: () => Promise<unknown>) => when(built, work);
// On a busy machine a browser is late now and then: a second try tells that from a fault.
const inChromium = (name: string, projects: string[]) =>
  whenBuilt(async () => {
    if (chromium) await tests(name, projects, { env: { CHROME_PATH: chromium }, retries: 1 });
  });
/** The longest comes first and the shortest last; what needs no build, before what waits for it. */
const stages: (() => Promise<unknown>)[] = [
  whenBuilt(() =>
    tests(
      'server',
      named.map((project) => `!${project}`),
      // Half of the time they wait, for a program to start or a moment to pass.
      { workers: 2 },
    ),
  ),
  () => gate('formatting', () => run('prettier', ['--check', '--log-level', 'warn', '.'])),
  // Types of one package are known to another one once they are compiled.
  when(compiled, () =>
    gate('lint', async () => {
      await run('oxlint', ['.']);
      await run('eslint', ['packages/widget/src', '--max-warnings', '0']);
    }),
  ),
  whenBuilt(() => tests('sandbox', beside)),
  inChromium('browser', withBrowsers),
  inChromium('e2e', endToEnd),
  whenBuilt(() => tests('companions', wholeCompanions)),
];
// Two at a time: each uses about one core.
async function work(): Promise<void> {
  for (let next = stages.shift(); next; next = stages.shift()) await next();
}
await Promise.all([work(), work()]);

if (failures.length > 0) console.error(`\nFailed:\n  ${failures.join('\n  ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
