import { fail, pass, type Finding } from '../finding.ts';
import { rule, writing, type Rule } from '../rule.ts';
import { describe, fundingPath, primePath, type Subject } from '../subject.ts';
import { primeRequest } from './endpoints.ts';

/** Specification 7: errors. Rule 5.1 checks the second row, plain HTTP. */
export const errorRules: readonly Rule[] = [
  rule(
    '7.records',
    'Records operations: a missing or incorrect key is answered 401',
    recordsRefuse,
  ),
  writing('7.prime', 'Prime: a missing or incorrect key is answered 401', primeRefuses),
];

const wrong = (subject: Subject) =>
  [
    ['without a key', null],
    ['with an incorrect key', `Bearer ${'0'.repeat(subject.options.privateKey.length)}`],
  ] as const;

/** Checks the first row of specification 7 for the operations that the rule for 5.3 does not cover. */
async function recordsRefuse(subject: Subject): Promise<Finding> {
  for (const operation of ['records-v1', 'records-v2'] as const) {
    for (const [name, authorization] of wrong(subject)) {
      const path = fundingPath(subject.options, operation);
      const exchange = await subject.get(path, authorization);
      if (!exchange.answered || exchange.status !== 401) {
        return fail(`${operation} ${name}: ${describe(exchange)}.`);
      }
    }
  }
  return pass('401 at both.');
}

/** Specification 7, first row. A service that fails it creates a checkout session. */
async function primeRefuses(subject: Subject): Promise<Finding> {
  for (const [name, authorization] of wrong(subject)) {
    const exchange = await subject.post(primePath, primeRequest(subject), authorization);
    if (!exchange.answered || exchange.status !== 401) {
      return fail(`Prime ${name}: ${describe(exchange)}.`);
    }
  }
  return pass('401 without a key and with an incorrect one.');
}
