import { isMarkedAsUntransferable, type Worker } from 'node:worker_threads';
import type { Environment } from '@financing-checkout/contract';
import type { StoreLocation } from '../config/store.ts';
import { ImportBusyError, LedgerImportError } from '../reconciliation/ledger/columns.ts';
import type { ImportReport } from '../reconciliation/ledger/import-report.ts';
import {
  createLedgerImport as createImportHere,
  type LedgerImport,
  type LedgerImportOptions,
} from '../reconciliation/ledger/ledger-import.ts';
import { systemClock } from '../clock/clock.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { errorOf, type OwnErrors, startThread, type ToldError } from './thread.ts';

export interface NodeLedgerImportOptions {
  environment: Environment;
  /** Where the store is: a thread opens it anew. */
  location: StoreLocation;
  store: Store;
}

/** An import in a thread of its own. */
export interface NodeLedgerImport extends LedgerImport {
  /**
   * Reads a file, and either all of it or nothing is in the books.
   * @param input pieces with a buffer of their own are handed over: nobody uses them again
   * @throws {LedgerImportError} for options that cannot be used
   * @throws {ImportBusyError} while another import is under way
   */
  run(input: AsyncIterable<Uint8Array>, options?: LedgerImportOptions): Promise<ImportReport>;
  /** Ends what is under way at once: the next import carries it through, or clears it away. */
  close(): Promise<void>;
}

/** What the thread is given when it starts; a secret cannot be sent as such. */
export interface LedgerThreadData {
  environment: Environment;
  store: { kind: 'sqlite'; file: string } | { kind: 'postgres'; name: string; url: string };
  task: LedgerTask;
}

type LedgerTask = { kind: 'run'; options: LedgerImportOptions } | { kind: 'resume' };

/** To the thread: the file, or that it breaks off here. */
export type ToLedgerThread =
  { kind: 'piece'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'end' } | { kind: 'broken' };

/** From the thread: for how many pieces more there is room, and how it ended. */
export type FromLedgerThread =
  | { kind: 'room'; pieces: number }
  | { kind: 'done'; result: ImportReport | number }
  | { kind: 'failed'; error: ToldError };

/** What an import says in so many words. */
export const ledgerErrors: OwnErrors = {
  ImportBusyError,
  LedgerImportError,
  StoreUnavailableError,
};

/** Bytes of a piece, at most; the thread says how many of them may be under way. */
export const PIECE_BYTES = 65_536;

/** Lines of a batch, and a thousand errors, live at once; a line may have 64 Ki characters. */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 };

/**
 * The import of a companion on Node. Each has a thread of its own with a connection of its own, so
 * that no checkout waits for it; both go away with it. A database in memory is for one thread alone.
 */
export function createLedgerImport(options: NodeLedgerImportOptions): NodeLedgerImport {
  const { environment, location, store } = options;
  if (location.kind === 'sqlite' && location.file === ':memory:') {
    const here = createImportHere({ environment, store, clock: systemClock });
    return { ...here, close: () => Promise.resolve() };
  }
  const running = new Set<Worker>();
  const place = location.kind === 'sqlite' ? location : { ...location, url: location.url.reveal() };

  function inThread(
    task: LedgerTask,
    input?: AsyncIterable<Uint8Array>,
  ): Promise<ImportReport | number> {
    const { promise, resolve, reject } = Promise.withResolvers<ImportReport | number>();
    const feed = new Feed((message, handedOver) => thread.postMessage(message, handedOver));
    const thread = startThread<FromLedgerThread>({
      main: './ledger-thread-main',
      name: 'ledger-import',
      data: { environment, store: place, task } satisfies LedgerThreadData,
      heap: HEAP,
      onMessage(message) {
        if (message.kind === 'room') {
          if (input) feed.giveRoom(message.pieces, input);
        } else if (message.kind === 'done') resolve(message.result);
        else reject(feed.failure ?? errorOf(message.error, ledgerErrors));
      },
      onEnd(error) {
        running.delete(thread);
        feed.stop();
        reject(error);
      },
    });
    running.add(thread);
    return promise.finally(() => feed.stop());
  }

  return {
    async run(input, runOptions = {}) {
      const result = await inThread({ kind: 'run', options: runOptions }, input);
      return result as ImportReport;
    },
    async resume() {
      // Asked again and again, and hardly ever needed.
      if (!(await store.isImportLeft(environment, systemClock.now()))) return 0;
      const result = await inThread({ kind: 'resume' });
      return result as number;
    },
    async close() {
      await Promise.all(Array.from(running, (thread) => thread.terminate()));
    },
  };
}

type PostPiece = (message: ToLedgerThread, handedOver: ArrayBuffer[]) => void;

/** Hands a file on to the thread, as it finds room for it. */
class Feed {
  /** Why the file could not be read. */
  failure: Error | undefined;
  readonly #post: PostPiece;
  #room = 0;
  #stopped = false;
  #begun = false;
  #wake: () => void = () => undefined;

  constructor(post: PostPiece) {
    this.#post = post;
  }

  /** With the first of it reading begins: of an import that is refused nothing is read. */
  giveRoom(pieces: number, input: AsyncIterable<Uint8Array>): void {
    this.#room += pieces;
    this.#wake();
    if (this.#begun) return;
    this.#begun = true;
    void this.#read(input);
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async #read(input: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const piece of input) {
        for (const bytes of partsOf(piece)) {
          while (this.#room === 0 && !this.#stopped) {
            await new Promise<void>((resolve) => (this.#wake = resolve));
          }
          if (this.#stopped) return;
          this.#room -= 1;
          this.#post({ kind: 'piece', bytes }, [bytes.buffer]);
        }
      }
      this.#post({ kind: 'end' }, []);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error('The file could not be read.');
      this.#post({ kind: 'broken' }, []);
    }
  }
}

/** A piece in parts that have a buffer of their own; copied where it has none, or is too long. */
function* partsOf(piece: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  if (isAlone(piece) && piece.byteLength <= PIECE_BYTES) {
    yield piece;
    return;
  }
  for (let at = 0; at < piece.byteLength; at += PIECE_BYTES) {
    yield new Uint8Array(piece.subarray(at, at + PIECE_BYTES));
  }
}

/** Whether nothing else is in its buffer; a pool of Node is marked as one that cannot be sent. */
function isAlone(piece: Uint8Array): piece is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = piece;
  return (
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === byteLength &&
    !isMarkedAsUntransferable(buffer)
  );
}
