import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { releaseNotes, writeBillOfMaterials, writeChecksums } from '../../scripts/tarballs.ts';
import { root } from './tree.ts';

/** Creates an empty folder, removed after the test. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a release of a tree with changes is refused before anything is removed or built', () => {
  const folder = emptyFolder();
  for (const name of [
    'release.ts',
    'build.ts',
    'carried.ts',
    'compile.ts',
    'paths.ts',
    'tarballs.ts',
  ]) {
    mkdirSync(join(folder, 'scripts'), { recursive: true });
    cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  }
  mkdirSync(join(folder, 'packages/one/dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/release.ts')], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining('The tree has changes')]);
  expect(stderr).toContain('package.json');
  expect(existsSync(join(folder, 'packages/one/dist'))).toBe(true);
});

test('the checksums of a release are those that sha256sum computes', () => {
  const folder = emptyFolder();
  const files = ['one', 'other'].map((name) => join(folder, `${name}.tgz`));
  for (const file of files) writeFileSync(file, file);
  writeChecksums(folder, files);
  const check = () =>
    spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  expect(check().status).toBe(0);
  writeFileSync(join(folder, 'other.tgz'), 'changed');
  expect(check().status).toBe(1);
});

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

test('each package, program and chart states the version of package.json', () => {
  const manifests = globSync(
    ['{packages,examples}/*/package.json', 'examples/integrations/apps/*/package.json'],
    { cwd: root, exclude: ['**/node_modules'] },
  );
  const own =
    /"(?:version|@financing-checkout\/[a-z-]+)": "(?:file:.*-)?(\d+\.\d+\.\d+[^"]*?)(?:\.tgz)?"/g;
  const stated = [...manifests, 'bench/package.json', 'site/package.json'].map((file) =>
    Array.from(read(file).matchAll(own), ([, found]) => `${file}: ${found}`),
  );
  expect(stated.flat().length).toBeGreaterThan(10);
  expect(stated.flat().filter((line) => !line.endsWith(`: ${version}`))).toEqual([]);
  for (const [file, line] of [
    ['packages/server/src/version.ts', `version = '${version}'`],
    ['packages/reconciliation/src/version.ts', `version = '${version}'`],
    ['packages/widget/src/flow/flow-element.ts', `version: string = '${version}'`],
    [
      'deploy/helm/financing-checkout/Chart.yaml',
      `\nversion: ${version}\nappVersion: ${version}\n`,
    ],
  ] as const) {
    expect(read(file), file).toContain(line);
  }
});

test('the notes of a release are its section of the changelog, preceded by unreleased changes', () => {
  const notes = releaseNotes(read('CHANGELOG.md'), version);
  expect(notes).toContain(`## ${version}\n`);
  expect(notes).toContain('### Upgrading');
  expect(notes).not.toContain('## 0.2.0\n');
  const changelog = '# Changelog\n\n## Unreleased\n\nnew\n\n## 1.1.0\n\nown\n\n## 1.0.0\n\nold\n';
  expect(releaseNotes(changelog, '1.1.0')).toBe('## Unreleased\n\nnew\n\n## 1.1.0\n\nown\n\n');
  expect(() => releaseNotes(changelog, '1.2.0')).toThrow('no section "## 1.2.0"');
});

interface BillOfMaterials {
  metadata: { component: { name: string; version: string } };
  components: {
    name: string;
    purl: string;
    licenses?: { license: { id?: string } }[];
    externalReferences?: { hashes?: { alg: string }[] }[];
  }[];
}

test('the bill of materials is valid CycloneDX, with the license and hash of each dependency', async () => {
  const text = readFileSync(writeBillOfMaterials(emptyFolder()), 'utf8');
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(text)).toBeNull();
  expect(await validator.validate(text.replace('"CycloneDX"', '"Other"'))).not.toBeNull();
  const { components, metadata } = JSON.parse(text) as BillOfMaterials;
  expect(metadata.component).toMatchObject({ name: 'financing-checkout', version });
  const names = components.map(({ name }) => name);
  // Direct, transitive, bundled into the console, and native.
  for (const name of ['hono', 'pg-protocol', 'lit', 'node-api']) expect(names).toContain(name);
  const bad = components.filter(
    ({ externalReferences = [], licenses = [], purl }) =>
      licenses.every(({ license }) => license.id === undefined) ||
      (!purl.includes('financing-checkout') &&
        !externalReferences.some(({ hashes = [] }) => hashes.some(({ alg }) => alg === 'SHA-512'))),
  );
  expect(bad.map(({ purl }) => purl)).toEqual([]);
});
