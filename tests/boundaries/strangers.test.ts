/* A stranger has registered our names: neither our tarballs nor our commands get what the stranger wrote. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTarballs, type Tarball } from '../../scripts/tarballs.ts';
import { isOurs } from './own-names.ts';
import { startStrangerRegistry, type StrangerRegistry } from './stranger-registry.ts';
import { root } from './tree.ts';

let folder = '';
let tarballs: readonly Tarball[] = [];
let stranger: StrangerRegistry;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strangers-'));
  mkdirSync(join(folder, 'packed'));
  tarballs = makeTarballs(join(folder, 'packed'));
  stranger = await startStrangerRegistry(folder);
});
afterAll(async () => {
  await stranger.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => stranger.forget());

const tarballOf = (name: string) =>
  tarballs.find((one) => one.name === `@financing-checkout/${name}`)?.file ?? '';

/** Program and arguments that add packages to a project. */
const managers: Record<string, string[]> = {
  npm: ['npm', 'install'],
  pnpm: [process.execPath, join(root, 'scripts/pnpm.mjs'), 'add', '--ignore-scripts'],
};
const add = (manager: string, cwd: string, file: string) => {
  const [program = '', ...args] = managers[manager] ?? [];
  return stranger.run(cwd, program, [...args, file]);
};
const succeeded = { status: 0, output: expect.any(String) as string };
const strangersFiles = () => stranger.asked.filter((path) => path.endsWith('.tgz'));

/** Returns the packages of ours that the code and the types of a package import. */
function importsOf(unpacked: string): string[] {
  const files = globSync('{dist,own,cdn,frameworks}/**/*.{js,d.ts}', { cwd: unpacked });
  const found = files.flatMap((file) => {
    const code = readFileSync(join(unpacked, file), 'utf8');
    const resolved = code.matchAll(/\bresolve\(\s*['"](@[^'"]+)['"]/g);
    return [
      ...ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName),
      ...Array.from(resolved, ([, name = '']) => name),
    ];
  });
  return [...new Set(found)].filter((name) => name.startsWith('@financing-checkout/'));
}

describe('a tarball', () => {
  test('names no other package of ours, and imports none', () => {
    expect(tarballs.length).toBeGreaterThan(9);
    for (const { name, file } of tarballs) {
      const unpacked = mkdtempSync(join(folder, 'unpacked-'));
      execFileSync('tar', ['xzf', file, '-C', unpacked, '--strip-components=1']);
      const text = readFileSync(join(unpacked, 'package.json'), 'utf8');
      const named = Object.entries(JSON.parse(text) as Record<string, object>)
        .filter(([field]) => /dependencies/i.test(field))
        .flatMap(([, values]) => Object.keys(values));
      const imported = importsOf(unpacked).filter((one) => !`${one}/`.startsWith(`${name}/`));
      expect([name, named.filter(isOurs), imported]).toEqual([name, [], []]);
    }
  });

  describe.each(Object.keys(managers))('installed with %s', (manager) => {
    test.each([
      ['server', 'dist/node/main.js'],
      ['ticket', undefined],
    ])('asks for no name of ours and runs its own code: %s', async (name, main) => {
      const cwd = stranger.project();
      expect(await add(manager, cwd, tarballOf(name))).toEqual(succeeded);
      const program =
        main === undefined
          ? ['-e', `import('@financing-checkout/${name}')`]
          : [join('node_modules/@financing-checkout', name, main), '--help'];
      expect(await stranger.run(cwd, process.execPath, program)).toEqual(succeeded);
      expect([stranger.asked, stranger.ran()]).toEqual([[], undefined]);
    });

    test('control: a manifest that names one of ours gets the stranger’s package', async () => {
      const cwd = stranger.project();
      const manifest = {
        name: 'one',
        version: '1.0.0',
        dependencies: { '@financing-checkout/kit': '0.3.0' },
      };
      mkdirSync(join(cwd, 'one'));
      writeFileSync(join(cwd, 'one/package.json'), JSON.stringify(manifest));
      execFileSync('npm', ['pack', '--silent', './one'], { cwd });
      await add(manager, cwd, './one-1.0.0.tgz');
      expect(strangersFiles()).toHaveLength(1);
    });
  });
});

describe('a command', () => {
  const names = ['key-fence', 'financing-reconcile'];

  test('of ours is not run by npx --no-install when it is not installed', async () => {
    const cwd = stranger.project();
    for (const name of names) {
      expect((await stranger.run(cwd, 'npx', ['--no-install', name])).status).toBe(1);
    }
    expect([strangersFiles(), stranger.ran()]).toEqual([[], undefined]);
  });

  test.each(names)('control: npx of the name %s runs the stranger’s code', async (name) => {
    await stranger.run(stranger.project(), 'npx', ['--yes', name]);
    expect(stranger.ran()).toBe(name);
  });
});
