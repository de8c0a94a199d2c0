// `npm run reset [-- --data-dir <folder>]`: empties `.data/`. In another folder it deletes only what
// `npm start` created there: databases, keys, certificates and secrets.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askedFolder, dataDir } from './paths.ts';
import { stackFolders } from './stack.ts';

/** Returns whether a sandbox uses a folder: a running sandbox keeps its state locked. */
function isInUse(folder: string): boolean {
  const file = join(folder, 'sandbox', 'sandbox.db');
  if (!existsSync(file)) return false;
  const state = new DatabaseSync(file);
  try {
    state.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    // No program can use a damaged database, so it may be deleted.
    return error instanceof Error && /locked|busy/i.test(error.message);
  } finally {
    state.close();
  }
}

const { folder, name } = askedFolder('npm run reset');
if (isInUse(folder)) {
  // A running sandbox would continue with its state in memory and with deleted files that are still
  // open.
  console.error(`npm start is running on ${name}: end it first, with Ctrl-C.`);
  process.exit(1);
}
const made =
  folder === dataDir
    ? [folder]
    : Object.entries(stackFolders)
        .filter(([name, file]) => existsSync(join(folder, name, file)))
        .map(([name]) => join(folder, name));
for (const each of made) rmSync(each, { recursive: true, force: true });
console.log(`${name} is reset. The next start makes new keys and an empty shop.`);
