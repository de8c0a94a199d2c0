import { LedgerImportError } from './columns.ts';

/** Maximum length of a record in characters: a file without line breaks must not exhaust memory. */
export const MAX_RECORD = 65_536;

export function tooLong(line: number): LedgerImportError {
  return new LedgerImportError(`Line ${line} is longer than ${MAX_RECORD} characters.`);
}
