import type { LedgerPreview } from '@financing-checkout/contract';
import type { Clock } from '../platform/clock.ts';
import { ProblemError } from '../platform/problem.ts';
import { mainBeside, Thread, ThreadBusyError, ThreadTimeoutError } from '../platform/thread.ts';
import { LedgerImportError } from './columns.ts';
import type { LedgerImportOptions } from './options.ts';
import { type Preset, presetOf } from './preset-file.ts';

export interface PreviewJob {
  /** The first bytes of the file; the last record may be cut off. */
  bytes: Uint8Array;
  options: LedgerImportOptions;
  /** The preset that the person chose. */
  preset: Preset | undefined;
}

/** A preview, or the message of a {@link LedgerImportError}. */
export type PreviewAnswer = { preview: LedgerPreview } | { refusal: string };

/** A job holds a body of 256 KiB in memory. */
const MAX_WAITING = 8;
/** The largest file takes a tenth of a second. */
const LIMIT_MS = 5_000;
const heap = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };

/** Previews ledger files in a worker thread, one at a time. */
export class PreviewThread {
  readonly #thread: Thread<PreviewJob, PreviewAnswer>;

  constructor(clock: Clock, main = mainBeside('preview-main', import.meta.url)) {
    this.#thread = new Thread({
      name: 'preview',
      main,
      resourceLimits: heap,
      maxWaiting: MAX_WAITING,
      limit: { ms: LIMIT_MS, clock },
    });
  }

  /**
   * Previews the beginning of a file.
   * @param signal of the client: its preview ends when it leaves
   * @throws {LedgerImportError} for a text that cannot be read, or unusable options
   * @throws {ProblemError} `overloaded`
   */
  async preview(
    bytes: Uint8Array,
    options: LedgerImportOptions,
    signal?: AbortSignal,
  ): Promise<LedgerPreview> {
    const preset = options.preset === undefined ? undefined : presetOf(options.preset);
    const answer = await this.#thread.run({ bytes, options, preset }, signal).catch(explain);
    if ('refusal' in answer) throw new LedgerImportError(answer.refusal);
    return answer.preview;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

function explain(error: unknown): never {
  if (error instanceof ThreadBusyError) {
    throw new ProblemError('overloaded', {
      detail: 'Other previews are waiting: retry in a moment.',
      retrySafe: true,
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof ThreadTimeoutError) {
    throw new ProblemError('overloaded', {
      detail: `The preview took more than ${LIMIT_MS / 1000} seconds: send fewer bytes of the file.`,
      retrySafe: true,
      retryAfterSeconds: 5,
    });
  }
  throw error;
}
