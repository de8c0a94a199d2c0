/* `npm test` reports each failure in its exit code and its last line. Scripts stand in for its tools. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectTests } from '../../scripts/test-paths.ts';
import { countTests } from '../../scripts/test-report.ts';
import { root } from './tree.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-test-'));
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  for (const name of [
    'test.ts',
    'test-paths.ts',
    'test-report.ts',
    'unchanged.ts',
    'paths.ts',
    'compile.ts',
  ]) {
    cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  }
  const broken = (what: string) =>
    `if (process.env.BROKEN === '${what}') throw new Error('broken');`;
  write('scripts/build.ts', `export function bundle() { ${broken('bundles')} }`);
  write(
    'scripts/chromium.ts',
    `export function findChromium() { ${broken('Chromium')} return 'chromium'; }`,
  );
  const tool = (name: string, text: string) => {
    write(`node_modules/.bin/${name}`, `#!/bin/sh\n${text}`);
    chmodSync(join(folder, 'node_modules/.bin', name), 0o755);
  };
  for (const name of ['tsc', 'oxfmt', 'oxlint', 'eslint']) tool(name, `[ "$BROKEN" != ${name} ]`);
  tool('node', `exec '${process.execPath}' "$@"`);
  tool(
    'vitest',
    `for option in "$@"; do case $option in --outputFile.json=*) report=\${option#*=};; esac; done
    tell() { echo "{\\"numPassedTests\\":$1,\\"numFailedTests\\":$2,\\"numPendingTests\\":$3,\\"numTodoTests\\":$4,\\"testResults\\":[]}" > $report; }
    case "$BROKEN $report" in
      "a failing test "*/e2e.json) tell 9 1 0 0; exit 1;;
      "a crash "*/companions.json) kill -9 $$;;
      *) tell 10 0 0 0;;
    esac`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm test` with one part broken. @returns its exit code and its last line */
function run(broken: string): Promise<[unknown, string | undefined]> {
  const env = { PATH: process.env.PATH, BROKEN: broken };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'scripts/test.ts')], { env }, (error, stdout) =>
      resolve([error?.code ?? 0, stdout.trim().split('\n').at(-1)]),
    );
  });
}

test.each([
  ['nothing', 0, '55 passed, 0 failed'],
  ['tsc', 1, '2 passed, 1 failed'],
  ['oxfmt', 1, '54 passed, 1 failed'],
  ['oxlint', 1, '54 passed, 1 failed'],
  ['eslint', 1, '54 passed, 1 failed'],
  ['bundles', 1, '4 passed, 1 failed'],
  ['Chromium', 1, '34 passed, 1 failed'],
  ['a failing test', 1, '54 passed, 1 failed'],
  ['a crash', 1, '45 passed, 1 failed'],
])(
  'has the right exit code and last line when this is broken: %s',
  async (broken, exitCode, lastLine) => {
    expect(await run(broken)).toEqual([exitCode, lastLine]);
  },
);

const report = (passed: number, failed: number, skipped: number, unwritten: number) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: unwritten,
    testResults: [],
  });

test.each([
  { what: 'a run without a failure', json: report(9, 0, 0, 0), exitCode: 0, counts: [9, 0] },
  { what: 'a failed test', json: report(9, 1, 0, 0), exitCode: 1, counts: [9, 1] },
  { what: 'a skipped test', json: report(9, 0, 1, 0), exitCode: 0, counts: [9, 1] },
  { what: 'an unwritten test', json: report(9, 0, 0, 1), exitCode: 0, counts: [9, 1] },
  { what: 'an error outside the tests', json: report(9, 0, 0, 0), exitCode: 1, counts: [9, 1] },
  { what: 'a run without tests', json: report(0, 0, 0, 0), exitCode: 0, counts: [0, 1] },
  { what: 'a run without a report', json: undefined, exitCode: null, counts: [0, 1] },
  { what: 'half a report', json: '{"numPassedTests":9', exitCode: 0, counts: [0, 1] },
  { what: 'a report without counts', json: '{}', exitCode: 1, counts: [0, 1] },
])('counts $what', ({ json, exitCode, counts }) => {
  const { passed, failed, failures } = countTests('e2e', json, exitCode, root);
  expect([passed, failed]).toEqual(counts);
  expect(failures).toHaveLength(failed);
});

test('names a failed test, its message and its line', () => {
  const file = join(root, 'tests/e2e/money.test.ts');
  const stack = `at wait (${root}/helper.ts:1:1)\n    at ${file}:75:24\n    at ${file}:9:1`;
  const { failures } = countTests(
    'e2e',
    JSON.stringify({
      ...(JSON.parse(report(9, 1, 0, 0)) as object),
      testResults: [
        {
          name: file,
          assertionResults: [
            {
              fullName: 'pays',
              status: 'failed',
              failureMessages: [`Timeout 30000ms exceeded.\nCall log:\n    ${stack}`],
            },
          ],
        },
      ],
    }),
    1,
    root,
  );
  expect(failures.at(-1)).toBe(
    'tests/e2e/money.test.ts > pays\n    Timeout 30000ms exceeded. (money.test.ts:75:24)',
  );
});

test('states how long each test took', () => {
  const file = join(root, 'tests/e2e/money.test.ts');
  const assertionResults = [
    { fullName: 'pays', status: 'passed', failureMessages: [], duration: 1_200 },
  ];
  const json = JSON.stringify({
    ...(JSON.parse(report(1, 0, 0, 0)) as object),
    testResults: [{ name: file, assertionResults }],
  });
  expect(countTests('e2e', json, 0, root).timed).toEqual([
    { name: 'tests/e2e/money.test.ts > pays', milliseconds: 1_200 },
  ]);
});

test('selects the tests of folders, test files and source files', () => {
  expect(
    selectTests(
      ['packages/server/src/checkout', 'packages/server/src/checkout/order.test.ts'],
      root,
      root,
    ),
  ).toEqual([
    {
      command: 'run',
      projects: ['@financing-checkout/server*'],
      files: ['packages/server/src/checkout/', 'packages/server/src/checkout/order.test.ts'],
    },
  ]);
  expect(selectTests(['src/checkout/order.ts'], root, join(root, 'packages/server'))).toEqual([
    {
      command: 'related',
      projects: ['@financing-checkout/server*'],
      files: ['packages/server/src/checkout/order.ts'],
    },
  ]);
  const [recipes] = selectTests(['tests/recipes'], root, root);
  expect(recipes?.projects).not.toContain('!recipes');
  expect(recipes?.projects).toContain('!upgrade');
});

test.each([
  ['packages/nowhere', 'There is no file or folder packages/nowhere.'],
  ['docs', 'No test belongs to docs: tests are in packages, tests, examples/shop and site.'],
])('refuses the path %s', (path, message) => {
  expect(() => selectTests([path], root, root)).toThrow(message);
});
