import type { LedgerImportRecord, LedgerPreview } from '@financing-checkout/contract';
import {
  FILE_KIND_BYTES,
  type FileKind,
  fileKindOf,
  type UnreadableKind,
  WORKBOOK_TYPE,
} from '@financing-checkout/contract/plain';
import { ApiError, post } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';
import { type Choices, noChoices, proposed, queryOf } from './options.ts';

/** Bytes of a file from which columns are proposed. */
const PREVIEW_BYTES = 256_000;
/** Any content: the API detects what the file is. */
const ANY = 'application/octet-stream';

/** What happens with the file at the moment. */
export type Work = 'reading' | 'checking' | 'importing';

/**
 * A file on its way into the ledger, with all choices. It lives as long as the document, so that
 * neither another page, nor another language, nor a failure loses the file.
 */
export class Draft {
  file: File | undefined;
  choices: Choices = noChoices;
  preview: LedgerPreview | undefined;
  /** Result of the last check of these choices. */
  checked: LedgerImportRecord | undefined;
  result: LedgerImportRecord | undefined;
  work: Work | undefined;
  /** Sent share of the file, 0 to 1. */
  share = 0;
  /** A code of the page's own problems, or a failed request. */
  problem: 'empty' | 'fileGone' | 'cancelled' | undefined;
  error: unknown;
  /** What the file is instead of a text. */
  otherKind: UnreadableKind | undefined;
  /** Whether the file is an .xlsx, which is sent whole for its preview. */
  isWorkbook = false;
  /** Whether the person wants none of the presets. */
  #isPresetRefused = false;
  /** Whether the failed request may have imported the file. */
  isUncertain = false;
  #request = new AbortController();
  /** Called after each change. */
  onChange: () => void = () => undefined;

  async open(file: File): Promise<void> {
    if (this.work !== undefined) return;
    this.#request = new AbortController();
    [this.preview, this.checked, this.result] = [undefined, undefined, undefined];
    [this.problem, this.error, this.choices] = [undefined, undefined, noChoices];
    this.#isPresetRefused = false;
    if (file.size === 0) this.problem = 'empty';
    const kind = await kindOf(file);
    this.isWorkbook = kind === 'xlsx';
    this.otherKind = kind === 'xlsx' ? undefined : kind;
    if (this.problem !== undefined || this.otherKind !== undefined) {
      this.onChange();
      return;
    }
    this.file = file;
    await this.readBeginning();
  }

  /** Reads the beginning of the file with the choices about its format. */
  async readBeginning(): Promise<void> {
    await this.#do('reading', async (file) => {
      const { preset, sheet, delimiter, encoding } = this.choices;
      const preview = this.isWorkbook
        ? await this.#upload<LedgerPreview>(
            '/ledger/preview/workbook',
            file.slice(0, file.size, WORKBOOK_TYPE),
            { preset, sheet },
          )
        : await post<LedgerPreview>('/ledger/preview', file.slice(0, PREVIEW_BYTES, ANY), {
            query: { preset, delimiter, encoding },
            signal: this.#request.signal,
          });
      if (this.#isPresetRefused) delete preview.preset;
      this.preview = preview;
      this.choices = proposed(preview, this.choices);
    });
  }

  /** Reads the file with a preset, or without any. Other choices begin anew. */
  usePreset(preset: string): void {
    this.#isPresetRefused = preset === '';
    const { sheet, delimiter, encoding } = this.choices;
    this.choose({ ...noChoices, preset, sheet, delimiter, encoding });
    void this.readBeginning();
  }

  /** Reads another sheet of the workbook. Other choices begin anew. */
  useSheet(sheet: string): void {
    this.#isPresetRefused = false;
    // The columns of the other sheet must not be imported, also if this one cannot be read.
    if (this.preview) this.preview = { ...this.preview, columns: [], rows: [], mapping: {} };
    this.choose({ ...noChoices, sheet });
    void this.readBeginning();
  }

  /** Changes choices. A check of other choices is void. */
  choose(changed: Partial<Choices>): void {
    this.choices = { ...this.choices, ...changed };
    this.checked = undefined;
    this.onChange();
  }

  /** Returns to the columns. */
  assign(): void {
    [this.checked, this.error, this.problem] = [undefined, undefined, undefined];
    this.onChange();
  }

  async check(): Promise<void> {
    await this.#do('checking', async (file) => {
      this.checked = await this.#send(file, { ...queryOf(this.choices), dryRun: true });
    });
  }

  async import(): Promise<void> {
    await this.#do('importing', async (file) => {
      const report = await this.#send(file, queryOf(this.choices));
      if (report.applied || report.errorCount === 0) this.result = report;
      // The ledger has changed since the check.
      else this.checked = report;
    });
  }

  cancel(): void {
    this.#request.abort();
  }

  /** Forgets the file. */
  clear(): void {
    this.cancel();
    const { onChange } = this;
    Object.assign(this, new Draft(), { onChange });
    onChange();
  }

  async #send(file: File, query: ReturnType<typeof queryOf>): Promise<LedgerImportRecord> {
    const named = { ...query, file: file.name.slice(-256) };
    return this.#upload<LedgerImportRecord>('/ledger', file.slice(0, file.size, ANY), named);
  }

  #upload<Answer>(path: string, body: Blob, query: ReturnType<typeof queryOf>): Promise<Answer> {
    return upload<Answer>(path, body, {
      query,
      signal: this.#request.signal,
      onProgress: (share) => {
        this.share = share;
        this.onChange();
      },
    });
  }

  /** Does one thing with the file at a time, so that a double click does it once. */
  async #do(work: Work, action: (file: File) => Promise<void>): Promise<void> {
    const { file } = this;
    if (file === undefined || this.work !== undefined) return;
    this.#request = new AbortController();
    const { signal } = this.#request;
    [this.work, this.share, this.problem, this.error] = [work, 0, undefined, undefined];
    this.isUncertain = false;
    this.onChange();
    try {
      if (await isReadable(file)) await action(file);
      else this.problem = 'fileGone';
    } catch (error) {
      if (signal.aborted) this.problem = 'cancelled';
      else this.error = error;
      const isLost = signal.aborted || !(error instanceof ApiError) || error.status === 0;
      this.isUncertain = work === 'importing' && isLost;
    }
    this.work = undefined;
    this.onChange();
  }
}

/** Recognizes the file by its content. A file that cannot be read is reported when it is sent. */
async function kindOf(file: File): Promise<FileKind | undefined> {
  try {
    const bytesOf = async (part: Blob) => new Uint8Array(await part.arrayBuffer());
    const beginning = await bytesOf(file.slice(0, FILE_KIND_BYTES));
    return fileKindOf(beginning, await bytesOf(file.slice(-FILE_KIND_BYTES)));
  } catch {
    return undefined;
  }
}

/** Returns whether the browser can still read a file: it may have changed since it was chosen. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
