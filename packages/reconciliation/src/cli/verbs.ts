import type { ColumnKind } from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import type { Verbs } from '@financing-checkout/kit/cli';
import { ask, readBytes, readText, writerOf } from './ask.ts';
import { by, csv, currency, ifRevision, lender, limit, times, zone } from './options.ts';
import { writeAnswer, writeFileWhole } from './output.ts';
import { judgeProof, readSummary } from './outcome.ts';
import type { Shell } from './shell.ts';
import { sumText } from './tables.ts';

const numbers: readonly ColumnKind[] = ['amount', 'count', 'decimal', 'percent'];

/** Connects the commands of declared operations with the API and the output formats. */
export function verbsOf(shell: Shell): Verbs<ColumnKind> {
  return {
    shell,
    call: (request) => ask(shell, request),
    formats: { csv: 'text/csv', ndjson: 'application/x-ndjson', xlsx: WORKBOOK_TYPE },
    options: { by, currency, ifRevision, lender, limit },
    writing: { ...csv, times, zone },
    person: (given) => writerOf(shell, given),
    save: (request, output, type) => {
      const asked = { ...request, type };
      return output === undefined && type !== WORKBOOK_TYPE
        ? writeAnswer(shell, readText(shell, asked), undefined)
        : writeFileWhole(output ?? '', readBytes(shell, asked));
    },
    isNumber: (kind) => numbers.includes(kind),
    cell: (kind, value, row) => {
      if (value === undefined) return '';
      if (kind === 'percent') return `${value} %`;
      return kind === 'amount'
        ? sumText(Number(value), String(row.currency ?? ''), row.currency_assumed === 'yes')
        : String(value);
    },
  };
}

/**
 * Like {@link verbsOf}, but also fails with {@link Finding} after writing a file based on
 * incomplete data.
 */
export function provenVerbsOf(shell: Shell): Verbs<ColumnKind> {
  const verbs = verbsOf(shell);
  return {
    ...verbs,
    async save(...asked) {
      await verbs.save(...asked);
      judgeProof(await readSummary(shell));
    },
  };
}
