/* `npm run test:merchant`: no package manager gets a stranger's package for a tarball of ours. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTarballs, type Tarball } from '../../scripts/tarballs.ts';
import { startStrangerRegistry, type StrangerRegistry } from '../boundaries/stranger-registry.ts';

let folder = '';
let tarballs: readonly Tarball[] = [];
let stranger: StrangerRegistry;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'financing-strangers-'));
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  const programs = ['npm@^10', 'pnpm@^10', 'yarn@^1.22', 'yarn-4@npm:@yarnpkg/cli-dist@^4'];
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, '--prefix', tools, ...programs], { cwd: tools });
  mkdirSync(join(folder, 'packed'));
  tarballs = makeTarballs(join(folder, 'packed'));
  stranger = await startStrangerRegistry(folder);
});
afterAll(async () => {
  await stranger.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => stranger.forget());

describe.each([
  ['npm 10', 'npm/bin/npm-cli.js', 'install'],
  ['pnpm 10', 'pnpm/bin/pnpm.cjs', 'add'],
  ['Yarn 1', 'yarn/bin/yarn.js', 'add'],
  ['Yarn 4', 'yarn-4/bin/yarn.js', 'add'],
])('%s', (_, program, command) => {
  test.each([
    ['server', 'dist/node/main.js'],
    ['sandbox', 'dist/main.js'],
    ['key-fence', 'dist/main.js'],
    ['ticket', undefined],
    ['reconciliation-rules', undefined],
  ])('installs %s, asks for no name of ours, and it runs its own code', async (name, main) => {
    const cwd = stranger.project();
    const full = `@financing-checkout/${name}`;
    const file = tarballs.find((one) => one.name === full)?.file ?? '';
    const done = { status: 0, output: expect.any(String) as string };
    const args = [join(folder, 'tools/node_modules', program), command, `${full}@file:${file}`];
    expect(await stranger.run(cwd, process.execPath, args)).toEqual(done);
    const use =
      main === undefined
        ? ['-e', `import('${full}')`]
        : [join('node_modules', full, main), '--help'];
    expect(await stranger.run(cwd, process.execPath, use)).toEqual(done);
    expect([stranger.asked, stranger.ran()]).toEqual([[], undefined]);
  });
});
