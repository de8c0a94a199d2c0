import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeChecksums } from '../../scripts/tarballs.ts';
import { root } from './tree.ts';

/** Creates an empty folder, removed after the test. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a release of a tree with changes is refused before anything is removed or built', () => {
  const folder = emptyFolder();
  for (const name of ['release.ts', 'build.ts', 'compile.ts', 'paths.ts', 'tarballs.ts']) {
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
  const tarballs = ['one', 'other'].map((name) => ({ name, file: join(folder, `${name}.tgz`) }));
  for (const { name, file } of tarballs) writeFileSync(file, name);
  writeChecksums(folder, tarballs);
  const check = () =>
    spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  expect(check().status).toBe(0);
  writeFileSync(join(folder, 'other.tgz'), 'changed');
  expect(check().status).toBe(1);
});
