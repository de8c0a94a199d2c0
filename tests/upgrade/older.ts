import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, root } from '../../scripts/paths.ts';

/**
 * Commit of the version before. No version is published before 0.3.0, so this is a commit of 0.3.0
 * itself whose stores this version uses; the next version names that of 0.3.0.
 */
const COMMIT = '451f9c28';
const folder = join(dataDir, 'upgrade', COMMIT);

/** Programs of the version before. */
export const older = {
  companion: join(folder, 'packages/server/dist/node/main.js'),
  reconciliation: join(folder, 'packages/reconciliation/dist/cli/main.js'),
};

/**
 * Installs and compiles the version before from the history of this repository, once.
 * @throws {Error} if the history lacks its commit, or a step fails
 */
export function buildOlder(): void {
  const stamp = join(folder, '.built');
  if (existsSync(stamp)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', COMMIT], {
    cwd: root,
    maxBuffer: 500_000_000,
  });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  const run = (script: string, ...args: string[]) => {
    const { status } = spawnSync(process.execPath, [script, ...args], {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, CI: 'true' },
    });
    if (status !== 0) throw new Error(`${[script, ...args].join(' ')} failed (exit ${status}).`);
  };
  run(join(root, 'scripts/pnpm.mjs'), 'install', '--frozen-lockfile', '--prefer-offline');
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  run(tsc, '-b', 'packages/server', 'packages/reconciliation');
  writeFileSync(stamp, '');
}
