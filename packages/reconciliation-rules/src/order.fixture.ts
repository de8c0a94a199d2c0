import type { FundingLine, LedgerLine, OrderLines, Policy } from './order/lines.ts';

export const DAY = 86_400_000;
/** Returns the day `count` days after the first day of the tests. */
export const day = (count: number) => Date.UTC(2026, 0, 1) + count * DAY;
export const now = day(100);

/** Two days to fund; a 2.9 percent discount that refunds return. */
export const policy: Policy = {
  now,
  tolerance: { minorUnits: 0, basisPoints: 0 },
  slaDays: { default: 2, lenders: {} },
  aliases: {},
  contracts: [{ lender: 'Quillmoor', basisPoints: 290, returnedOnRefund: true }],
  complete: true,
};

let lines = 0;

/** Returns a ledger line, by default dated day 10. */
export function line(
  type: LedgerLine['type'],
  amount: number,
  other: Partial<LedgerLine> = {},
): LedgerLine {
  return { id: `line-${++lines}`, type, amount, occurredAt: day(10), ...other };
}

/** Returns a funding as in the report, by default dated day 12 with the contracted discount. */
export function funding(
  transactionType: string,
  transactionAmount: number,
  other: Partial<FundingLine> = {},
): FundingLine {
  const discountAmount = other.discountAmount ?? Math.round((transactionAmount * 290) / 10_000);
  return {
    id: `funding-${++lines}`,
    status: 'RECONCILED',
    transactionType,
    transactionAmount,
    discountAmount,
    netAmount: transactionAmount - discountAmount,
    fundedAt: day(12),
    updatedAt: day(12),
    lenderName: 'Quillmoor',
    lenderReferenceId: `R${lines}`,
    ...other,
  };
}

export function order(
  ledger: readonly LedgerLine[],
  fundings: readonly FundingLine[],
  merchantOrderId: string | undefined = 'A-1',
): OrderLines {
  return { merchantOrderId, currency: 'USD', ledger, fundings };
}

/** Returns an order that consists of fundings without an order id. */
export function orphan(...fundings: readonly FundingLine[]): OrderLines {
  return { merchantOrderId: undefined, currency: 'USD', ledger: [], fundings };
}
