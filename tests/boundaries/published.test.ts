/* Packs each package as it is published, and checks its entry points, its types and its files. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTarballs, type Tarball } from '../../scripts/tarballs.ts';
import { root } from './tree.ts';

const run = promisify(execFile);
/** How Node's `require` and TypeScript before 4.7 resolve: the packages support neither. */
const unsupportedResolutions = ['node10', 'node16-cjs'];
let made: string;
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'published-'));
});
afterAll(() => rmSync(made, { recursive: true }));

async function lint(tarball: string): Promise<unknown[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(tarball);
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  return (await publint({ strict: true, pack: { tarball: bytes } })).messages;
}

/** Lists what arethetypeswrong finds wrong with the types, for importers that use ES modules. */
async function findTypeProblems(tarball: string): Promise<unknown[]> {
  // The console is files for a browser, and nothing to import.
  if (!(await isImportable(tarball))) return [];
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!result.types) return ['no types'];
  return result.problems.filter(
    (problem) =>
      !('resolutionKind' in problem) || !unsupportedResolutions.includes(problem.resolutionKind),
  );
}

/** Returns whether a package has an entry point besides its package.json. */
async function isImportable(tarball: string): Promise<boolean> {
  const { stdout } = await run('tar', ['xzOf', tarball, 'package/package.json']);
  const { exports } = JSON.parse(stdout) as { exports?: object };
  return Object.keys(exports ?? { '.': '' }).some((path) => path !== './package.json');
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

/** Files that no field of package.json names: the hashes by which pages pin the widget's scripts. */
const unnamed: Record<string, readonly string[]> = { widget: ['cdn/sri.json'] };

/** Returns the files named by fields of package.json that publint does not check. */
function named(folder: string): string[] {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { bin, customElements, 'web-types': webTypes } = JSON.parse(text) as Manifest;
  return [...Object.values(bin ?? {}), customElements, webTypes]
    .filter((path) => path !== undefined)
    .map((path) => normalize(path));
}

/** Returns the local files that a document links to. */
function linksOf(markdown: string, folder: string): string[] {
  return Array.from(markdown.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, path = '']) =>
    normalize(join(folder, path)),
  );
}

const packages = readdirSync(join(root, 'packages'));
let tarballs: readonly Tarball[] = [];
beforeAll(() => {
  tarballs = makeTarballs(made);
});
function tarballOf(name: string): string {
  return tarballs.find((one) => one.name === `@financing-checkout/${name}`)?.file ?? '';
}

describe.each(packages)('%s', (name) => {
  const folder = join(root, 'packages', name);

  test('passes publint and arethetypeswrong', async () => {
    const tarball = tarballOf(name);
    expect(await lint(tarball)).toEqual([]);
    expect(await findTypeProblems(tarball)).toEqual([]);
  });

  test('contains every file it names, and neither tests nor fixtures', async () => {
    const files = await filesOf(tarballOf(name));
    expect(files.filter((file) => /\.(test|fixture)\.|fixtures\/|tsbuildinfo/.test(file))).toEqual(
      [],
    );
    const promised = [...named(folder), ...(unnamed[name] ?? [])];
    expect(files).toEqual(expect.arrayContaining(['package.json', ...promised]));
  });

  test('contains every file its documents link to', async () => {
    const files = await filesOf(tarballOf(name));
    expect(files).toContain('README.md');
    const targets = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => linksOf(readFileSync(join(folder, file), 'utf8'), dirname(file)));
    expect(targets.filter((target) => !files.includes(target))).toEqual([]);
  });
});

test('control: reports an entry point whose types are missing', async () => {
  await run('tar', ['xzf', tarballOf('contract'), '-C', made]);
  const manifest = join(made, 'package/package.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace('./dist/money/index.d.ts', './dist/money/indexed.d.ts'));
  await run('npm', ['pack', '--silent', '--pack-destination', made, join(made, 'package')]);
  const broken = tarballOf('contract');
  expect((await lint(broken)).length).toBeGreaterThan(0);
  expect((await findTypeProblems(broken)).length).toBeGreaterThan(0);
});
