import { chmod, lstat, mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isOwn, ownIdentity, writeNewFile } from '@financing-checkout/kit/files';

/** Files that only this user can read and that exist only while a statement reads them. */
export class TemporaryFiles {
  /** Absolute path. */
  readonly folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens a folder for exclusive use by this process. Removes an earlier process's files. */
  static async open(folder: string): Promise<TemporaryFiles> {
    const path = resolve(folder);
    await mkdir(path, { recursive: true, mode: 0o700 });
    // A link or another user's folder could point to other programs' files.
    const found = await lstat(path);
    const own = ownIdentity();
    if (!found.isDirectory() || (own !== undefined && !isOwn(found, own))) {
      throw new Error(`${path} is no folder of this user: remove it.`);
    }
    // An existing folder keeps its mode, and statements write files with the process's default mode.
    await chmod(path, 0o700);
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true });
    return new TemporaryFiles(path);
  }

  /** Returns the path of a new file whose name has the given prefix and suffix. */
  path(name: string, ending: string): string {
    return join(this.folder, `${name}.${this.#count++}${ending}`);
  }

  /** Writes a file. @returns its path */
  async write(name: string, content: string | Uint8Array, ending = '.json'): Promise<string> {
    const path = this.path(name, ending);
    await writeNewFile(path, content);
    return path;
  }

  async remove(paths: Iterable<string>): Promise<void> {
    for (const path of paths) await rm(path, { force: true });
  }

  /** Writes files, runs a task with their paths, and removes them even if the task fails. */
  async with<Result>(
    files: readonly { name: string; content: string | Uint8Array; ending?: string }[],
    task: (paths: string[]) => Promise<Result>,
  ): Promise<Result> {
    const paths: string[] = [];
    try {
      for (const { name, content, ending } of files) {
        paths.push(await this.write(name, content, ending));
      }
      return await task(paths);
    } finally {
      await this.remove(paths);
    }
  }

  /** Removes the folder. */
  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Formats a list of strings as SQL literals. */
export function sqlTexts(texts: Iterable<string>): string {
  return `[${Array.from(texts, sqlText).join(', ')}]`;
}

/** Formats a string as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns the disk space available to this user in a folder, in bytes.
 * @throws the error of statfs, such as ENOENT
 */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
