import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { errorCodeOf, LakeError } from './lake-error.ts';

/** A file in its place: its path in the lake, with slashes. */
export interface PlacedFile {
  path: string;
  sha256: string;
  bytes: number;
}

const READ_BYTES = 1_048_576;
/** Files that this program writes; others are left alone. */
const ownFile = /^part-[0-9a-f]{16}\.parquet$/;
/** Readers of a hive layout ignore files whose names begin with a dot. */
const partialFile = /^\.writing-[0-9a-f-]{36}$/;

/** The folder of a lake. Its files and folders may be read by those who may read the folder. */
export class LakeFolder {
  readonly #folder: string;
  readonly #mode: number;

  private constructor(folder: string, mode: number) {
    this.#folder = folder;
    this.#mode = mode;
  }

  /**
   * Opens an existing folder. A missing one is not created: it may be a share that is not mounted.
   * @throws {LakeError}
   */
  static async open(folder: string): Promise<LakeFolder> {
    const found = await stat(folder).catch((error: unknown) => {
      throw LakeError.of(error);
    });
    if (!found.isDirectory()) {
      throw new LakeError('lake-unavailable', 'The path of the lake is no folder.');
    }
    return new LakeFolder(folder, found.mode & 0o777);
  }

  /** Returns the absolute path of a file. */
  absolute(path: string): string {
    return join(this.#folder, path);
  }

  /** Returns whether a file is in its place with its size. */
  async has({ path, bytes }: Pick<PlacedFile, 'path' | 'bytes'>): Promise<boolean> {
    try {
      return (await stat(this.absolute(path))).size === bytes;
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /**
   * Copies a file to a partition. It appears under a name of its content, complete and on the disk.
   * @param partition folders of the partition, with slashes
   */
  async place(source: string, partition: string): Promise<PlacedFile> {
    const folder = this.absolute(partition);
    await this.#makeFolder(folder);
    const partial = join(folder, `.writing-${randomUUID()}`);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      const target = await open(partial, 'wx', 0o600);
      try {
        const pieces: AsyncIterable<Buffer> = createReadStream(source, {
          highWaterMark: READ_BYTES,
        });
        for await (const piece of pieces) {
          hash.update(piece);
          bytes += piece.length;
          await target.writeFile(piece);
        }
        await target.chmod(this.#mode & 0o666);
        await target.sync();
      } finally {
        await target.close();
      }
      const sha256 = hash.digest('hex');
      const path = `${partition}/part-${sha256.slice(0, 16)}.parquet`;
      await rename(partial, this.absolute(path));
      await sync(folder);
      return { path, sha256, bytes };
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** Replaces a file at the top of the lake: readers see the old one or the new one. */
  async replace(name: string, content: string): Promise<void> {
    // There is one manifest, so a partial one of a killed process is overwritten.
    const partial = this.absolute(`.${name}.writing`);
    try {
      const file = await open(partial, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.chmod(this.#mode & 0o666);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, this.absolute(name));
      await sync(this.#folder);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** Returns the paths of the files in the partitions of a table that this program has written. */
  async list(table: string): Promise<string[]> {
    const names = await this.#namesIn(table);
    return names.filter((path) => ownFile.test(path.slice(path.lastIndexOf('/') + 1)));
  }

  /** Removes the files of a table that are not listed, and those that were not completed. */
  async removeOthers(table: string, listed: ReadonlySet<string>): Promise<number> {
    let removed = 0;
    for (const path of await this.#namesIn(table)) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const isOld = ownFile.test(name) && !listed.has(path);
      if (!isOld && !partialFile.test(name)) continue;
      await rm(this.absolute(path), { force: true });
      if (isOld) removed += 1;
    }
    return removed;
  }

  async #namesIn(table: string): Promise<string[]> {
    try {
      const entries = await readdir(this.absolute(table), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.#folder.length))
        .map((path) => path.split(sep).filter(Boolean).join('/'))
        .sort();
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** The process creates files for its own user alone, so folders need their mode. */
  async #makeFolder(folder: string): Promise<void> {
    const missing: string[] = [];
    for (let path = folder; path.length > this.#folder.length; path = dirname(path)) {
      missing.unshift(path);
    }
    for (const path of missing) {
      try {
        await mkdir(path);
      } catch (error) {
        if (errorCodeOf(error) === 'EEXIST') continue;
        throw error;
      }
      await chmod(path, this.#mode);
      await sync(dirname(path));
    }
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
