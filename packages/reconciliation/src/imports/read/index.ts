export { majorUnits, minorUnits, plainAmount } from './amounts.ts';
export { proposedColumns } from './column-names.ts';
export { type LedgerField, ledgerFieldNames, ledgerFields, mappingOf } from './columns.ts';
export { decoded, encodingOf } from './encoding.ts';
export { MAX_RECORD } from './file-record.ts';
export { delimiterOf, HEADER_WITHIN } from './header-row.ts';
export { type LedgerImportOptions, readingOf, zoneOf } from './options.ts';
export { PARQUET_OPTIONS, type PlainLines } from './plain.ts';
export { packaged, recognized, withPreset } from './presets.ts';
export {
  readInThread,
  readPlainLinesInChild,
  readSheet,
  readTableInChild,
  runWorkbookJob,
} from './processes.ts';
export { foldId } from './read-id.ts';
export { kindOf, ofWorkbook, readLedgerFile } from './read-file.ts';
export type { TableNotation } from './read-table.ts';
export { fileRecords, formatOf, type LedgerFormat } from './records.ts';
export { type FileReading, MAX_ERRORS, MAX_LISTED } from './tally.ts';
export { beginningOfSheet, PREVIEW_ROWS } from './workbook/sheet-row.ts';
export { MAX_WORKBOOK, workbookTooLarge } from './workbook/limits.ts';
export { Workbook } from './workbook/workbook.ts';
