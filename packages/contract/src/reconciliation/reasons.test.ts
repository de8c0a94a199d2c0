import { expect, it, test } from 'vitest';
import { exceptionCodes } from './exceptions.ts';
import type { OrderStatusRecord } from './order-status.ts';
import { explainException, statusReasons } from './plain.ts';

const formats = { money: (minor: number) => `${minor} EUR`, day: () => '1. Dezember', zone: 'UTC' };
const quiet: Omit<OrderStatusRecord, 'reasons'> = {
  orderKey: 'order:A-1',
  merchantOrderId: 'A-1',
  currency: 'EUR',
  headline: 'FUNDED',
  funding: 'FUNDED',
  returns: 'NONE',
  expected: { settle: 500, refund: 0 },
  funded: { settle: 500, refund: 0, chargeback: 0, reversal: 0 },
  discount: 0,
  net: 500,
  awaiting: 0,
  exceptions: [],
  computedAt: '2026-11-01T00:00:00.000Z',
  changedAt: '2026-11-01T00:00:00.000Z',
};

test.each(exceptionCodes)('states the facts of %s in both languages', (code) => {
  for (const [less, cancels, isNamed] of [
    [true, false, true],
    [false, false, false],
  ] as const) {
    for (const count of [1, 7]) {
      const facts = { size: '15,00', less, cancels, count, isNamed };
      for (const language of ['en', 'de'] as const) {
        const text = explainException(code, facts, language);
        expect(text).toMatch(/^[A-ZÄÖÜ\d].*\. .*\.$/);
        expect(text).toContain('15,00');
      }
      expect(explainException(code, facts, 'de')).not.toBe(explainException(code, facts, 'en'));
    }
  }
});

it('explains a status in German', () => {
  const reasonsOf = (change: Partial<typeof quiet>) =>
    statusReasons({ ...quiet, ...change }, 'de', formats);
  expect(reasonsOf({})).toEqual(['500 EUR wurden eingezogen, und alles davon ist ausgezahlt.']);
  expect(reasonsOf({ awaiting: 500, recheckAt: quiet.computedAt })).toEqual([
    '500 EUR sind eingezogen und noch nicht ausgezahlt; der Betrag ist vor dem 1. Dezember (UTC) nicht überfällig.',
  ]);
  const since = quiet.computedAt;
  const exceptions = [{ code: 'MISSING_AT_LENDER', amount: -500, count: 1, since } as const];
  expect(reasonsOf({ exceptions, currencyAssumed: true })).toEqual([
    'Ein Einzug über 500 EUR ist überfällig: Keine Auszahlung ist ihm zugeordnet. Fragen Sie den Kreditgeber, wann er zahlt.',
    expect.stringMatching(/^Die Währung ist angenommen/),
  ]);
});
