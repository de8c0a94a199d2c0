// `node scripts/pnpm.mjs <arguments>` runs the pnpm version in scripts/pnpm/package-lock.json. npm
// compares what it downloads with the SHA-512 there, writes nothing that differs, and runs no
// install script. It is plain JavaScript without dependencies, because it runs before anything is
// installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const windows = process.platform === 'win32';
const here = fileURLToPath(import.meta.url);
const folder = join(dirname(here), 'pnpm');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Returns the folder of the package for this platform: the installed optional dependency of
 * `folder`, because package managers install only the one that fits. Returns undefined if none
 * fits.
 */
export function findPlatformPackage(folder) {
  const { optionalDependencies } = readJson(join(folder, 'package.json'));
  return Object.keys(optionalDependencies)
    .map((name) => join(folder, 'node_modules', name))
    .find((path) => existsSync(path));
}

/** Returns whether the installed packages have the SHA-512 of the lockfile, as npm recorded it when it installed them. */
function isInstalled() {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const locked = readJson(join(folder, 'package-lock.json')).packages;
  const installed = Object.entries(readJson(record).packages);
  const isLocked = ([path, { integrity }]) => integrity && locked[path]?.integrity === integrity;
  return installed.length > 0 && installed.every(isLocked);
}

/**
 * Runs pnpm with the output of this process, and installs it first if it is missing.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 * @returns {number} its exit code; 1 if no pnpm with the lockfile's SHA-512 can be installed
 */
export function runPnpm(args, options = {}) {
  if (!isInstalled()) {
    const flags = ['--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
    spawnSync('npm', ['ci', ...flags, '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: windows,
    });
  }
  // npm silently skips an optional package, even if its SHA-512 does not match.
  const installed = isInstalled() ? findPlatformPackage(folder) : undefined;
  if (installed === undefined) {
    console.error(
      `No pnpm was run: scripts/pnpm/package-lock.json has none for ${process.platform} ${process.arch}, the download` +
        ' failed, or the downloaded file does not have the SHA-512 of the lockfile.',
    );
    return 1;
  }
  const program = join(installed, windows ? 'pnpm.exe' : 'pnpm');
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (error) console.error(`pnpm did not start: ${error.message}`);
  return status ?? 1;
}

if (realpathSync(process.argv[1]) === here) {
  process.exitCode = runPnpm(process.argv.slice(2));
}
