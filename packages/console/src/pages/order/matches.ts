import type { ChargeOperation } from '@financing-checkout/contract/back-office';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';

type Part = OrderExplanation['currencies'][number];
export type LedgerLine = Part['ledger'][number];
export type FundingLine = Part['fundings'][number];
/** What a ledger line and a funding have in common, most certain first. */
type MatchReason =
  | 'transactionId'
  | 'merchantTransactionId'
  | 'lenderReferenceId'
  | 'typeAndAmount';
export interface Match<Other> {
  other: Other;
  /** All reasons for the match; `typeAndAmount` only if no id matches. */
  reasons: MatchReason[];
}

/** Returns why a line and a funding belong together; empty if nothing matches. */
function reasonsOf(
  line: LedgerLine,
  funding: FundingLine,
  references: ReadonlyMap<string, string>,
): MatchReason[] {
  const same = (one: string | undefined, other: string | undefined) =>
    one !== undefined && one === other;
  const reference = references.get(line.transactionId ?? line.merchantTransactionId ?? '');
  return [
    ...(same(line.transactionId, funding.transactionId) ? ['transactionId' as const] : []),
    ...(same(line.merchantTransactionId, funding.merchantTransactionId)
      ? ['merchantTransactionId' as const]
      : []),
    ...(same(reference, funding.lenderReferenceId) ? ['lenderReferenceId' as const] : []),
  ];
}

/**
 * Returns the lenders' references for companion operations, by the service's and the companion's
 * id.
 */
export function referencesOf(operations: readonly ChargeOperation[]): ReadonlyMap<string, string> {
  return new Map(
    operations.flatMap(({ transactionId, merchantTransactionId, lenderReferenceId }) =>
      lenderReferenceId === undefined
        ? []
        : [transactionId, merchantTransactionId].flatMap((id) =>
            id === undefined ? [] : [[id, lenderReferenceId] as const],
          ),
    ),
  );
}

/**
 * Returns each line's fundings and each funding's lines, by id. A line and a funding whose ids
 * match nothing are compared by type and amount.
 */
export function matchesOf(
  { ledger, fundings }: Pick<Part, 'ledger' | 'fundings'>,
  references: ReadonlyMap<string, string> = new Map(),
): { ofLine: Map<string, Match<FundingLine>[]>; ofFunding: Map<string, Match<LedgerLine>[]> } {
  const ofLine = new Map<string, Match<FundingLine>[]>(ledger.map(({ id }) => [id, []]));
  const ofFunding = new Map<string, Match<LedgerLine>[]>(fundings.map(({ id }) => [id, []]));
  const join = (line: LedgerLine, funding: FundingLine, reasons: MatchReason[]) => {
    ofLine.get(line.id)?.push({ other: funding, reasons });
    ofFunding.get(funding.id)?.push({ other: line, reasons });
  };
  for (const line of ledger) {
    for (const funding of fundings) {
      const reasons = reasonsOf(line, funding, references);
      if (reasons.length > 0) join(line, funding, reasons);
    }
  }
  const withoutIds = fundings.filter(({ id }) => ofFunding.get(id)?.length === 0);
  for (const line of ledger.filter(({ id }) => ofLine.get(id)?.length === 0)) {
    for (const funding of withoutIds) {
      const fits =
        funding.transactionType === line.type && funding.transactionAmount === line.amount;
      if (fits) join(line, funding, ['typeAndAmount']);
    }
  }
  return { ofLine, ofFunding };
}
