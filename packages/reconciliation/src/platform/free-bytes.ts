import { statfs } from 'node:fs/promises';

/**
 * Returns the disk space available to this user in a folder, in bytes.
 * @throws the error of statfs, such as ENOENT
 */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
