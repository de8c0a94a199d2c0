/**
 * An independent model of funded and reversed amounts, for small orders whose fundings name their
 * ledger lines. It tries all subsets and shares no code with the rules.
 */
export interface ModelOrder {
  /** Minor units; the index is the id. */
  settles: readonly number[];
  refunds: readonly number[];
  /** In posting order; `line` indexes settles or refunds. A negative amount is a reversal. */
  postings: readonly { kind: 'settle' | 'refund'; line: number; amount: number }[];
  chargebacks: readonly number[];
  reversals: readonly number[];
}

export interface ModelStatus {
  funded: { settle: number; refund: number; chargeback: number; reversal: number };
  funding: string;
  returns: string;
}

const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** Removes each negative amount together with an earlier positive one of the same size. */
function standing(amounts: readonly number[]): number[] {
  const back = amounts.findIndex(
    (amount, at) => amount < 0 && amounts.slice(0, at).includes(-amount),
  );
  if (back === -1) return [...amounts];
  const paid = amounts.slice(0, back).lastIndexOf(-(amounts[back] ?? 0));
  return standing(amounts.filter((_, at) => at !== back && at !== paid));
}

/**
 * Returns the paid amount of a line: the posted sum without the largest set of whole amounts whose
 * removal leaves the line paid, by a whole amount or by parts that sum to it.
 */
function paidOf(amount: number, posted: readonly number[]): number {
  const left = standing(posted);
  let best = left;
  for (let bits = 0; bits < 2 ** left.length; bits++) {
    const isRemoved = (at: number) => (bits & (2 ** at)) !== 0;
    const rest = left.filter((_, at) => !isRemoved(at));
    const isWhole = left.every((one, at) => !isRemoved(at) || one === amount);
    const isPaid = total(rest) === amount || (rest.includes(amount) && total(rest) > amount);
    if (isWhole && isPaid && rest.length < best.length) best = rest;
  }
  return total(best);
}

export function modelOf(order: ModelOrder): ModelStatus {
  const paid = (kind: 'settle' | 'refund', lines: readonly number[]) =>
    total(
      lines.map((amount, line) => {
        const own = order.postings.filter((one) => one.kind === kind && one.line === line);
        return paidOf(
          amount,
          own.map((one) => one.amount),
        );
      }),
    );
  const settle = paid('settle', order.settles);
  const refund = paid('refund', order.refunds);
  const chargeback = total(order.chargebacks);
  const reversal = total(order.reversals);
  return {
    funded: { settle, refund, chargeback, reversal },
    funding: fundingOf(total(order.settles), settle),
    returns: returnsOf(settle, refund, chargeback, reversal),
  };
}

function fundingOf(expected: number, funded: number): string {
  if (expected === 0) return funded > 0 ? 'UNEXPECTED' : 'NONE';
  if (funded === expected) return 'FUNDED';
  if (funded > expected) return 'OVER_FUNDED';
  return funded > 0 ? 'PARTIALLY_FUNDED' : 'UNFUNDED';
}

function returnsOf(settle: number, refund: number, chargeback: number, reversal: number): string {
  if (chargeback > reversal) {
    const isAll = chargeback - reversal + refund >= settle;
    return isAll ? 'CHARGED_BACK' : 'PARTIALLY_CHARGED_BACK';
  }
  if (refund > 0) return settle > 0 && refund >= settle ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
  return chargeback > 0 && chargeback === reversal ? 'CHARGEBACK_REVERSED' : 'NONE';
}
