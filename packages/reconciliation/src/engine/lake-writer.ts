import type { LakeRecord } from '@financing-checkout/contract/reconciliation';
import type { Clock } from '@financing-checkout/kit';
import type { Lease } from '../facts/lease.ts';
import { LakeError } from '../lake/folder.ts';
import { type LakeContext, writeLake } from '../lake/write.ts';
import { describeError, type Logger } from '../platform/log.ts';
import type { Meter } from '../platform/meter.ts';
import { Mutex } from '../platform/mutex.ts';
import { inSpan } from '../platform/tracing.ts';

export interface LakeWriterOptions {
  /** @throws {ProblemError} `not-ready` */
  context: () => LakeContext;
  lease: Lease;
  stop: AbortSignal;
  clock: Clock;
  logger: Logger;
  meter: Meter;
}

/** Shortest time between two writes, and before a failed one is repeated. */
const EVERY_MS = 60_000;
/** Time between two writes, in durations of the last one. */
const PAUSE = 10;

/** Writes the lake beside the other work of the leader, once at a time. */
export class LakeWriter {
  readonly #options: LakeWriterOptions;
  readonly #mutex = new Mutex();
  /** A process that ended may have left changes to write. */
  #isDue = true;
  #next = 0;
  #running: Promise<void> | undefined;

  constructor(options: LakeWriterOptions) {
    this.#options = options;
  }

  /** Notes that fundings or orders have changed. @param isProven writes them without a pause */
  mark(isProven: boolean): void {
    this.#isDue = true;
    if (isProven) this.#next = 0;
  }

  /** Begins to write if it is due; the caller does not wait, and a failure is logged. */
  writeWhenDue(): void {
    if (!this.#isDue || this.#running !== undefined) return;
    if (this.#options.clock.now() < this.#next) return;
    this.#running = this.write()
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Writes the lake now. @throws {LakeError} */
  write(): Promise<LakeRecord> {
    return this.#mutex.run(async () => {
      const { context, lease, stop, clock, logger, meter } = this.#options;
      const began = clock.now();
      this.#isDue = false;
      const ended = (outcome: 'completed' | 'failed') => {
        const durationMs = clock.now() - began;
        this.#next = clock.now() + Math.max(EVERY_MS, PAUSE * durationMs);
        meter.lake({ outcome, seconds: durationMs / 1_000 });
        return durationMs;
      };
      try {
        const record = await inSpan(
          'internal',
          'lake',
          {},
          () => writeLake({ ...context(), fence: lease.fence, stop }),
          ({ files, written, removed }) => ({
            attributes: {
              'financing.files': files,
              'financing.files_written': written,
              'financing.files_removed': removed,
            },
            failed: false,
          }),
        );
        const durationMs = ended('completed');
        logger.log('info', 'lake-written', { count: record.written, durationMs });
        return record;
      } catch (error) {
        this.#isDue = true;
        if (stop.aborted) throw error;
        ended('failed');
        const why =
          error instanceof LakeError
            ? { code: error.code, reason: error.message }
            : describeError(error);
        logger.log('error', 'lake-not-written', why);
        throw error;
      }
    }, this.#options.stop);
  }

  /** Waits until the running write has ended; the caller has to abort its signal first. */
  async end(): Promise<void> {
    await this.#running;
  }
}
