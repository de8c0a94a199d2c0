import type { LedgerPreview } from '@financing-checkout/contract';
import type { Clock } from '@financing-checkout/kit';
import { ProblemError } from '../platform/problem.ts';
import { mainBeside, Thread, ThreadBusyError, ThreadTimeoutError } from '../platform/thread.ts';
import { LedgerImportError } from './columns.ts';
import type { LedgerImportOptions } from './options.ts';
import type { Preset } from './preset-schema.ts';
import { presetOf } from './preset-file.ts';

export interface PreviewJob {
  /**
   * The first bytes of a text file, whose last record may be truncated, or the path of a workbook.
   */
  file: Uint8Array | string;
  options: LedgerImportOptions;
  /** The preset that the user selected. */
  preset: Preset | undefined;
  /** Numbers of the rows of a sheet whose cells are wanted. */
  rows?: readonly number[] | undefined;
}

/** A preview, or the message of a {@link LedgerImportError}. */
export type PreviewAnswer = { preview: LedgerPreview } | { refusal: string };

/** Each job holds a request body of 256 KiB in memory. */
const MAX_WAITING = 8;
/** The largest text takes 0.1 seconds. */
const TEXT_MS = 5_000;
const textHeap = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };
/**
 * Previewing a sheet takes up to 3 seconds and 830 MB if the workbook has the maximum size of
 * shared strings.
 */
const WORKBOOK_MS = 30_000;
const workbookHeap = { maxOldGenerationSizeMb: 1_024 };

/** Previews ledger files in worker threads: at most one text file and one workbook at a time. */
export class PreviewThread {
  readonly #texts: Thread<PreviewJob, PreviewAnswer>;
  readonly #workbooks: Thread<PreviewJob, PreviewAnswer>;

  constructor(clock: Clock, main = mainBeside('preview-main', import.meta.url)) {
    this.#texts = new Thread({
      name: 'preview',
      main,
      resourceLimits: textHeap,
      maxWaiting: MAX_WAITING,
      limit: { ms: TEXT_MS, clock },
    });
    this.#workbooks = new Thread({
      name: 'workbook-preview',
      main,
      resourceLimits: workbookHeap,
      endsAfterJob: true,
      limit: { ms: WORKBOOK_MS, clock },
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
    const job = { ...jobOf(path, options), rows };
    return previewOf(await this.#workbooks.run(job, signal).catch(explainWorkbook));
  }

  async close(): Promise<void> {
    await Promise.all([this.#texts.close(), this.#workbooks.close()]);
  }
}

function jobOf(file: PreviewJob['file'], options: LedgerImportOptions): PreviewJob {
  const preset = options.preset === undefined ? undefined : presetOf(options.preset);
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

function explainWorkbook(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof ThreadTimeoutError || code === 'ERR_WORKER_OUT_OF_MEMORY') {
    throw new LedgerImportError(
      'The workbook has more content than can be previewed: save its sheet as CSV UTF-8.',
    );
  }
  throw error;
}
