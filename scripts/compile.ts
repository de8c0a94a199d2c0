// Compiles and type-checks every project of the workspace, with the native compiler.
import { spawnSync } from 'node:child_process';
import { bin, root } from './paths.ts';

/**
 * One type checker for each project: projects are compiled in parallel, and each additional checker
 * for a project would check the shared declarations again.
 */
const options = ['-b', '--checkers', '1'];

/** @throws {Error} when a project has an error */
export function compile(): void {
  const { status } = spawnSync(bin('tsc'), options, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`tsc ${options.join(' ')} failed (exit ${status}).`);
}

if (import.meta.main) {
  try {
    compile();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
