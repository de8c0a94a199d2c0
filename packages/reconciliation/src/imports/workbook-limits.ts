import { LedgerImportError } from './columns.ts';

/** Maximum size of a workbook in bytes; it is read entirely into memory. */
export const MAX_WORKBOOK = 33_554_432;
/** Maximum number of rows of a sheet in Excel. */
export const MAX_ROWS = 1_048_576;
/** Maximum length of a sheet name. Excel allows 31 characters, LibreOffice more. */
export const MAX_SHEET_NAME = 255;
const MAX_ENTRIES = 1_000;
/** Maximum unpacked size in bytes of all entries, and of the shared strings. */
const MAX_UNPACKED = 134_217_728;
const MAX_SHARED = 33_554_432;
/** An ordinary workbook unpacks to less than twenty times its size. */
const MAX_RATIO = 40;
const SMALL_UNPACKED = 4_194_304;

const END = 0x06_05_4b_50;
const END_BYTES = 22;
/** The end of central directory record may have a comment of up to 65,535 bytes. */
const END_WITHIN = END_BYTES + 65_535;
const ENTRY = 0x02_01_4b_50;
const ENTRY_BYTES = 46;
const MAX_32 = 0xff_ff_ff_ff;

/**
 * Checks the central directory of a ZIP archive before anything is unpacked. The reader unpacks no
 * entry beyond the size that the directory states.
 * @throws {LedgerImportError} for an archive that would exhaust memory, or has no usable directory
 */
export function checkedArchive(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_BYTES;
  while (end >= 0 && end >= bytes.length - END_WITHIN && view.getUint32(end, true) !== END)
    end -= 1;
  if (end < 0 || end < bytes.length - END_WITHIN) throw damaged();
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) throw tooLarge();
  let at = view.getUint32(end + 16, true);
  let unpacked = 0;
  for (let read = 0; read < count; read += 1) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY) throw damaged();
    const packedBytes = view.getUint32(at + 20, true);
    const unpackedBytes = view.getUint32(at + 24, true);
    const nameBytes = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(
      bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
    );
    // ZIP64 archives, and entries whose size is stated elsewhere, would be unpacked without a
    // limit.
    const isStated = packedBytes !== MAX_32 && unpackedBytes !== MAX_32;
    if (!isStated || (unpackedBytes === 0 && !name.endsWith('/'))) throw damaged();
    if (/sharedStrings/i.test(name) && unpackedBytes > MAX_SHARED) throw tooLarge();
    unpacked += unpackedBytes;
    if (unpacked > Math.min(MAX_UNPACKED, SMALL_UNPACKED + MAX_RATIO * bytes.length)) {
      throw tooLarge();
    }
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return bytes;
}

/** Returns the error of a file above {@link MAX_WORKBOOK}. */
export function workbookTooLarge(): LedgerImportError {
  return new LedgerImportError(
    `The workbook is larger than ${MAX_WORKBOOK / 1_048_576} MiB: save its sheet as CSV UTF-8.`,
  );
}

function damaged(): LedgerImportError {
  return new LedgerImportError(
    'The workbook has no usable list of contents: open it in Excel and save it as .xlsx again, or save its sheet as CSV UTF-8.',
  );
}

function tooLarge(): LedgerImportError {
  return new LedgerImportError(
    'The workbook unpacks to more than can be read safely: save its sheet as CSV UTF-8.',
  );
}
