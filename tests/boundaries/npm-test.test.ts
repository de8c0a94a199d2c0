/* Whatever goes wrong in `npm test` is in its exit code and its last line. The tools are played. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { root } from './tree.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-test-'));
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  for (const name of ['test.ts', 'paths.ts']) {
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
  for (const name of ['tsc', 'prettier', 'oxlint', 'eslint'])
    tool(name, `[ "$BROKEN" != ${name} ]`);
  tool(
    'vitest',
    `for option in "$@"; do case $option in --outputFile.json=*) report=\${option#*=};; esac; done
    tell() { echo "{\\"numPassedTests\\":$1,\\"numFailedTests\\":$2,\\"numPendingTests\\":$3,\\"numTodoTests\\":$4,\\"testResults\\":[]}" > $report; }
    case "$BROKEN $report" in
      "a failing test "*/e2e.json) tell 9 1 0 0; exit 1;;
      "a skipped test "*/e2e.json) tell 9 0 1 0;;
      "an unwritten test "*/e2e.json) tell 9 0 0 1;;
      "an error of no test "*/e2e.json) tell 10 0 0 0; exit 1;;
      "a run without tests "*/e2e.json) tell 0 0 0 0;;
      "a crash "*/companions.json) kill -9 $$;;
      "half a report "*/companions.json) printf '{"numPassedTests":9' > $report;;
      "another report "*/companions.json) echo '{}' > $report; exit 1;;
      *) tell 10 0 0 0;;
    esac`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns exit code and last line of a run in which something is broken */
function run(broken: string): Promise<[unknown, string | undefined]> {
  const env = { PATH: process.env.PATH, BROKEN: broken };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'scripts/test.ts')], { env }, (error, stdout) =>
      resolve([error?.code ?? 0, stdout.trim().split('\n').at(-1)]),
    );
  });
}

it('ends well when all is well', async () => {
  expect(await run('nothing')).toEqual([0, '55 passed, 0 failed']);
});

test.each([
  ['tsc', 2],
  ['prettier', 54],
  ['oxlint', 54],
  ['eslint', 54],
  ['bundles', 4],
  ['Chromium', 34],
  ['a failing test', 54],
  ['a skipped test', 54],
  ['an unwritten test', 54],
  ['an error of no test', 55],
  ['a run without tests', 45],
  ['a crash', 45],
  ['half a report', 45],
  ['another report', 45],
])('does not when it is broken: %s', async (broken, passed) => {
  expect(await run(broken)).toEqual([1, `${passed} passed, 1 failed`]);
});
