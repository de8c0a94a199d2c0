import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Everything that running makes, and git ignores. */
export const dataDir = join(root, '.data');
/** A tool that the workspace root lists. */
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
