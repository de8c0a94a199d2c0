import type { LedgerPreview } from '@financing-checkout/contract/reconciliation';
import type { Clock } from '@financing-checkout/kit';
import { ProblemError } from '../../platform/problem.ts';
import { mainBeside, Thread, ThreadBusyError, ThreadTimeoutError } from '../../platform/thread.ts';
import { LedgerImportError } from '../import-error.ts';
import { type LedgerImportOptions, runWorkbookJob } from '../read/index.ts';
import type { PreviewAnswer, PreviewJob } from './preview.ts';
import { presetOf } from './preset-file.ts';

/** Each job holds a request body of 256 KiB in memory. */
const MAX_WAITING = 8;
/** The largest text takes 0.1 seconds. */
const TEXT_MS = 5_000;
const textHeap = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };

/** Previews ledger files: texts in a worker thread, one at a time, and workbooks in a process. */
export class PreviewThread {
  readonly #clock: Clock;
  readonly #texts: Thread<PreviewJob, PreviewAnswer>;
  readonly #ending = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#texts = new Thread({
      name: 'preview',
      main: mainBeside('preview-main', import.meta.url),
      resourceLimits: textHeap,
      maxWaiting: MAX_WAITING,
      limit: { ms: TEXT_MS, clock },
    });
  }

  /**
   * Previews the beginning of a text file.
   * @param signal aborts the preview when the client disconnects
   * @throws {LedgerImportError} for a text that cannot be read, or unusable options
   * @throws {ProblemError} `overloaded`
   */
  async preview(
    bytes: Uint8Array,
    options: LedgerImportOptions,
    signal?: AbortSignal,
  ): Promise<LedgerPreview> {
    return previewOf(await this.#texts.run(jobOf(bytes, options), signal).catch(explainText));
  }

  /**
   * Previews a sheet of a workbook.
   * @param path path of the complete file, which the caller must keep until the preview ends
   * @param signal aborts the preview when the client disconnects
   * @param rows numbers of the rows whose cells the preview contains
   * @throws {LedgerImportError} for a workbook that cannot be read, or unusable options
   */
  async previewWorkbook(
    path: string,
    options: LedgerImportOptions,
    signal?: AbortSignal,
    rows?: readonly number[],
  ): Promise<LedgerPreview> {
    const request = { ...jobOf(path, options), rows };
    const ending = this.#ending.signal;
    return previewOf(
      await runWorkbookJob(mainBeside('preview-workbook-main', import.meta.url), request, {
        clock: this.#clock,
        signal: signal ? AbortSignal.any([signal, ending]) : ending,
      }),
    );
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#texts.close();
  }
}

function jobOf(file: PreviewJob['file'], options: LedgerImportOptions): PreviewJob {
  const preset = options.preset ? presetOf(options.preset) : undefined;
  return { file, options, preset };
}

function previewOf(answer: PreviewAnswer): LedgerPreview {
  if ('refusal' in answer) throw new LedgerImportError(answer.refusal);
  return answer.preview;
}

function explainText(error: unknown): never {
  if (error instanceof ThreadBusyError) {
    throw new ProblemError('overloaded', {
      detail: 'Other previews are waiting: retry in a moment.',
      retrySafe: true,
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof ThreadTimeoutError) {
    throw new ProblemError('overloaded', {
      detail: `The preview took more than ${TEXT_MS / 1000} seconds: send fewer bytes of the file.`,
      retrySafe: true,
      retryAfterSeconds: 5,
    });
  }
  throw error;
}
