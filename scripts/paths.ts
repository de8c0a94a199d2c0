import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folder for everything that commands write; git ignores it. */
export const dataDir = join(root, '.data');
/** Returns the path of a tool that the root package.json lists. */
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

/**
 * Returns the folder of `--data-dir` and its display name. Ends the process with 2 on a wrong option.
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
