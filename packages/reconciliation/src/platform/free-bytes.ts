import { statfs } from 'node:fs/promises';

/**
 * Returns the bytes that this user may still write to the disk of a folder.
 * @throws the error of statfs, such as ENOENT
 */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
