import { chmod } from 'node:fs/promises';

const ONLY_FOR_THIS_USER = 0o077;

/**
 * Makes each file that the process creates from now on private to its user. This is for libraries
 * that create files at any time and accept no mode, such as DuckDB with its database, log and
 * temporary files.
 */
export function makeNewFilesPrivate(): void {
  process.umask(ONLY_FOR_THIS_USER);
}

/** Makes an existing file or folder private to this user; has no effect if it does not exist. */
export async function makePrivate(path: string, mode: 0o600 | 0o700): Promise<void> {
  try {
    await chmod(path, mode);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
