import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@financing-checkout/kit';
import { Places } from '../platform/places.ts';
import { ProblemError } from '../platform/problem.ts';
import { LedgerImportError } from './columns.ts';

/** Maximum milliseconds for a whole file. */
export const LONGEST_MS = 1_800_000;
/** In each such interval a sender has to send {@link LEAST_BYTES}, or the end of the file. */
const INTERVAL_MS = 30_000;
const LEAST_BYTES = 131_072;
/** Maximum number of files that arrive at the same time. */
const OF_ONE_SENDER = 2;
const OF_ALL_SENDERS = 8;
/** Bytes of the disk that a file leaves free, for the record store and the analytics database. */
const RESERVE_BYTES = 536_870_912;
/** Received bytes after which the disk is looked at again: other programs fill it, too. */
const LOOK_AGAIN_BYTES = 16_777_216;
const RETRY_SECONDS = 5;

/** A file that is to be imported, as it arrives. */
export interface Upload {
  pieces: AsyncIterable<Uint8Array>;
  /** Name of the access token that sends it. */
  sender: string;
  /** Bytes that it will have; undefined: not known yet. */
  declared?: number | undefined;
}

/** A file that has arrived. */
export interface ReceivedFile {
  path: string;
  /** SHA-256, hexadecimal. */
  digest: string;
  size: number;
}

export interface ReceiverOptions {
  /** Private folder, in which the next start removes what a crash left behind. */
  folder: string;
  clock: Clock;
  /** Maximum bytes of a file. */
  maxBytes: number;
  /** What to do with a larger file. @default to split it, or to raise RECONCILIATION_IMPORT_LIMIT */
  adviceAbove?: string;
  /** Returns the free bytes of a folder's disk. */
  freeBytes: (folder: string) => Promise<number>;
}

/** Receives files completely, so that a slow sender keeps no other import waiting. */
export interface Receiver {
  /**
   * Receives a file, runs a task with it, and removes it even if either fails. Nobody else can read
   * the file.
   * @throws {ProblemError} `request-too-large`; `rate-limited` or `overloaded`, if too many files
   * arrive; `storage-full`
   * @throws {LedgerImportError} for a sender that is too slow
   */
  receive<Result>(upload: Upload, task: (file: ReceivedFile) => Promise<Result>): Promise<Result>;
  /** Returns the bytes that reading a file may write to the disk. */
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

  /** @throws {ProblemError} unless the rest of a file and its lines, about as large, fit */
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
    const watch = watchPace(clock);
    const source = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([watch.tooSlow, source.next()]);
        if (next.done === true) break;
        const piece = next.value;
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
    } finally {
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
      const handle = await open(path, 'wx', 0o600);
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

/** Watches how fast a file arrives. `tooSlow` rejects; it never resolves. */
function watchPace(clock: Clock): {
  tooSlow: Promise<never>;
  count: (bytes: number) => void;
  end: () => void;
} {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  // The file may end before anything waits for this promise again.
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

/** Returns the refusal of a file above the limit. */
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
