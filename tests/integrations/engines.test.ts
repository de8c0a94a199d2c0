/* `npm run test:merchant`: the packed packages install and start on the oldest Node.js that they promise. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { makeTarballs, type Tarball } from '../../scripts/tarballs.ts';

/** The oldest promised Node.js, as of the package that asks for the latest one. */
const { engines } = JSON.parse(
  readFileSync(join(root, 'packages/server/package.json'), 'utf8'),
) as { engines: { node: string } };
const oldest = `${engines.node.replace('>=', '')}.0`;

let folder: string;
let node: string;
let tarballs: Tarball[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'financing-engines-'));
  const tools = createProject('tools', {});
  const platform = `node-${process.platform}-${process.arch}@${oldest}`;
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, platform, 'pnpm@^10', 'yarn@^1.22'], { cwd: tools });
  node = join(tools, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
  mkdirSync(join(folder, 'packed'));
  tarballs = makeTarballs(join(folder, 'packed'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function createProject(name: string, manifest: object): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  return project;
}

/** Runs a program, and everything that it starts, on the oldest Node.js. */
function runOnOldest(cwd: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_ENV: '',
      PATH: [join(node, '..'), process.env.PATH ?? ''].join(delimiter),
    },
  });
  return { status, output: stdout + stderr };
}

const tool = (path: string) => join(folder, 'tools/node_modules', path);
const managers: Record<string, () => string[]> = {
  npm: () => [realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())],
  pnpm: () => [tool('pnpm/bin/pnpm.cjs')],
  'yarn classic': () => [tool('yarn/bin/yarn.js')],
};

/**
 * Creates a project with these dependencies, for any package manager, that refuses packages for
 * other Node.js versions.
 */
function createStrict(name: string, dependencies: Record<string, string>): string {
  const project = createProject(name, { dependencies });
  writeFileSync(join(project, '.npmrc'), 'engine-strict=true\naudit=false\nfund=false\n');
  return project;
}

describe.each(Object.entries(managers))('%s, on the oldest promised Node.js', (name, command) => {
  const folderOf = (what: string) => `${what}-${name.replace(' ', '-')}`;

  test('installs each package, and each command starts', () => {
    expect(runOnOldest(folder, ['--version']).output.trim()).toBe(`v${oldest}`);
    const project = createStrict(
      folderOf('all'),
      Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`])),
    );
    const { status, output } = runOnOldest(project, [...command(), 'install']);
    expect([status, output]).toEqual([0, expect.any(String)]);
    for (const [path, ...args] of [
      ['server/dist/node/main.js', '--help'],
      ['reconciliation/dist/cli/main.js', '--help'],
      ['sandbox/dist/main.js', '--help'],
    ]) {
      const file = join(project, 'node_modules/@financing-checkout', path ?? '');
      expect([path, runOnOldest(project, [file, ...args]).status]).toEqual([path, 0]);
    }
    for (const [path, exported] of [
      ['ticket', 'signOrderTicket'],
      ['key-fence', 'keyFence'],
    ]) {
      const program = `import('@financing-checkout/${path}').then((all) => console.log(all))`;
      expect(runOnOldest(project, ['-e', program]).output).toContain(exported);
    }
  });

  test('control: refuses a package that supports only later versions', () => {
    // This version of npm requires Node.js 22.22.2 or later.
    const project = createStrict(folderOf('later'), { npm: '12.2.2' });
    const { status, output } = runOnOldest(project, [...command(), 'install']);
    expect([status, output]).toEqual([1, expect.stringMatching(/engine|Unsupported/i)]);
  });
});
