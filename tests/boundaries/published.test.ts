/* The packages as npm gets them: entry points, types, what is in them and what is not. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './tree.ts';

const run = promisify(execFile);
const attw = join(
  dirname(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json')),
  'dist/index.js',
);
let made: string;
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'published-'));
});
afterAll(() => rmSync(made, { recursive: true }));

/** @returns the tarballs' files, in the order of the folders */
async function pack(...folders: string[]): Promise<string[]> {
  const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', made];
  const { stdout } = await run('npm', [...options, ...folders]);
  return stdout
    .trim()
    .split('\n')
    .map((name) => join(made, name));
}

async function lint(tarball: string): Promise<unknown[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(tarball);
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  return (await publint({ strict: true, pack: { tarball: bytes } })).messages;
}

/** `right`, or what arethetypeswrong has against the types. */
async function judge(tarball: string): Promise<string> {
  try {
    await run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-color']);
    return 'right';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

async function filesOf(tarball: string): Promise<string[]> {
  const { stdout } = await run('tar', ['tzf', tarball]);
  return stdout
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
}

interface Manifest {
  bin?: Record<string, string>;
  customElements?: string;
  'web-types'?: string;
}

/** What pages pin the widget's scripts by (packages/widget/README.md); no field names it. */
const unnamed: Record<string, readonly string[]> = { widget: ['cdn/sri.json'] };

/** Files that tools look for by fields which publint does not know. */
function named(folder: string): string[] {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { bin, customElements, 'web-types': webTypes } = JSON.parse(text) as Manifest;
  return [...Object.values(bin ?? {}), customElements, webTypes]
    .filter((path) => path !== undefined)
    .map((path) => normalize(path));
}

/** The files that a document in a folder leads to, without those on the Web. */
function linksOf(markdown: string, folder: string): string[] {
  return Array.from(markdown.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, path = '']) =>
    normalize(join(folder, path)),
  );
}

const packages = readdirSync(join(root, 'packages'));
/** Of all packages at once: npm takes longer to start than to pack one. */
let packed: Promise<string[]> | undefined;
async function tarballOf(name: string): Promise<string> {
  packed ??= pack(...packages.map((one) => join(root, 'packages', one)));
  return (await packed)[packages.indexOf(name)] ?? '';
}

describe.each(packages)('%s', (name) => {
  const folder = join(root, 'packages', name);

  test('is what publint and arethetypeswrong want', async () => {
    const tarball = await tarballOf(name);
    expect(await lint(tarball)).toEqual([]);
    expect(await judge(tarball)).toBe('right');
  });

  test('holds neither tests nor what only tests need, and all that it names', async () => {
    const files = await filesOf(await tarballOf(name));
    expect(files.filter((file) => /\.(test|fixture)\.|fixtures\/|tsbuildinfo/.test(file))).toEqual(
      [],
    );
    const promised = [...named(folder), ...(unnamed[name] ?? [])];
    expect(files).toEqual(expect.arrayContaining(['package.json', ...promised]));
  });

  test('has all that its documents lead to', async () => {
    const files = await filesOf(await tarballOf(name));
    expect(files).toContain('README.md');
    const led = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => linksOf(readFileSync(join(folder, file), 'utf8'), dirname(file)));
    expect(led.filter((target) => !files.includes(target))).toEqual([]);
  });
});

test('an entry point whose types are not there would be refused', async () => {
  await run('tar', ['xzf', await tarballOf('contract'), '-C', made]);
  const manifest = join(made, 'package/package.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace('./dist/index.d.ts', './dist/indexed.d.ts'));
  const [broken = ''] = await pack(join(made, 'package'));
  expect((await lint(broken)).length).toBeGreaterThan(0);
  expect(await judge(broken)).not.toBe('right');
});
