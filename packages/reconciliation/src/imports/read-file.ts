import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { orderKeyOf } from '../platform/order-key.ts';
import { LedgerImportError, requiredOf } from './columns.ts';
import { type FileReading, FileTally } from './import-report.ts';
import { lineId, type NewLedgerLine } from './line.ts';
import { type LedgerImportOptions, readingOf } from './options.ts';
import { fileRecords } from './records.ts';

export interface ReadFileRequest {
  /** The merchant's file as it came. */
  from: string;
  /** NDJSON of its lines, in the columns of `lineColumns`. */
  to: string;
  options: LedgerImportOptions;
  /** Milliseconds since 1970. */
  now: number;
}

/** Characters that are written at a time. */
const PIECE = 262_144;

/** Reads a ledger file into lines; of a large one only a part is in memory. */
export async function readLedgerFile({
  from,
  to,
  options,
  now,
}: ReadFileRequest): Promise<FileReading> {
  const reading = readingOf(options, now);
  const tally = new FileTally();
  // A column that was named and is not there is a slip: without it lines would mean something else.
  const usual = requiredOf(reading.notation).map((field) => reading.mapping[field]);
  const required = [...new Set([...usual, ...Object.values(options.mapping ?? {})])];
  const records = fileRecords(createReadStream(from), options.format, {
    encoding: options.encoding,
    required,
    columns: Object.values(reading.mapping),
    delimiter: options.delimiter,
    unitsDeclared: options.units !== undefined,
  });
  const output = createWriteStream(to, { mode: 0o600 });
  let piece = '';
  try {
    for await (const record of records) {
      const line = tally.read(record, reading);
      if (line) piece += textOf(record.line, line);
      if (piece.length < PIECE) continue;
      if (!output.write(piece)) await once(output, 'drain');
      piece = '';
    }
  } catch (error) {
    if (!(error instanceof LedgerImportError)) throw error;
    // What was read until there is reported as well.
    tally.error({ line: undefined, code: 'file-unreadable', message: error.message });
  }
  output.end(piece);
  await once(output, 'finish');
  return tally.result();
}

function textOf(number: number, line: NewLedgerLine): string {
  const row = {
    number,
    id: lineId(line),
    order_key: orderKeyOf(line.merchantOrderId),
    merchant_order_id: line.merchantOrderId,
    currency: line.currency,
    type: line.type,
    amount: line.amount,
    occurred_at: line.occurredAt,
    transaction_id: line.transactionId,
    merchant_transaction_id: line.merchantTransactionId,
    charge_id: line.chargeId,
    lender_reference_id: line.lenderReferenceId,
  };
  return `${JSON.stringify(row)}\n`;
}
