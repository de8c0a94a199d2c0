import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation-rules';
import { expect, test } from 'vitest';
import { NOW } from './orders.fixture.ts';
import { contentOf } from './statuses.ts';

const line = (id: string): LedgerLine => ({ id, type: 'Settle', amount: 10_000, occurredAt: NOW });

const funding = (id: string, change: Partial<FundingLine> = {}): FundingLine => ({
  id,
  status: 'RECONCILED',
  transactionType: 'Settle',
  transactionAmount: 10_000,
  discountAmount: 290,
  netAmount: 9_710,
  fundedAt: NOW,
  updatedAt: NOW,
  lenderName: 'Tamberley Credit',
  ...change,
});

// Who ignored a case has it back once this is another one.
test('lines are the same in any order and when the service touches them, and others once they change', () => {
  const [ledger, fundings] = [
    [line('1'), line('2')],
    [funding('1'), funding('2')],
  ];
  const content = contentOf({ currency: 'USD', merchantOrderId: 'A-1', ledger, fundings });
  const changed = (lines: LedgerLine[], paid: FundingLine[]) =>
    contentOf({ currency: 'USD', merchantOrderId: 'A-1', ledger: lines, fundings: paid });
  expect(changed(ledger.toReversed(), fundings.toReversed())).toBe(content);
  expect(changed(ledger, [funding('1', { updatedAt: NOW + 1 }), funding('2')])).toBe(content);
  for (const change of [{ fundedAt: NOW + 1 }, { discountAmount: 291 }, { status: 'MISMATCHED' }]) {
    expect(changed(ledger, [funding('1', change), funding('2')])).not.toBe(content);
  }
  expect(changed([line('1')], fundings)).not.toBe(content);
  expect(changed([line('1'), { ...line('2'), amount: 9_999 }], fundings)).not.toBe(content);
});
