// `npm test`: runs every check, from formatting to a purchase in Chromium. The last line is
// `N passed, N failed`; each gate and each test counts as one. `npm test -- PATH …` runs the checks
// and tests of files and folders. `npm test -- --all`, and each run in CI, includes the checks of the
// house whose files have not changed since they passed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { bundle } from './build.ts';
import { findChromium } from './chromium.ts';
import { bin, dataDir, root } from './paths.ts';
import { type SelectedTests, selectTests, slowProjects } from './test-paths.ts';
import { countTests, type TimedTest } from './test-report.ts';
import { HouseChecks } from './unchanged.ts';

/** Number of the slowest tests that the end of the output lists. */
const SLOWEST = 10;

let passed = 0;
let failed = 0;
const failures: string[] = [];
const lines: string[] = [];
const timed: TimedTest[] = [];
const files = new Map<string, boolean>();

const secondsSince = (started: number) => ((Date.now() - started) / 1000).toFixed(1);

async function gate(name: string, check: () => Promise<void> | void): Promise<boolean> {
  const started = Date.now();
  try {
    await check();
    passed += 1;
    report(true, name, `${secondsSince(started)} s`);
    return true;
  } catch (error) {
    failed += 1;
    failures.push(name);
    report(false, name, `${secondsSince(started)} s: ${(error as Error).message}`);
    return false;
  }
}

/** Prints the result of a gate or stage, now and again at the end. */
function report(isGood: boolean, name: string, detail: string): void {
  const line = `${isGood ? '✓' : '✗'} ${name} (${detail})`;
  lines.push(line);
  console.log(line);
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Forwards whole lines, so that the lines of two programs do not mix. */
async function forwardLines(from: Readable, to: Writable): Promise<void> {
  let partial = '';
  for await (const piece of from.setEncoding('utf8') as AsyncIterable<string>) {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) to.write(partial + piece.slice(0, end));
    partial = end > 0 ? piece.slice(end) : partial + piece;
  }
  if (partial) to.write(`${partial}\n`);
}

/** Runs a program. @returns its exit code; null when a signal ended it */
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
    forwardLines(child.stdout, process.stdout),
    forwardLines(child.stderr, process.stderr),
  ]);
  return code;
}

async function run(command: string, args: string[]): Promise<void> {
  const code = await program(command, args);
  if (code !== 0) throw new Error(`exit ${code}`);
}

interface RunOptions {
  env?: Record<string, string>;
  /** Arguments that select files. @default all files of the projects */
  selection?: readonly string[];
  /** Number of test files that run at the same time. @default as many as Vitest chooses */
  workers?: number;
}

/** Runs test projects and counts each test. */
async function tests(
  name: string,
  projects: string[],
  { env = {}, selection = ['run'], workers }: RunOptions = {},
): Promise<void> {
  const started = Date.now();
  const reportFile = join(dataDir, 'test', `${name.replaceAll(/[^\w.-]+/g, '-')}.json`);
  rmSync(reportFile, { force: true });
  const exitCode = await program(
    'vitest',
    [
      ...selection,
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
      ...leftOut.map((check) => `--exclude=**/${check}`),
      `--outputFile.json=${reportFile}`,
    ],
    env,
  ).catch(() => null);
  const json = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined;
  const counts = countTests(name, json, exitCode, root);
  passed += counts.passed;
  failed += counts.failed;
  failures.push(...counts.failures);
  timed.push(...counts.timed);
  for (const [file, isGood] of counts.files) files.set(file, isGood);
  const detail = `${secondsSince(started)} s, ${counts.passed} passed, ${counts.failed} failed`;
  report(counts.failed === 0, `${name} tests`, detail);
}

const isAll = process.argv.includes('--all') || process.env.CI !== undefined;
const paths = process.argv.slice(2).filter((argument) => argument !== '--all');
const selected = asSelected();

