import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/paths.ts';
import { makeTarballs } from '../../scripts/tarballs.ts';

const example = join(root, 'examples/integrations');

/** A folder with the installed packages. */
export interface Packed {
  folder: string;
  remove: () => void;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** The programs of the apps send no usage data and ask no questions. */
const quiet = {
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  NG_CLI_ANALYTICS: 'false',
  ASTRO_TELEMETRY_DISABLED: '1',
};

function spawn(command: string, args: string[], cwd: string) {
  const env = { ...process.env, ...quiet, NODE_ENV: '' };
  return spawnSync(command, args, { cwd, encoding: 'utf8', env });
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawn(command, args, cwd);
  if (status !== 0) {
    throw error ?? new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
  return stdout;
}

/** Returns the installed version of a package, because its range is in the workspace's catalog. */
function installedVersion(name: string): string {
  const file = join(example, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Installs packages in a folder with npm. */
function install(folder: string, packages: readonly string[]): void {
  run('npm', ['install', '--no-audit', '--no-fund', ...packages], folder);
}

/** Packs the packages as they are published, and installs them with npm in an empty folder. */
export function installTarballs(others: readonly string[]): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'financing-packed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const release = join(folder, 'release');
  mkdirSync(release);
  install(folder, [...makeTarballs(release).map(({ file }) => file), ...others]);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Installs and builds an app of examples/integrations/apps, at its place beside the tarballs.
 * @param packed as {@link installTarballs} returns it
 * @returns the folder of the app
 */
export function installApp(packed: string, name: string): string {
  const folder = join(packed, 'examples/integrations/apps', name);
  cpSync(join(example, 'apps', name), folder, { recursive: true });
  cpSync(join(example, 'apps/orders.ts'), join(folder, 'orders.ts'));
  install(folder, []);
  run('npm', ['run', 'build'], folder);
  return folder;
}

/**
 * Checks the types of an app whose page misspells a property of the element.
 * @param folder the app, installed and built
 * @param page path of the file with the element
 */
export function checkMisspelled(folder: string, page: string): { passed: boolean; output: string } {
  const file = join(folder, page);
  const source = readFileSync(file, 'utf8');
  // Captures the tag and the start of its property `companion`, which the replacement misspells.
  const misspelled = source.replace(
    /(<(?:financing-checkout|FinancingCheckout)\b[^>]*?[\s:[]comp)anion(?=[\]=])/,
    '$1ainon',
  );
  if (misspelled === source) throw new Error(`${page} sets no companion.`);
  writeFileSync(file, misspelled);
  const { status, stdout, stderr } = spawn('npm', ['run', 'check'], folder);
  writeFileSync(file, source);
  return { passed: status === 0, output: stdout + stderr };
}

/**
 * Packs the packages as they are published, and installs them with npm in an empty folder with the files
 * of examples/integrations, as a merchant does. Needs the npm registry.
 */
export function installPacked(): Packed {
  const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8')) as Manifest;
  const others = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, range]) => !range.startsWith('workspace:'))
    .map(([name, range]) => `${name}@${range === 'catalog:' ? installedVersion(name) : range}`);
  const packed = installTarballs(others);
  for (const name of ['backends', 'pages', 'vite.config.js']) {
    cpSync(join(example, name), join(packed.folder, name), { recursive: true });
  }
  run(
    join(packed.folder, 'node_modules/.bin/vite'),
    ['build', '--logLevel', 'warn'],
    packed.folder,
  );
  return packed;
}
