// `npm run reset [-- --data-dir <folder>]`: empties `.data/`, or takes away what `npm start` has made in
// the folder that it was given (databases, keys, certificates, secrets), and nothing else of it.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askedFolder, dataDir } from './paths.ts';
import { stackFolders } from './stack.ts';

/** Whether a sandbox runs on a folder: it keeps its state to itself as long as it does. */
function isInUse(folder: string): boolean {
  const file = join(folder, 'sandbox', 'sandbox.db');
  if (!existsSync(file)) return false;
  const state = new DatabaseSync(file);
  try {
    state.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    // One that is damaged is nobody's, and to be got rid of.
    return error instanceof Error && /locked|busy/i.test(error.message);
  } finally {
    state.close();
  }
}

const { folder, name } = askedFolder('npm run reset');
if (isInUse(folder)) {
  // It would go on with what is in memory, and with files that nobody can see any more.
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
