import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, type FileHandle, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ProblemCode } from '@financing-checkout/contract/storefront';
import {
  isPartial,
  requireOwnFolder,
  StrangersFolderError,
  syncFolder,
  writeNamed,
  writeWhole,
} from '@financing-checkout/kit/files';

/** The lake cannot be written or read. The message names no path. */
export class LakeError extends Error {
  override readonly name = 'LakeError';
  readonly code: Extract<ProblemCode, 'lake-unavailable' | 'storage-full'>;

  constructor(code: LakeError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Explains an error from the file system or DuckDB. */
  static of(error: unknown): LakeError {
    if (error instanceof LakeError) return error;
    if (error instanceof StrangersFolderError) {
      const reason = `A folder on the path of the lake ${error.advice}`;
      return new LakeError('lake-unavailable', reason, { cause: error });
    }
    const code = errorCodeOf(error) ?? '';
    const isFull = full.has(code) || (error instanceof Error && fullText.test(error.message));
    if (isFull) return new LakeError('storage-full', 'The disk is full.', { cause: error });
    const reason = reasons[code] ?? `The folder of the lake cannot be used (${code}).`;
    return new LakeError('lake-unavailable', reason, { cause: error });
  }
}

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const fullText = /No space left|Disk quota exceeded/i;
const NOT_PERMITTED = 'This user may not write to the folder of the lake.';
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'The folder of the lake does not exist: mount or create it.',
  ENOTDIR: 'The path of the lake is no folder.',
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: NOT_PERMITTED,
};

/** Returns the code of a system error, such as `ENOENT`. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A file in the lake, with its path, which uses slashes. */
export interface PlacedFile {
  path: string;
  sha256: string;
  bytes: number;
}

const READ_BYTES = 1_048_576;
/** Names of files that this program writes. It leaves all others untouched. */
const ownFile = /^part-[0-9a-f]{16}\.parquet$/;
/** Only this program may write in the lake, whatever its parent folder's permissions. */
const [FOLDERS, FILES] = [0o755, 0o644];

/** A lake's folder. Its files and folders are readable for the same users as the folder itself. */
export class LakeFolder {
  readonly #folder: string;
  readonly #mode: number;

  private constructor(folder: string, mode: number) {
    this.#folder = folder;
    this.#mode = mode;
  }

  /**
   * Opens an existing folder. Does not create a missing one, because it may be an unmounted share.
   * @throws {LakeError} also if another user of the machine could replace its files
   */
  static async open(folder: string): Promise<LakeFolder> {
    try {
      const found = await stat(folder);
      if (!found.isDirectory()) {
        throw new LakeError('lake-unavailable', 'The path of the lake is no folder.');
      }
      return new LakeFolder(await requireOwnFolder(folder), found.mode & 0o777);
    } catch (error) {
      throw LakeError.of(error);
    }
  }

  absolute(path: string): string {
    return join(this.#folder, path);
  }

  /** Returns whether the lake has a complete file: a truncated one has another size. */
  async has({ path, bytes }: Pick<PlacedFile, 'path' | 'bytes'>): Promise<boolean> {
    try {
      return (await stat(this.absolute(path))).size === bytes;
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /**
   * Copies a file to a partition. The file gets a name derived from its content once it is complete
   * and flushed to disk.
   * @param partition folders of the partition, with slashes
   */
  async place(source: string, partition: string): Promise<PlacedFile> {
    const folder = this.absolute(partition);
    await this.#makeFolder(folder);
    const hash = createHash('sha256');
    let bytes = 0;
    let sha256 = '';
    const nameOf = () => `part-${sha256.slice(0, 16)}.parquet`;
    const copy = async (target: FileHandle) => {
      const pieces: AsyncIterable<Buffer> = createReadStream(source, { highWaterMark: READ_BYTES });
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.length;
        await target.writeFile(piece);
      }
      sha256 = hash.digest('hex');
    };
    await writeNamed(folder, copy, { mode: this.#mode & FILES, name: nameOf });
    return { path: `${partition}/${nameOf()}`, sha256, bytes };
  }

  /** Replaces a file in the lake's top folder atomically. */
  async replace(name: string, content: string): Promise<void> {
    await writeWhole(this.absolute(name), (file) => file.writeFile(content), {
      mode: this.#mode & FILES,
    });
    // Leftovers from killed processes. In a sticky folder, another user may own such files, which
    // then cannot be removed.
    for (const found of await readdir(this.#folder)) {
      if (!isPartial(found)) continue;
      await rm(this.absolute(found), { force: true }).catch(ignoreForbidden);
    }
  }

  /** Returns the paths of the files that this program has written in a table's partitions. */
  async list(table: string): Promise<string[]> {
    const names = await this.#namesIn(table);
    return names.filter((path) => ownFile.test(path.slice(path.lastIndexOf('/') + 1)));
  }

  /** Removes a table's files that are not listed, and incomplete ones. */
  async removeOthers(table: string, listed: ReadonlySet<string>): Promise<number> {
    let removed = 0;
    for (const path of await this.#namesIn(table)) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const isOld = ownFile.test(name) && !listed.has(path);
      if (!isOld && !isPartial(name)) continue;
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

  /** The process creates private files by default, so folders need their mode set. */
  async #makeFolder(folder: string): Promise<void> {
    const missing: string[] = [];
    for (let path = folder; path.length > this.#folder.length; path = dirname(path)) {
      missing.unshift(path);
    }
    for (const path of missing) {
      try {
        await mkdir(path);
      } catch (error) {
        if (errorCodeOf(error) !== 'EEXIST') throw error;
        // In a sticky folder, another user may have created the folder, or a link in its place.
        await requireOwnFolder(path);
        continue;
      }
      await chmod(path, this.#mode & FOLDERS);
      await syncFolder(dirname(path));
    }
  }
}

function ignoreForbidden(error: unknown): void {
  if (!['EPERM', 'EACCES'].includes(errorCodeOf(error) ?? '')) throw error;
}
