import type {
  LedgerImportRecord,
  LedgerOptions,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';
import {
  FILE_KIND_BYTES,
  type FileKind,
  fileKindOf,
  type UnreadableKind,
  WORKBOOK_TYPE,
} from '@financing-checkout/contract/plain';
import { ApiError, post } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';
import { readValues, rowsOfErrors, valuesOfCells } from './file-values.ts';
import { sentOptions } from './options.ts';

/** Number of initial bytes of a file from which the column mapping is proposed. */
const PREVIEW_BYTES = 256_000;
/** Accepts any content type, because the API detects the format from the content. */
const ANY = 'application/octet-stream';

/** The operation in progress on the file. */
export type Work = 'reading' | 'checking' | 'importing';

/**
 * A file being imported into the ledger, with all options. It lives as long as the document, so
 * that the file survives navigation, a language change, and a failure.
 */
export class Draft {
  /** Name of the file, even if it cannot be imported; empty if there is no file. */
  name = '';
  file: File | undefined;
  /** Whether the import is waiting for another one. */
  isWaiting = false;
  /** Whether the last attempt to import the file failed. */
  isFailed = false;
  /** The options in effect: those proposed from the file, and those that the user chose. */
  options: LedgerOptions = {};
  /** Words in the type column whose meaning the user is asked for. */
  words: readonly string[] = [];
  preview: LedgerPreview | undefined;
  /** Result of the last dry run with these options. */
  checked: LedgerImportRecord | undefined;
  /** The wrong values in the file, by error of the last check. */
  values: Awaited<ReturnType<typeof readValues>> = new Map();
  result: LedgerImportRecord | undefined;
  work: Work | undefined;
  /** Upload progress, from 0 to 1. */
  share = 0;
  /** An error that the page itself detected. */
  problem: 'empty' | 'fileGone' | 'cancelled' | undefined;
  error: unknown;
  /** The file's kind, if it is not a text file. */
  otherKind: UnreadableKind | undefined;
  /** Whether the file is an .xlsx, which is uploaded in full for its preview. */
  isWorkbook = false;
  /** Whether the failed request may have imported the file. */
  isUncertain = false;
  #request = new AbortController();
  /** Called after each change. */
  onChange: () => void = () => undefined;

  async open(file: File): Promise<void> {
    if (this.work !== undefined) return;
    this.name = file.name;
    this.#request = new AbortController();
    [this.preview, this.checked, this.result] = [undefined, undefined, undefined];
    [this.problem, this.error, this.options, this.words] = [undefined, undefined, {}, []];
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

  /** Loads the file's preview with the chosen format options. */
  async readBeginning(): Promise<void> {
    await this.#do('reading', async (file) => {
      const preview = this.isWorkbook
        ? await this.#upload<LedgerPreview>(
            '/ledger/preview/workbook',
            file.slice(0, file.size, WORKBOOK_TYPE),
            formOf(this.options),
          )
        : await post<LedgerPreview>('/ledger/preview', file.slice(0, PREVIEW_BYTES, ANY), {
            query: formOf(this.options),
            signal: this.#request.signal,
          });
      this.preview = preview;
      const former = { ...this.options, decimal: undefined, dates: undefined, types: undefined };
      this.options = { ...former, ...preview.proposal };
    });
  }

  /** Reads the file with or without a preset. Resets all other options. */
  usePreset(preset: string): void {
    const { sheet, delimiter, encoding } = this.options;
    this.options = { preset, sheet, delimiter, encoding };
    this.choose({});
    void this.readBeginning();
  }

  /** Reads another sheet of the workbook. Resets all other options. */
  useSheet(sheet: string): void {
    // The previous sheet's columns must not be imported, even if this sheet cannot be read.
    if (this.preview) this.preview = { ...this.preview, columns: [], rows: [] };
    this.options = { sheet };
    this.choose({});
    void this.readBeginning();
  }

  /** Changes options, which invalidates the result of an earlier dry run. */
  choose(changed: LedgerOptions): void {
    this.options = { ...this.options, ...changed };
    this.checked = undefined;
    this.onChange();
  }

  /** Goes back to mapping the columns. */
  assign(): void {
    [this.checked, this.error, this.problem] = [undefined, undefined, undefined];
    this.onChange();
  }

  async check(): Promise<void> {
    await this.#do('checking', async (file) => {
      const checked = await this.#send(file, { ...sentOptions(this.options), dryRun: true });
      await this.#show(file, checked);
    });
  }

  async import(): Promise<void> {
    await this.#do('importing', async (file) => {
      const report = await this.#send(file, sentOptions(this.options));
      if (report.applied || report.errorCount === 0) this.result = report;
      // The ledger has changed since the check.
      else await this.#show(file, report);
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

  async #send(file: File, options: LedgerOptions): Promise<LedgerImportRecord> {
    const named = JSON.stringify({ ...options, file: file.name.slice(-256) });
    const body = file.slice(0, file.size, ANY);
    return this.#upload<LedgerImportRecord>('/ledger', body, { options: named });
  }

  #upload<Answer>(path: string, body: Blob, query: Record<string, string>): Promise<Answer> {
    return upload<Answer>(path, body, {
      query,
      signal: this.#request.signal,
      onProgress: (share) => {
        this.share = share;
        this.onChange();
      },
    });
  }

  async #show(file: File, checked: LedgerImportRecord): Promise<void> {
    if (this.preview !== undefined) {
      this.values = await this.#valuesOf(file, this.preview, checked.errors);
    }
    this.checked = checked;
  }

  /** Returns the wrong values. A browser cannot read a workbook, so the server reads its rows again. */
  async #valuesOf(
    file: File,
    preview: LedgerPreview,
    errors: LedgerImportRecord['errors'],
  ): Promise<typeof this.values> {
    if (!this.isWorkbook) return readValues(file, preview, this.options, errors);
    const rows = rowsOfErrors(errors);
    if (rows.length === 0) return new Map();
    const query = { ...formOf(this.options), rows: rows.join(',') };
    const body = file.slice(0, file.size, WORKBOOK_TYPE);
    try {
      const found = await this.#upload<LedgerPreview>('/ledger/preview/workbook', body, query);
      return valuesOfCells(found, this.options, errors);
    } catch (error) {
      // The errors, with their rows and columns, are complete even without the values.
      if (error instanceof ApiError) return new Map();
      throw error;
    }
  }

  /** Runs one operation at a time, so that a double click does not run it twice. */
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
    this.isFailed = work === 'importing' && this.result === undefined;
    this.work = undefined;
    this.onChange();
  }
}

/** Returns a preview's query: the options that determine the columns. */
function formOf({ preset, sheet, delimiter, encoding }: LedgerOptions): Record<string, string> {
  return { options: JSON.stringify({ preset, sheet, delimiter, encoding }) };
}

/** Detects the file's kind from its content. An unreadable file is reported on upload. */
async function kindOf(file: File): Promise<FileKind | undefined> {
  try {
    const bytesOf = async (part: Blob) => new Uint8Array(await part.arrayBuffer());
    const beginning = await bytesOf(file.slice(0, FILE_KIND_BYTES));
    return fileKindOf(beginning, await bytesOf(file.slice(-FILE_KIND_BYTES)));
  } catch {
    return undefined;
  }
}

/** Returns whether the browser can still read a file, which may have changed since it was chosen. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
