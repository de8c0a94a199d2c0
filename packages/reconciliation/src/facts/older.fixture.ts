import { zstdCompressSync } from 'node:zlib';
import { sha256 } from '../platform/digest.ts';

/** `wireRecord(1, '2026-03-01T00:00:00.000Z')` as version 0.2.0 stores it. */
export const OLDER_LINE =
  '{"identity":"r.LR-1.Settle","hash":"c44cce6fc789c578dd27ee58468c7c434714f96e8e7f2802c7d3bf3a2b80799e","merchantOrderId":"A-1","status":"RECONCILED","transactionType":"Settle","lenderName":"Northway Credit","transactionAmount":"100.01","discountAmount":"1.5","netAmount":"98.51","fundedAt":1772323200000,"updatedAt":1772323200000,"transactionDate":1772323200000,"transactionId":"txn-1","merchantTransactionId":"mtx-1","chargeId":"chg-1","lenderReferenceId":"LR-1","productType":"Installments","promoCode":null,"problem":null}';

/** Returns SQL that writes a proven day as version 0.2.0 does. @param text lines of records */
export function byOlder(day: string, number: number, text: string): string {
  const count = text.split('\n').length - 1;
  return `
    insert into funding_days values ('${day}', ${number}, 'complete', null, 'UTC', 'sync-1', 2, 2, 0,
      ${count}, ${count}, 0, '${sha256(text)}', 1);
    insert into funding_contents values ('${day}', x'${zstdCompressSync(text).toString('hex')}');
    update fact_head set last_number = ${number}`;
}
