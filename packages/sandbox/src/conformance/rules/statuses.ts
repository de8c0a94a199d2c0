import {
  fundingsOf,
  needsSteady,
  pairUp,
  recordsOf,
  withStatus,
  type FundingRecord,
} from '../fundings.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { rule, type Rule } from '../rule.ts';
import type { Subject } from '../subject.ts';
import { lookUp, type KnownTransaction } from '../transactions.ts';

/** Specification 3: reconciliation status values. */
export const statusRules: readonly Rule[] = [
  rule('3.missing', 'Records operations: MISSING only when showMissing is true', recordsMissing),
  rule('3.type-mismatch', 'TYPE_MISMATCH: the transaction types do not match', (subject) =>
    trueMismatch(subject, 'TYPE_MISMATCH', (record, { type }) =>
      typeof type === 'string' ? type !== record.transactionType : undefined,
    ),
  ),
  rule('3.amount-mismatch', 'AMOUNT_MISMATCH: the transaction amounts do not match', (subject) =>
    trueMismatch(subject, 'AMOUNT_MISMATCH', (record, { amount }) =>
      typeof amount === 'number' ? amount !== record.transactionAmount : undefined,
    ),
  ),
  rule(
    '3.unreconciled',
    'Records operations say UNRECONCILED for any mismatch',
    recordsSayUnreconciled,
  ),
];

/** Specification 3 and the table of 4: MISSING is excluded by default and included on request. */
async function recordsMissing(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  const known = withStatus(recordsOf(snapshot, 'report', 'true'), 'MISSING').length;
  let shown = 0;
  for (const operation of ['records-v1', 'records-v2'] as const) {
    for (const showMissing of ['absent', 'false'] as const) {
      const { length } = withStatus(recordsOf(snapshot, operation, showMissing), 'MISSING');
      if (length > 0)
        return fail(`${operation}, showMissing ${showMissing}: ${length} MISSING records.`);
    }
    const { length } = withStatus(recordsOf(snapshot, operation, 'true'), 'MISSING');
    if (length === 0 && known > 0) {
      return fail(`${operation}, showMissing true: no MISSING record; the report has ${known}.`);
    }
    shown += length;
  }
  if (shown === 0) throw new NotCheckable('There is no MISSING record.');
  return pass(`${shown} MISSING records with showMissing true, none without.`);
}

/** Number of records that a rule looks up one by one. */
const SAMPLE = 20;

/** Specification 3: compares mismatched records with the service's own transactions. */
async function trueMismatch(
  subject: Subject,
  status: string,
  differs: (record: FundingRecord, known: KnownTransaction) => boolean | undefined,
): Promise<Finding> {
  const marked = withStatus(recordsOf(await fundingsOf(subject), 'report', 'true'), status);
  if (marked.length === 0) throw new NotCheckable(`The report has no ${status} record.`);
  let judged = 0;
  for (const record of marked.slice(0, SAMPLE)) {
    const known = await lookUp(subject, record);
    const answer = known && differs(record, known);
    if (answer === undefined) continue;
    judged += 1;
    if (!answer) return fail(`A ${status} record matches the transaction that it names.`);
  }
  if (judged === 0) {
    throw new NotCheckable(`No ${status} record names a transaction that can be looked up.`);
  }
  return pass(`${judged} ${status} records compared with the transactions they name.`);
}

/** Specification 3: the records operations have one value for a mismatch, UNRECONCILED. */
async function recordsSayUnreconciled(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  const report = recordsOf(snapshot, 'report', 'true');
  let judged = 0;
  for (const operation of ['records-v1', 'records-v2'] as const) {
    const records = recordsOf(snapshot, operation, 'true');
    const foreign = withStatus(records, 'TYPE_MISMATCH', 'AMOUNT_MISMATCH').length;
    if (foreign > 0) return fail(`${operation}: ${foreign} records with a value of the report.`);
    needsSteady(snapshot);
    for (const [inReport, inRecords] of pairUp(report, records).pairs) {
      if (!['TYPE_MISMATCH', 'AMOUNT_MISMATCH'].includes(String(inReport.status))) continue;
      judged += 1;
      if (inRecords.status !== 'UNRECONCILED') {
        return fail(`${operation}: a mismatch of the report is not UNRECONCILED.`);
      }
    }
  }
  if (judged === 0) throw new NotCheckable('There is no record with a mismatch.');
  return pass(`${judged} mismatches, each UNRECONCILED.`);
}
