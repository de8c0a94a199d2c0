import {
  bodyOf,
  fundingsOf,
  needsSteady,
  pairUp,
  recordsOf,
  reportOnlyFields,
  withStatus,
  type FundingRecord,
} from '../fundings.ts';
import { chargesPath } from '../charge-story.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { rule, writing, type Rule } from '../rule.ts';
import {
  describe,
  fundingOperations,
  isObject,
  isSuccess,
  needsKey,
  type Subject,
} from '../subject.ts';
import { lookUp } from '../transactions.ts';

/** Specification 2: resources and their fields. */
export const resourceRules: readonly Rule[] = [
  rule('2.shape', 'Report and both records operations answer with the same shape', sameShape),
  rule('2.missing', "A MISSING record has no match in the service's own system", missingHasNoMatch),
  writing('2.required', 'Charges: a missing required field is refused', requiredField),
  writing('2.length', 'Charges: a field longer than its maximum is refused', maximumLength),
  writing('2.enumerated', 'Charges: a value outside the enumeration is refused', enumeratedValue),
];

/** Required fields of a record. Source: docs.chargeafter.com, Funding API. */
const requiredFields = [
  'status',
  'fundedAt',
  'updatedAt',
  'lenderName',
  'transactionType',
  'transactionAmount',
  'discountAmount',
  'netAmount',
];

/**
 * Specification 2: the three funding operations have the same response shape. Compares the object
 * around the records, the required fields of each record, and the name and JSON type of every field
 * of the same record. Four fields are documented only for the report.
 */
async function sameShape(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  for (const operation of fundingOperations) {
    const body = bodyOf(snapshot, operation, 'true');
    if (!isObject(body) || !Array.isArray(body.records) || !body.records.every(isObject)) {
      return fail(`The answer of ${operation} is not {records: [objects]}.`);
    }
  }
  const around = fundingOperations.map((operation) => {
    const body = bodyOf(snapshot, operation, 'true');
    return isObject(body) ? Object.keys(body).sort().join() : '';
  });
  if (new Set(around).size > 1) {
    return fail('The answers differ in the fields other than records.');
  }
  for (const operation of fundingOperations) {
    for (const record of recordsOf(snapshot, operation, 'true')) {
      const lacking = requiredFields.find((field) => record[field] === undefined);
      if (lacking !== undefined) return fail(`A record of ${operation} lacks ${lacking}.`);
    }
  }
  needsSteady(snapshot);
  const report = recordsOf(snapshot, 'report', 'true');
  let compared = 0;
  for (const operation of ['records-v1', 'records-v2'] as const) {
    const { pairs } = pairUp(report, recordsOf(snapshot, operation, 'true'));
    compared += pairs.length;
    for (const [inReport, inRecords] of pairs) {
      const difference = shapeDifference(inReport, inRecords);
      if (difference) return fail(`The same record in report and ${operation}: ${difference}.`);
    }
  }
  if (compared === 0) throw new NotCheckable('No record is in both report and records.');
  return pass(`${compared} records compared field by field.`);
}

function shapeDifference(report: FundingRecord, records: FundingRecord): string | undefined {
  const fields = new Set([...Object.keys(report), ...Object.keys(records)]);
  for (const field of fields) {
    if (reportOnlyFields.includes(field)) continue;
    const [left, right] = [typeOf(report[field]), typeOf(records[field])];
    if (left !== right) return `${safeName(field)} is ${left} in one, ${right} in the other`;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Hides an unusual field name, which may contain a value. */
function safeName(field: string): string {
  return /^[A-Za-z][A-Za-z0-9]{0,39}$/.test(field) ? field : 'a field with an odd name';
}

/**
 * Specification 2: a MISSING transaction of a lender has no match in the service's system. Only the
 * service knows the merchant's own id of a transaction, so a MISSING record with such an id, which
 * the service can look up, has a match.
 */
async function missingHasNoMatch(subject: Subject): Promise<Finding> {
  const missing = withStatus(recordsOf(await fundingsOf(subject), 'report', 'true'), 'MISSING');
  if (missing.length === 0) throw new NotCheckable('The report has no MISSING record.');
  for (const record of missing.slice(0, 20)) {
    if ((await lookUp(subject, record)) !== undefined) {
      return fail('A MISSING record names a transaction that the service knows.');
    }
  }
  return pass(`${missing.length} MISSING records, none of a transaction the service knows.`);
}

/** An unknown confirmation, so that a request that passes validation creates no charge. */
const confirmationToken = 'conformance-no-such-confirmation';

/** Specification 2: required Charges parameters. Source: Charge API, confirmationToken. */
async function requiredField(subject: Subject): Promise<Finding> {
  return refuses(subject, chargesPath, { merchantOrderId: 'conformance' });
}

/** Specification 2: a maximum length. Source: Charge API, merchantOrderId (256). */
async function maximumLength(subject: Subject): Promise<Finding> {
  const merchantOrderId = 'x'.repeat(257);
  return refuses(subject, chargesPath, { confirmationToken, merchantOrderId });
}

/** Specification 2: enumerated values. Source: Charge API, settle (true, false). */
async function enumeratedValue(subject: Subject): Promise<Finding> {
  return refuses(subject, `${chargesPath}?settle=perhaps`, { confirmationToken });
}

/** Checks for 400 or 422; a 404 would reject only the made-up confirmation. */
async function refuses(subject: Subject, path: string, body: object): Promise<Finding> {
  const exchange = await subject.post(path, {
    text: JSON.stringify(body),
    contentType: 'application/json',
  });
  needsKey(exchange);
  const seen = `The charge request has ${describe(exchange)}.`;
  if (exchange.answered && (exchange.status === 400 || exchange.status === 422)) return pass(seen);
  return fail(isSuccess(exchange) ? `${seen} It was taken.` : seen);
}
