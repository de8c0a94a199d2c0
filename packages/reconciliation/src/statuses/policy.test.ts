import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exceptionCodes, usualCaseDays } from '@financing-checkout/contract/reconciliation';
import { canonicalJson } from '../platform/digest.ts';
import { defaultPolicy, parsePolicy, PolicyError, policyHash } from './policy.ts';

const full = {
  defaultCurrency: 'CAD',
  tolerance: { minorUnits: 1, basisPoints: 5 },
  slaDays: { default: 4, lenders: { 'Meadow Credit': 2 } },
  aliases: { 'Meadow Credit Inc': 'Meadow Credit' },
  contracts: [{ lender: 'Meadow Credit', basisPoints: 290, returnedOnRefund: true }],
  alerts: { amount: { default: 10_000, currencies: { JPY: 100_000 } }, days: 10 },
  holds: { days: 21, lenders: { 'Meadow Credit': 30 } },
  caseDays: usualCaseDays(),
  periods: 'months',
};

test('reads a policy with defaults for absent fields', () => {
  const read = { ...full, slaDays: { ...full.slaDays, zone: 'UTC' } };
  expect(parsePolicy(JSON.stringify(full))).toEqual(read);
  expect(parsePolicy('{}')).toEqual(defaultPolicy);
  expect(parsePolicy(`\uFEFF${JSON.stringify(full)}\r\n`)).toEqual(read);
  const fractions = { ...full, contracts: [{ ...full.contracts[0], basisPoints: 287.51 }] };
  expect(parsePolicy(JSON.stringify(fractions)).contracts).toEqual(fractions.contracts);
  expect(parsePolicy('{"slaDays":{"lenders":{"A":1}}}').slaDays).toEqual({
    default: 5,
    lenders: { A: 1 },
    zone: 'UTC',
  });
});

test('defines the days until a case is due by code, never more for a more severe one', () => {
  const { caseDays } = parsePolicy('{"caseDays":{"MDR_VARIANCE":30}}');
  expect(caseDays).toEqual({ ...usualCaseDays(), MDR_VARIANCE: 30 });
  const usual = exceptionCodes.map((code) => defaultPolicy.caseDays[code]);
  expect(usual).toEqual(usual.toSorted((a, b) => a - b));
  expect(policyHash(parsePolicy('{"caseDays":{"MDR_VARIANCE":30}}'))).toBe(
    policyHash(defaultPolicy),
  );
});

test('holidays affect the judging of orders, and require business days', () => {
  const slaDays = { default: 4, businessDays: true, holidays: ['2026-12-25', '2027-01-01'] };
  const policy = parsePolicy(JSON.stringify({ slaDays }));
  expect(policy.slaDays).toEqual({
    default: 4,
    lenders: {},
    businessDays: true,
    holidays: [Date.UTC(2026, 11, 25), Date.UTC(2027, 0, 1)],
    zone: 'UTC',
  });
  const one = { ...slaDays, holidays: ['2026-12-25'] };
  const none = { default: 4, businessDays: true };
  const policies = [{ slaDays }, { slaDays: one }, { slaDays: none }, { slaDays: { default: 4 } }];
  const hashes = policies.map((other) => policyHash(parsePolicy(JSON.stringify(other))));
  expect(new Set(hashes).size).toBe(4);
});

test('accepts amounts in a withdrawn currency', () => {
  const contracts = [{ ...full.contracts[0], perSettle: { HRK: 30 } }];
  const alerts = { amount: { currencies: { HRK: 1_000 } } };
  const policy = parsePolicy(JSON.stringify({ ...full, alerts, contracts }));
  expect(policy.contracts).toMatchObject([{ perSettle: { HRK: 30 } }]);
  expect(policy.alerts.amount.currencies).toEqual({ HRK: 1_000 });
});

test('a change of the time zone causes all orders to be judged again', () => {
  const zones = ['UTC', 'America/New_York'];
  expect(new Set(zones.map((zone) => policyHash(parsePolicy('{}', zone)))).size).toBe(2);
});