/** Returns the tests for the paths on the command line. Ends the process with 2 for a wrong path. */
function asSelected(): SelectedTests[] {
  try {
    return selectTests(paths, root, process.env.INIT_CWD ?? process.cwd());
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm test [-- --all | <file or folder> …]`);
    process.exit(2);
  }
}

mkdirSync(join(dataDir, 'test'), { recursive: true });
const house = new HouseChecks(root, join(dataDir, 'test', 'house-checks.json'));
const leftOut = isAll || paths.length > 0 ? [] : house.unchanged;
// Tests write many small stores, and programs do not wait for commits on an in-memory disk.
const memory = '/dev/shm';
if (existsSync(memory) && freeBytes(memory) > 2e9) {
  const folder = mkdtempSync(join(memory, 'financing-test-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
}
// Many tests start a program, which spends most of its startup compiling the same sources.
process.env.NODE_COMPILE_CACHE = join(dataDir, 'test', 'compiled');
let chromium = '';
await gate('Chromium', () => {
  chromium = findChromium();
});
const isCompiled = gate('types', () => run('node', [join('scripts', 'compile.ts')]));
const isBuilt = isCompiled.then((compiled) => compiled && gate('bundles', () => bundle()));

const when = (ready: Promise<boolean>, work: () => Promise<unknown>) => async () => {
  if (await ready) await work();
};
const inChromium = (name: string, projects: string[], selection?: string[]) =>
  when(isBuilt, async () => {
    const env = { CHROME_PATH: chromium, BUILT_WIDGET: join(root, 'packages/widget/cdn') };
    if (chromium) await tests(name, projects, { env, ...(selection && { selection }) });
  });
const cacheIn = (name: string) => ['--cache', '--cache-location', join(dataDir, 'test', name)];

const sandbox = ['@financing-checkout/sandbox', '@financing-checkout/key-fence'];
const companions = ['chaos', 'reconciliation'];
const pages = ['@financing-checkout/widget*', '@financing-checkout/console*'];
const endToEnd = ['e2e', 'integrations'];
const named = [...sandbox, ...companions, ...pages, ...endToEnd, 'merchant'];
/**
 * Gates that need no build come first, then stages of one core each, the longest first. The stage whose files run
 * two at a time comes last: it fills both cores to the end.
 */
const where = paths.length > 0 ? selected.flatMap(({ files }) => files) : ['.'];
const checks: (() => Promise<unknown>)[] = [
  () => gate('formatting', () => run('oxfmt', ['--check', ...where])),
  // A package sees another package's types only after that package is compiled.
  when(isCompiled, () =>
    gate('lint', async () => {
      await run('oxlint', where);
      const widget = where.filter((path) => /^(?:\.$|packages\/widget\b)/.test(path));
      if (widget.length > 0) {
        const files = paths.length === 0 ? ['packages/widget/src'] : widget;
        await run('eslint', [...files, '--max-warnings', '0', ...cacheIn('eslint')]);
      }
    }),
  ),
];
const suites: (() => Promise<unknown>)[] = [
  inChromium('e2e', endToEnd),
  inChromium('browser', pages),
  when(isBuilt, () => tests('sandbox', sandbox)),
  when(isBuilt, () => tests('companions', companions)),
  when(isBuilt, () =>
    tests(
      'server',
      [...named, ...slowProjects].map((project) => `!${project}`),
      { workers: 2 },
    ),
  ),
];

const stages = [
  ...checks,
  ...(paths.length === 0
    ? suites
    : selected.map(({ command, files, projects }) =>
        inChromium(
          files.join(' '),
          projects,
          command === 'run' ? ['run', ...files] : ['related', '--run', ...files],
        ),
      )),
];

/** Runs stages until none is left. */
async function runStages(): Promise<void> {
  for (let next = stages.shift(); next; next = stages.shift()) await next();
}
// Three at a time: a stage uses at most about one core, and with two at a time, two cores were busy
// for only 88 % of the run.
await Promise.all([runStages(), runStages(), runStages()]);

console.log(`\nChecks and stages:\n  ${lines.join('\n  ')}`);
const slowest = timed.sort((one, other) => other.milliseconds - one.milliseconds).slice(0, SLOWEST);
if (slowest.length > 0) {
  const listed = slowest.map(
    ({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1)} s  ${name}`,
  );
  console.log(`\nSlowest tests:\n  ${listed.join('\n  ')}`);
}
house.record(files);
if (leftOut.length > 0) {
  console.log(
    `\nUnchanged since they passed (npm test -- --all runs them):\n  ${leftOut.join('\n  ')}`,
  );
}
if (failures.length > 0) console.error(`\nFailed:\n  ${failures.join('\n  ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
