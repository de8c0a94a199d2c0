import { fundingsOf, needsSteady, PAGE, pairUp, recordsOf, withStatus } from '../fundings.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { rule, writing, type Rule } from '../rule.ts';
import {
  describe,
  fundingOperations,
  fundingPath,
  isObject,
  isSuccess,
  jsonOf,
  needsKey,
  primePath,
  uniqueId,
  type FundingOperation,
  type Subject,
} from '../subject.ts';

/** Specification 4: endpoints. */
export const endpointRules: readonly Rule[] = [
  writing('4.prime', 'POST /v1/checkout/prime accepts a JSON body and answers JSON', primeAnswers),
  ...fundingOperations.map((operation): Rule => {
    const path = fundingPath({ window: {} }, operation);
    return {
      id: `4.${operation}`,
      title: `GET ${path} answers JSON`,
      check: (subject) => operationAnswers(subject, operation),
    };
  }),
  rule('4.1', 'Report: no MISSING record when showMissing is absent or false', missingExcluded),
  rule('4.2', 'Report: includes the MISSING records when showMissing is true', missingIncluded),
  rule('4.3', 'Report: TYPE_MISMATCH or AMOUNT_MISMATCH in place of UNRECONCILED', reportSaysWhich),
];

/**
 * Specification 4, table: the checkout operation. Its body is not specified, so it is an option.
 */
async function primeAnswers(subject: Subject): Promise<Finding> {
  const exchange = await subject.post(primePath, primeRequest(subject));
  needsKey(exchange);
  const seen = `Prime has ${describe(exchange)}`;
  if (exchange.answered && (exchange.status === 400 || exchange.status === 422)) {
    throw new NotCheckable(`${seen}: it needs another body, set one with --prime-body-file.`);
  }
  if (!isSuccess(exchange)) return fail(`${seen}.`);
  return isObject(jsonOf(exchange)) ? pass(`${seen}, JSON.`) : fail(`${seen}, not JSON.`);
}

/** Returns a prime request for a new order. */
export function primeRequest({ options }: Subject, contentType = 'application/json') {
  return { text: options.primeBody(uniqueId()), contentType };
}

/** Specification 4, table: each reconciliation operation is at its path. */
async function operationAnswers(subject: Subject, operation: FundingOperation): Promise<Finding> {
  const exchange = await subject.get(fundingPath(subject.options, operation));
  needsKey(exchange);
  const seen = `It has ${describe(exchange)}`;
  if (!isSuccess(exchange)) return fail(`${seen}.`);
  return jsonOf(exchange) === undefined ? fail(`${seen}, not JSON.`) : pass(`${seen}, JSON.`);
}

/** Specification 4.1. Not checkable without a MISSING record. */
async function missingExcluded(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  for (const showMissing of ['absent', 'false'] as const) {
    const { length } = withStatus(recordsOf(snapshot, 'report', showMissing), 'MISSING');
    if (length > 0) return fail(`showMissing ${showMissing}: ${length} MISSING records.`);
  }
  const existing = fundingOperations.map(
    (operation) => withStatus(recordsOf(snapshot, operation, 'true'), 'MISSING').length,
  );
  const most = Math.max(...existing);
  if (most === 0) throw new NotCheckable('There is no MISSING record.');
  return pass(`None of the ${most} MISSING records.`);
}

/** Specification 4.2 says "also", so the records of the default report must be included. */
async function missingIncluded(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  const shown = recordsOf(snapshot, 'report', 'true');
  const { length } = withStatus(shown, 'MISSING');
  if (length === 0) {
    const source = (['records-v1', 'records-v2'] as const).find(
      (operation) => withStatus(recordsOf(snapshot, operation, 'true'), 'MISSING').length > 0,
    );
    if (source) return fail(`No MISSING record; ${source} has some.`);
    throw new NotCheckable('There is no MISSING record.');
  }
  needsSteady(snapshot);
  const { onlyLeft } = pairUp(recordsOf(snapshot, 'report', 'absent'), shown);
  // On a full page, the MISSING records push others to the next page.
  if (onlyLeft.length > 0 && shown.length < PAGE) {
    return fail(`${onlyLeft.length} records of the default report are not in it.`);
  }
  return pass(`${length} MISSING records and ${shown.length - length} others.`);
}

/** Specification 4.3, 9: the report splits UNRECONCILED into two mismatches. */
async function reportSaysWhich(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  const report = recordsOf(snapshot, 'report', 'true');
  const legacy = withStatus(report, 'UNRECONCILED').length;
  if (legacy > 0) return fail(`${legacy} records are UNRECONCILED.`);
  needsSteady(snapshot);
  for (const operation of ['records-v1', 'records-v2'] as const) {
    for (const [inReport, inRecords] of pairUp(report, recordsOf(snapshot, operation, 'true'))
      .pairs) {
      if (inRecords.status !== 'UNRECONCILED') continue;
      if (!['TYPE_MISMATCH', 'AMOUNT_MISMATCH'].includes(String(inReport.status))) {
        return fail(`A record that is UNRECONCILED in ${operation} is no mismatch in the report.`);
      }
    }
  }
  const mismatches = withStatus(report, 'TYPE_MISMATCH', 'AMOUNT_MISMATCH').length;
  if (mismatches === 0) throw new NotCheckable('There is no record with a mismatch.');
  return pass(`${mismatches} mismatches, none UNRECONCILED.`);
}