test.each([
  ['UTC', '2026-07-01', Date.UTC(2026, 6, 1)],
  ['America/New_York', '2026-07-01', Date.UTC(2026, 6, 1, 4)],
  ['America/New_York', '2026-12-01', Date.UTC(2026, 11, 1, 5)],
  ['America/New_York', '2026-07-01T00:00:00+02:00', Date.UTC(2026, 5, 30, 22)],
  ['UTC', '2026-07-01T04:00:00Z', Date.UTC(2026, 6, 1, 4)],
])('a contract starts on a day in %s, or at a time with an offset: %s', (zone, from, at) => {
  const dated = [...full.contracts, { ...full.contracts[0], basisPoints: 350, from }];
  const policy = parsePolicy(JSON.stringify({ ...full, contracts: dated }), zone);
  expect(policy.contracts.map((contract) => contract.from)).toEqual([undefined, at]);
  const other = dated.map((contract) => ({ ...contract, from: '2026-07-02' }));
  expect(policyHash(policy)).not.toBe(
    policyHash(parsePolicy(JSON.stringify({ ...full, contracts: other.slice(1) }), zone)),
  );
});

describe('rejects invalid policies by field, without the value', () => {
  const wrong = (policy: unknown) => {
    try {
      parsePolicy(typeof policy === 'string' ? policy : JSON.stringify(policy));
    } catch (error) {
      if (error instanceof PolicyError) return error.message;
      throw error;
    }
    return 'taken';
  };
  test.each<[policy: unknown, expected: string]>([
    ['{', 'is not JSON'],
    ['[]', '(the whole)'],
    [{ tolerance: { minorUnits: 0.5 } }, 'tolerance.minorUnits'],
    [{ tolerance: { basisPoints: 10_001 } }, 'tolerance.basisPoints'],
    [
      { tolerance: { basisPoints: 47.115 } },
      'tolerance.basisPoints must have two decimals at most',
    ],
    [{ tolerance: { percent: 4711 } }, 'tolerance has an unknown field: percent'],
    [{ slaDays: { 'Secret Lender': 3 } }, 'slaDays has an unknown field'],
    [{ tolerence: {} }, '(the whole) has an unknown field: tolerence'],
    [{ slaDays: { default: -1 } }, 'slaDays.default'],
    [{ slaDays: { holidays: ['2026-12-25'] } }, 'slaDays.holidays only apply to business days'],
    [
      { slaDays: { businessDays: true, holidays: ['4711-02-30'] } },
      'slaDays.holidays.0 must be a day',
    ],
    [{ slaDays: { lenders: { 'Secret Lender': '4711' } } }, 'slaDays.lenders.…'],
    [{ contracts: [{ lender: 'A', basisPoints: 290 }] }, 'contracts.0.returnedOnRefund'],
    [{ contracts: [{ ...full.contracts[0], perSettle: { USD: 0.3 } }] }, 'contracts.0.perSettle'],
    [
      { contracts: [{ ...full.contracts[0], perSettle: { dollars: 30 } }] },
      'contracts.0.perSettle',
    ],
    ...['4711-07-00', '2026-02-30', '2026-07-01T00:00:00', 4711, ''].map(
      (from): [unknown, string] => [
        { contracts: [{ ...full.contracts[0], from }] },
        'contracts.0.from must be a date such as',
      ],
    ),
    [
      {
        contracts: ['2026-07-01', '2026-07-01T00:00:00Z'].map((from) => ({
          ...full.contracts[0],
          from,
        })),
      },
      'contracts.1 duplicates the lender',
    ],
    [{ defaultCurrency: 'XQX' }, 'defaultCurrency'],
    [{ alerts: { amount: { currencies: { '4711': 1 } } } }, 'alerts.amount.currencies.…'],
    [{ aliases: { A: 'B', B: 'C' } }, 'aliases'],
    [{ holds: { days: 0 } }, 'holds.days'],
    [{ caseDays: { MDR_VARIANCE: -1 } }, 'caseDays.…'],
    [{ caseDays: { Secret: 4711 } }, 'caseDays has an unknown field'],
    [{ periods: 'weeks' }, 'periods must be "months", {'],
    [{ periods: { weeks: '4-4-5', years: ['2026-02-01', '2027-02-01'] } }, 'periods has a year of'],
    [
      {
        periods: [
          { id: 'A', from: '2026-01-01', to: '2026-01-31' },
          { id: 'B', from: '2026-02-02', to: '2026-02-28' },
        ],
      },
      'periods has a gap or an overlap after period 0',
    ],
    [
      { aliases: { Secret: 'B' }, holds: { lenders: { Secret: 9 } } },
      'holds.lenders.… is an alias',
    ],
    [
      { aliases: { Secret: 'B' }, slaDays: { lenders: { Secret: 9 } } },
      'slaDays.lenders.… is an alias',
    ],
    [{ contracts: [full.contracts[0], full.contracts[0]] }, 'contracts.1 duplicates the lender'],
    [
      {
        aliases: { Secret: 'B' },
        contracts: ['B', 'Secret'].map((lender, at) => ({
          ...full.contracts[0],
          lender,
          basisPoints: at,
        })),
      },
      'contracts.1 duplicates the lender',
    ],
  ])('%j', (policy, expected) => {
    const message = wrong(policy);
    expect(message).toContain(expected);
    expect(message).not.toMatch(/4711|Secret|XQX/);
  });

  test.each<[text: string, expected: string]>([
    ['{"slaDays":{"default":4},\n"slaDays":{}}', 'slaDays is repeated in line 2'],
    ['{"tolerance":{"minorUnits":1,"minorUnits":4711}}', 'tolerance.minorUnits is repeated'],
    ['{"tolerance":{"minorUnits":1,"minor\\u0055nits":2}}', 'tolerance.minorUnits is repeated'],
    [
      '{"contracts":[{},{"lender":"]{\\",\\"lender\\":","basisPoints":1,"basisPoints":2}]}',
      'contracts.1.basisPoints is repeated',
    ],
    ['{"aliases":{"Secret A":"B",\n\n"Secret A":"C"}}', 'aliases.… is repeated in line 3'],
    ['{"slaDays":{"lenders":{"Secret":1,"Secret ":2}}}', 'slaDays.lenders.… is repeated'],
    ['{"alerts":{"amount":{"currencies":{"XQX":1,"XQX":2}}}}', 'currencies.… is repeated'],
    ['{"Secret word":1,"Secret word":2}', '… is repeated'],
  ])('rejects a repeated key: %j', (text, expected) => {
    const message = wrong(text);
    expect(message).toContain(expected);
    expect(message).not.toMatch(/4711|Secret|XQX/);
  });

  test('accepts the same key in another object, or as a value', () => {
    const text = `{"contracts":[{"lender":"lender","basisPoints":1,"returnedOnRefund":true},
      {"lender":"from","basisPoints":1,"returnedOnRefund":true}],"aliases":{"a":"a b","b":"a b"}}`;
    expect(wrong(text)).toBe('taken');
  });

  test('reports all errors at once', () => {
    expect(wrong({ slaDays: { default: 'x' }, contracts: 'x' }).split('; ')).toHaveLength(2);
  });
});

test('hashes only the settings that affect the judging of orders', () => {
  const policy = parsePolicy(JSON.stringify(full));
  const hash = policyHash(policy);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(policyHash({ ...policy, contracts: [] })).not.toBe(hash);
  expect(policyHash({ ...policy, aliases: {} })).not.toBe(hash);
  const quiet = { ...policy, alerts: defaultPolicy.alerts, defaultCurrency: 'EUR' };
  expect(policyHash(quiet)).toBe(hash);
});

test('canonical JSON ignores the order of keys and keeps the order of lists', () => {
  expect(canonicalJson({ b: [2, { d: 1, c: null }], a: undefined })).toBe(
    canonicalJson({ b: [2, { c: null, d: 1 }] }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('accepts the policy in the documentation', () => {
  const document = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, policy = ''] = /```json\n(\{\s+"tolerance"[^]*?)```/.exec(document) ?? [];
  expect(parsePolicy(policy).contracts).toHaveLength(2);
});
