import { LedgerImportError } from '../../import-error.ts';

/** Maximum size of a workbook in bytes. */
export const MAX_WORKBOOK = 33_554_432;
/** Maximum number of rows and columns in an Excel sheet. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
/** Maximum number of entries in the archive. */
export const MAX_ENTRIES = 1_000;
/** Maximum unpacked size of all entries, in bytes. */
export const MAX_UNPACKED = 134_217_728;
/** Maximum unpacked size, in bytes, of a part kept in memory, such as the shared texts. */
export const MAX_KEPT = 33_554_432;
/** Maximum ratio of unpacked to packed size. An ordinary workbook stays below twenty. */
export const MAX_RATIO = 40;
export const SMALL_UNPACKED = 4_194_304;
/** Maximum number of cell formats; Excel allows 65,490. */
export const MAX_STYLES = 65_536;
/** Maximum number of merged areas in a sheet. */
export const MAX_MERGED = 100_000;
/** Maximum length of a sheet name. Excel allows 31 characters, LibreOffice more. */
export const MAX_SHEET_NAME = 255;

/** Time and memory limits of the process that reads a workbook. */
export const WORKBOOK_MS = 30_000;
export const workbookMemory = { heapMb: 96, residentMb: 256 } as const;

/** Returns the error for a file above {@link MAX_WORKBOOK}. */
export function workbookTooLarge(): LedgerImportError {
  return new LedgerImportError(
    `The workbook is larger than ${MAX_WORKBOOK / 1_048_576} MiB: save its sheet as CSV UTF-8.`,
  );
}

/** Returns the error for an inconsistent archive. */
export function damagedArchive(cause?: unknown): LedgerImportError {
  return withCause(
    'The workbook has no usable list of contents: open it in Excel and save it as .xlsx again, or save its sheet as CSV UTF-8.',
    cause,
  );
}

export function unpacksTooLarge(): LedgerImportError {
  return new LedgerImportError(
    'The workbook unpacks to more than can be read safely: save its sheet as CSV UTF-8.',
  );
}

/** Returns the error for a workbook that exceeds the time or memory limit. */
export function tooMuchContent(cause?: unknown): LedgerImportError {
  return withCause(
    `The workbook has more content than can be read in ${WORKBOOK_MS / 1_000} seconds and ${workbookMemory.residentMb} MB of memory: save its sheet as CSV UTF-8.`,
    cause,
  );
}

/**
 * Returns the error for a workbook that violates the standard.
 * @param cause is not included in the message, because it may quote the file
 * @param place location of the violation
 */
export function unreadableWorkbook(cause?: unknown, place = 'it'): LedgerImportError {
  return withCause(
    `The workbook cannot be read: ${place} is damaged, or no plain .xlsx. Open it in Excel, save it as .xlsx without a password, or save its sheet as CSV UTF-8.`,
    cause,
  );
}

function withCause(message: string, cause: unknown): LedgerImportError {
  const error = new LedgerImportError(message);
  error.cause = cause;
  return error;
}
