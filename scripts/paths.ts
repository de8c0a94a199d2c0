import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Everything that running makes, and git ignores. */
export const dataDir = join(root, '.data');
/** A tool that the workspace root lists. */
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

/**
 * The folder that `--data-dir` asks for, and what to call it. A wrong option ends the process with 2.
 */
export function askedFolder(command: string): { folder: string; name: string } {
  try {
    const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
    const { 'data-dir': asked = dataDir } = values;
    return { folder: resolve(asked), name: asked === dataDir ? '.data/' : asked };
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: ${command} [-- --data-dir <folder>]`);
    process.exit(2);
  }
}
