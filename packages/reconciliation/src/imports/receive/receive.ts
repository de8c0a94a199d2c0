import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@financing-checkout/kit';
import { createFile } from '@financing-checkout/kit/files';
import { Places } from '../../platform/places.ts';
import { ProblemError } from '../../platform/problem.ts';
import { LedgerImportError } from '../import-error.ts';

/** Maximum upload time of a file, in milliseconds. */
export const LONGEST_MS = 1_800_000;
/** In each interval, a client must send at least {@link LEAST_BYTES} or finish the file. */
const INTERVAL_MS = 30_000;
const LEAST_BYTES = 131_072;
/** Maximum number of concurrent uploads. */
const OF_ONE_SENDER = 2;
const OF_ALL_SENDERS = 8;
/** Disk space to keep free for the record store and the analytics database, in bytes. */
const RESERVE_BYTES = 536_870_912;
/**
 * Bytes to receive before free disk space is checked again, because other programs also use the
 * disk.
 */
const LOOK_AGAIN_BYTES = 16_777_216;
const RETRY_SECONDS = 5;

/** A file being uploaded. */
export interface Upload {
  pieces: AsyncIterable<Uint8Array>;
  /** Name of the access token used for the upload. */
  sender: string;
  /** Declared size in bytes; undefined if it is not known in advance. */
  declared?: number | undefined;
  /** Aborted when the sender disconnects, which stops the reading of a workbook. */
  signal?: AbortSignal | undefined;
}

export interface ReceivedFile {
  path: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
  size: number;
}

export interface ReceiverOptions {
  /** Private folder. At the next start, files left behind by a crash are removed. */
  folder: string;
  clock: Clock;
  /** Maximum file size in bytes. */
  maxBytes: number;
  /** Advice for a larger file. @default to split it, or to raise RECONCILIATION_IMPORT_LIMIT */
  adviceAbove?: string;
  /** Returns the free disk space of a folder, in bytes. */
  freeBytes: (folder: string) => Promise<number>;
}

/**
 * Receives each file completely before it is imported, so that a slow client does not block other
 * imports.
 */
export interface Receiver {
  /**
   * Receives a file, runs a task with it, and then removes it even after a failure. No other user
   * can read the file.
   * @throws {ProblemError} `request-too-large`; `rate-limited` or `overloaded` if there are too
   * many concurrent uploads; `storage-full`
   * @throws {LedgerImportError} for a client that is too slow
   */
  receive<Result>(upload: Upload, task: (file: ReceivedFile) => Promise<Result>): Promise<Result>;
  /** Returns the number of bytes that reading a file may write to disk. */
  room(): Promise<number>;
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { clock, folder, freeBytes, maxBytes } = options;
  const { adviceAbove = 'split it, or raise RECONCILIATION_IMPORT_LIMIT' } = options;
  const places = new Places({
    ofOne: OF_ONE_SENDER,
    ofAll: OF_ALL_SENDERS,
    retryAfterSeconds: RETRY_SECONDS,
    oneIsFull: `This token is sending ${OF_ONE_SENDER} files already: retry when one of them has arrived. This body was not read.`,
    allIsFull: 'Too many files are arriving: retry in a moment. This body was not read.',
  });

  const room = async () => Math.max(0, (await freeBytes(folder)) - RESERVE_BYTES);

  /**
   * @throws {ProblemError} if there is not enough disk space for the rest of the file and for its
   * lines, which are about as large
   */
  async function requireRoom(size: number, received: number): Promise<void> {
    if ((await room()) < size - received + size) throw storageFull();
  }

  async function write(
    { declared = 0, pieces }: Upload,
    handle: FileHandle,
  ): Promise<Omit<ReceivedFile, 'path'>> {
    const hash = createHash('sha256');
    let size = 0;
    let looked = 0;
    let isOver = false;
    const watch = watchPace(clock);

    async function copy(): Promise<void> {
      for await (const piece of pieces) {
        if (isOver) return;
        size += piece.length;
        watch.count(piece.length);
        if (size > maxBytes) throw tooLarge(maxBytes, adviceAbove);
        if (size - looked > LOOK_AGAIN_BYTES) {
          looked = size;
          await requireRoom(Math.max(size, declared), size - piece.length);
        }
        hash.update(piece);
        await handle.writeFile(piece);
      }
    }

    try {
      // One race for all chunks: each race with a promise that stays pending would retain its chunk.
      await Promise.race([watch.tooSlow, copy()]);
    } finally {
      isOver = true;
      watch.end();
    }
    return { digest: hash.digest('hex'), size };
  }

  async function arrive(upload: Upload, path: string): Promise<ReceivedFile> {
    const { declared = 0, sender } = upload;
    if (declared > maxBytes) throw tooLarge(maxBytes, adviceAbove);
    const leave = places.take(sender);
    try {
      await requireRoom(declared, 0);
      const handle = await createFile(path);
      try {
        return { path, ...(await write(upload, handle)) };
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw isDiskFull(error) ? storageFull() : error;
    } finally {
      leave();
    }
  }

  return {
    room,
    async receive(upload, task) {
      const path = join(folder, `import-${randomUUID()}.raw`);
      try {
        return await task(await arrive(upload, path));
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}

/** Monitors the upload speed of a file. `tooSlow` may reject; it never resolves. */
function watchPace(clock: Clock): {
  tooSlow: Promise<never>;
  count: (bytes: number) => void;
  end: () => void;
} {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  // The file may end before anything else awaits this promise.
  tooSlow.catch(() => undefined);
  let bytes = 0;
  const cancelLongest = clock.after(LONGEST_MS, () =>
    reject(
      new LedgerImportError(
        `The file took more than ${LONGEST_MS / 60_000} minutes to arrive and nothing was imported: split it, or send it from a faster connection.`,
      ),
    ),
  );
  let cancelInterval = clock.after(INTERVAL_MS, function check() {
    if (bytes < LEAST_BYTES) {
      reject(
        new LedgerImportError(
          `Less than ${LEAST_BYTES / 1_024} KiB arrived in ${INTERVAL_MS / 1_000} seconds and nothing was imported: send the file again, from a complete copy.`,
        ),
      );
      return;
    }
    bytes = 0;
    cancelInterval = clock.after(INTERVAL_MS, check);
  });
  return {
    tooSlow,
    count: (more) => void (bytes += more),
    end() {
      cancelInterval();
      cancelLongest();
    },
  };
}

/** Returns the error for a file above the limit. */
export function tooLarge(maxBytes: number, advice: string): ProblemError {
  return new ProblemError('request-too-large', {
    detail: `The maximum size of a file is ${maxBytes} bytes, and nothing was imported: ${advice}.`,
  });
}

function storageFull(): ProblemError {
  return new ProblemError('storage-full', {
    detail: `The file, its lines and a reserve of ${RESERVE_BYTES / 1_048_576} MiB do not fit on the disk of the analytics database, and nothing was imported: free space there, then retry.`,
    retrySafe: true,
  });
}

function isDiskFull(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(?:ENOSPC|EDQUOT)$/.test(String(error.code))
  );
}
