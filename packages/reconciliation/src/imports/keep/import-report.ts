import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import type { ImportAction } from '../compare/index.ts';
import type { ImportError } from '../import-error.ts';
import { type FileReading, MAX_ERRORS } from '../read/index.ts';

/** Result of comparing a file's lines with the ledger. */
export interface Comparison extends Pick<
  LedgerImportRecord,
  | 'difference'
  | 'totals'
  | 'closed'
  | 'repeated'
  | 'alike'
  | 'replaced'
  | 'lookAlikeCount'
  | 'lookAlikes'
> {
  conflictCount: number;
  conflicts: ImportError[];
}

export function importReport(
  action: ImportAction,
  dryRun: boolean,
  reading: FileReading,
  { conflictCount, conflicts, ...comparison }: Comparison,
  /** Number of lines that took effect; undefined if there are none. */
  applied?: number,
): LedgerImportRecord {
  const { read, errors, lines, skipped, leftOut, extraRows, sheetCells } = reading;
  const { notes, unknownTypes, zone } = reading;
  const errorCount = reading.errorCount + conflictCount;
  const changed = errorCount > 0 ? 0 : (applied ?? read - comparison.repeated);
  const byLine = ({ line = Infinity }: ImportError) => line;
  return {
    lines,
    skipped,
    leftOut,
    extraRows,
    sheetCells,
    notes,
    unknownTypes,
    zone,
    dryRun,
    applied: applied !== undefined,
    added: action === 'add' ? changed : 0,
    withdrawn: action === 'withdraw' ? changed : 0,
    ...comparison,
    replaced: errorCount > 0 ? 0 : comparison.replaced,
    errorCount,
    errors: [...errors, ...conflicts]
      .sort((one, other) => byLine(one) - byLine(other))
      .slice(0, MAX_ERRORS),
  };
}
