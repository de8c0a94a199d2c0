import {
  fundingsOf,
  needsSteady,
  PAGE,
  pairUp,
  recordsOf,
  reportOnlyFields,
  type FundingRecord,
} from '../fundings.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { rule, type Rule } from '../rule.ts';
import { describe, fundingPaths, isSuccess, type Subject } from '../subject.ts';

/** Specification 9: versioning. */
export const versioningRules: readonly Rule[] = [
  rule('9.path', 'The version is part of the path', versionInPath),
  rule('9.unchanged', 'Report and records differ only in the status', unchanged),
  {
    id: '9.successor',
    title: 'The report is to replace the records operations',
    check: { cannot: 'It is a plan; its date is not specified.' },
  },
];

/** Specification 9: no operation has a path without a version, or with an unknown version. */
async function versionInPath(subject: Subject): Promise<Finding> {
  await subject.needsAccess();
  for (const [name, version] of [
    ['without a version', ''],
    ['at version 99', '/v99'],
  ] as const) {
    const exchange = await subject.get(fundingPaths.report.replace('/v2', version));
    if (isSuccess(exchange)) return fail(`The report ${name}: ${describe(exchange)}.`);
  }
  return pass('The report is at /v2, not without a version, not at /v99.');
}

/**
 * Specification 9: records and report differ only in the status. Other rules check MISSING records.
 */
async function unchanged(subject: Subject): Promise<Finding> {
  const snapshot = await fundingsOf(subject);
  needsSteady(snapshot);
  const report = recordsOf(snapshot, 'report', 'absent');
  let compared = 0;
  for (const operation of ['records-v1', 'records-v2'] as const) {
    const records = recordsOf(snapshot, operation, 'absent');
    const { pairs, onlyLeft, onlyRight } = pairUp(matched(report), matched(records));
    const whole = report.length < PAGE && records.length < PAGE;
    const alone = onlyLeft.length + onlyRight.length;
    if (whole && alone > 0) return fail(`${alone} records are in one of report and ${operation}.`);
    for (const [inReport, inRecords] of pairs) {
      const field = Object.keys(inReport).find((name) => differs(name, inReport, inRecords));
      if (field !== undefined) return fail(`A record has another ${field} in ${operation}.`);
    }
    compared += pairs.length;
  }
  if (compared === 0) throw new NotCheckable('No record is in both report and records.');
  return pass(`${compared} records compared value by value.`);
}

const matched = (records: readonly FundingRecord[]) =>
  records.filter(({ status }) => status !== 'MISSING');

/** Whether two values of the same type differ; rule 2.shape checks the types. */
function differs(name: string, left: FundingRecord, right: FundingRecord): boolean {
  if (name === 'status' || reportOnlyFields.includes(name)) return false;
  return (
    typeof left[name] === typeof right[name] &&
    JSON.stringify(left[name]) !== JSON.stringify(right[name])
  );
}
