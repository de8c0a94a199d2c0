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

/** Minimum pause between two writes, even after a failed one. */
const EVERY_MS = 60_000;
/** Pause between two writes, as a multiple of the last write's duration. */
const PAUSE = 10;

/** Writes the lake in the background, one write at a time. */
export class LakeWriter {
  readonly #options: LakeWriterOptions;
  readonly #mutex = new Mutex();
  /** True at the start, because the previous process may have left changes to write. */
  #isDue = true;
  #next = 0;
  #running: Promise<void> | undefined;

  constructor(options: LakeWriterOptions) {
    this.#options = options;
  }

  /** Records that fundings or orders changed. @param isProven whether to write without a pause */
  mark(isProven: boolean): void {
    this.#isDue = true;
    if (isProven) this.#next = 0;
  }

  /** Starts a due write in the background. Logs a failure. */
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

  /** Waits until the running write ends. The caller must first abort its signal. */
  async end(): Promise<void> {
    await this.#running;
  }
}
