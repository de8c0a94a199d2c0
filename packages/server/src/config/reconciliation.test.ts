import { describe, expect, test } from 'vitest';
import { EnvironmentReader } from './reader.ts';
import { readReconciliation } from './reconciliation.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function read(variables: Record<string, string>, file?: string) {
  const readFile = () => {
    if (file === undefined) throw new Error('ENOENT');
    return file;
  };
  const env = new EnvironmentReader(variables, readFile);
  return { configuration: readReconciliation(env, readFile), problems: env.problems };
}

test('without a file: no tolerance, five days, no contract; nobody is told', () => {
  const { configuration, problems } = read({});
  expect(problems).toEqual([]);
  expect(configuration).toEqual({
    policy: {
      tolerance: { minorUnits: 0, basisPoints: 0 },
      slaDays: { default: 5, lenders: {} },
      aliases: {},
      contracts: [],
      defaultCurrency: undefined,
      alerts: { amount: { default: undefined, currencies: {} }, days: undefined },
    },
    alerts: undefined,
  });
});

test('a file that is not there, or cannot be used, is a problem that holds no value of it', () => {
  const path = { RECONCILIATION_POLICY_FILE: '/etc/policy.json' };
  expect(read(path).problems).toMatchObject([{ variable: 'RECONCILIATION_POLICY_FILE' }]);
  const { problems } = read(path, '{"slaDays":{"lenders":{"Secret Lender":"soon"}}}');
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain('slaDays.lenders.…');
  expect(problems[0]?.message).not.toMatch(/Secret|soon/);
});

describe('alerts', () => {
  const url = 'https://finance.example/alerts';
  test('go to an https address, signed', () => {
    const { configuration, problems } = read({
      RECONCILIATION_ALERT_URL: url,
      RECONCILIATION_ALERT_SECRET: SECRET,
    });
    expect([problems, configuration.alerts?.url]).toEqual([[], url]);
    expect(JSON.stringify(configuration)).not.toContain(SECRET);
  });

  test.each([
    [{ RECONCILIATION_ALERT_URL: url }, 'RECONCILIATION_ALERT_SECRET'],
    [{ RECONCILIATION_ALERT_SECRET: SECRET }, 'RECONCILIATION_ALERT_URL'],
    [
      { RECONCILIATION_ALERT_URL: url, RECONCILIATION_ALERT_SECRET_FILE: '/none' },
      'RECONCILIATION_ALERT_SECRET_FILE',
    ],
    [
      { RECONCILIATION_ALERT_URL: 'http://finance.example/', RECONCILIATION_ALERT_SECRET: SECRET },
      'RECONCILIATION_ALERT_URL',
    ],
    [
      { RECONCILIATION_ALERT_URL: url, RECONCILIATION_ALERT_SECRET: 'whsec_short' },
      'RECONCILIATION_ALERT_SECRET',
    ],
  ])('%j is refused', (variables, variable) => {
    expect(read(variables).problems.map((problem) => problem.variable)).toEqual([variable]);
  });
});
