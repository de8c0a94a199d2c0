import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { carryOwnPackages } from './carried.ts';
import { root } from './paths.ts';

/** A package as it is published. */
export interface Tarball {
  name: string;
  file: string;
}

/**
 * Packs each package as it is published: with versions in place of `workspace:` and `catalog:`, and
 * with what it needs from the others. The packages must be built.
 * @param folder where the files go
 * @returns the tarballs, in the order of their names
 */
export function makeTarballs(folder: string): Tarball[] {
  const made = mkdtempSync(join(tmpdir(), 'financing-tarballs-'));
  try {
    const packed = pack(root, './packages/*', made);
    const folders = packed.map(({ name, file }) => {
      const unpacked = join(made, 'workspace', basename(name));
      mkdirSync(unpacked, { recursive: true });
      execFileSync('tar', ['xzf', file, '-C', unpacked, '--strip-components=1']);
      return unpacked;
    });
    carryOwnPackages(folders);
    writeFileSync(join(made, 'workspace/pnpm-workspace.yaml'), "packages: ['*']\n");
    writeFileSync(join(made, 'workspace/package.json'), '{ "private": true }\n');
    return pack(join(made, 'workspace'), './*', folder);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** Packs the packages of a workspace. */
function pack(workspace: string, packages: string, folder: string): Tarball[] {
  const pnpm = join(root, 'scripts/pnpm.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [pnpm, '-r', '--filter', packages, 'pack', '--pack-destination', folder, '--json'],
    { cwd: workspace, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`The packages cannot be packed:\n${stdout}\n${stderr}`);
  const packed = JSON.parse(stdout) as { name: string; filename: string }[];
  return packed
    .map(({ name, filename }) => ({ name, file: filename }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/**
 * Writes `SHA256SUMS`, which `sha256sum --check` reads.
 * @returns the path of the file
 */
export function writeChecksums(folder: string, files: readonly string[]): string {
  const lines = files.map((file) => {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    return `${digest}  ${basename(file)}\n`;
  });
  const path = join(folder, 'SHA256SUMS');
  writeFileSync(path, lines.join(''));
  return path;
}

/**
 * Writes the packages' dependencies as a CycloneDX document, from the lockfile and the installed
 * packages. Native packages are those for this platform.
 * @returns the path of the file
 */
export function writeBillOfMaterials(folder: string): string {
  const path = join(folder, 'sbom.cdx.json');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[join(root, 'scripts/pnpm.mjs'), '-r', '--filter', './packages/*', 'sbom', '--prod'],
      ...['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--out', path],
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The dependencies cannot be listed:\n${stdout}\n${stderr}`);
  return path;
}

/**
 * Returns the changelog's section for a version, preceded by unreleased changes.
 * @throws {Error} if it has no section for this version
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const own = sections.findIndex((section) => section.startsWith(`## ${version}\n`));
  if (own === -1) throw new Error(`CHANGELOG.md has no section "## ${version}".`);
  return sections.slice(0, own + 1).join('');
}
