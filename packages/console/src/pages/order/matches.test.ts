import { expect, test } from 'vitest';
import { type FundingLine, type LedgerLine, matchesOf, referencesOf } from './matches.ts';

const line = (id: string, more: Partial<LedgerLine> = {}): LedgerLine => ({
  id,
  type: 'Settle',
  amount: 1_000,
  source: 'import',
  occurredAt: '2026-11-01T00:00:00.000Z',
  ...more,
});
const funding = (id: string, more: Partial<FundingLine> = {}): FundingLine => ({
  id,
  status: 'RECONCILED',
  transactionType: 'Settle',
  lenderName: 'Meadow Credit',
  transactionAmount: 1_000,
  discountAmount: 0,
  netAmount: 1_000,
  fundedAt: '2026-11-02T00:00:00.000Z',
  updatedAt: '2026-11-02T00:00:00.000Z',
  ...more,
});

test('names all ids that a line and a funding have in common', () => {
  const ids = { transactionId: 't1', merchantTransactionId: 'm1' };
  const ledger = [line('l1', ids)];
  const fundings = [funding('f1', { ...ids, lenderReferenceId: 'r1' })];
  const references = referencesOf([
    { ...ids, lenderReferenceId: 'r1' } as Parameters<typeof referencesOf>[0][number],
  ]);

  const { ofLine, ofFunding } = matchesOf({ ledger, fundings }, references);
  expect(ofLine.get('l1')).toMatchObject([
    {
      other: { id: 'f1' },
      reasons: ['transactionId', 'merchantTransactionId', 'lenderReferenceId'],
    },
  ]);
  expect(ofFunding.get('f1')).toMatchObject([{ other: { id: 'l1' } }]);
});

test('compares type and amount only if no id matches', () => {
  const ledger = [line('l1', { transactionId: 't1' }), line('l2')];
  const fundings = [funding('f1', { transactionId: 't1' }), funding('f2')];
  const { ofLine } = matchesOf({ ledger, fundings });

  expect(ofLine.get('l1')?.map(({ other }) => other.id)).toEqual(['f1']);
  expect(ofLine.get('l2')).toMatchObject([{ other: { id: 'f2' }, reasons: ['typeAndAmount'] }]);
});

test('does not match a different amount or type, or ids that both lack', () => {
  const ledger = [line('l1'), line('l2', { type: 'Refund' })];
  const { ofLine, ofFunding } = matchesOf({
    ledger,
    fundings: [funding('f1', { transactionAmount: 999 })],
  });
  expect([ofLine.get('l1'), ofLine.get('l2'), ofFunding.get('f1')]).toEqual([[], [], []]);
});
