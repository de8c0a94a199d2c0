import type { Examination } from './examination.ts';
import type { Findings } from './findings.ts';
import type { DiscountContract } from '../order/lines.ts';
import { type Expectation, firstPosted, transactionOf, type Posting } from '../order/posting.ts';
import { agreedAt, contractOf } from '../policy/contract.ts';
import { ppmOf, share, WHOLE_PPM } from '../policy/share.ts';

/**
 * Fundings of one transaction under one contract, with the discount that lenders kept, in minor
 * units.
 */
export interface DiscountedGroup {
  readonly kind: 'settle' | 'refund';
  readonly contract: DiscountContract;
  readonly currency: string;
  readonly postings: Posting[];
  amount: number;
  discount: number;
  /** Amount that the ledger expects for the whole transaction, if known. */
  expected: number | undefined;
}

/** Reports discounts that lenders kept in excess of their contracts or did not return. */
export function judgeDiscounts(examined: Examination, findings: Findings): void {
  if (examined.policy.contracts.length === 0) return;
  for (const { group, kept } of deviationsOf(discountedGroups(examined))) {
    const isNotReturned = group.kind === 'refund' && kept > 0;
    const code = isNotReturned ? 'MDR_NOT_RETURNED' : 'MDR_VARIANCE';
    findings.add(code, kept, group.postings.length, firstPosted(group.postings));
  }
}

/** A group whose discount differs from the contract. */
export interface DiscountDeviation {
  readonly group: DiscountedGroup;
  /** Minor units that the lender kept in excess of the contract; negative: kept less. */
  readonly kept: number;
}

/**
 * Compares each discount with its contract. A lender may round each funding up or down to a whole
 * unit, so the tolerance is less than one unit per funding of the transaction. A lender that uses
 * differences of rounded totals stays within this tolerance. A discount that would be right for the
 * expected amount is not an error in addition to the wrong amount.
 */
export function deviationsOf(groups: readonly DiscountedGroup[]): DiscountDeviation[] {
  const givenBack = new Set(
    groups
      .filter(({ kind, discount }) => kind === 'refund' && discount !== 0)
      .map(({ contract }) => contract),
  );
  return groups
    .filter((group) => {
      // If a lender returns nothing for any refund, a difference of about one unit is not just
      // rounding.
      if (group.kind === 'refund' && !givenBack.has(group.contract)) return agreedOf(group) !== 0;
      if (fits(group, group.amount)) return false;
      return group.expected === undefined || !fits(group, group.expected);
    })
    .map((group) => {
      const more = group.discount - agreedOf(group);
      return { group, kept: group.kind === 'settle' ? more : 0 - more };
    });
}

/** Returns the groups in the order of their first funding. */
export function discountedGroups({ order, postings, policy }: Examination): DiscountedGroup[] {
  const at = agreedAt(order);
  const groups: DiscountedGroup[] = [];
  // The ledger does not expect these postings, so the transaction id groups them.
  const byWhole = new Map<Expectation | string, DiscountedGroup[]>();
  for (const posting of postings) {
    const { kind, amount, discount, expectation } = posting;
    if (kind !== 'settle' && kind !== 'refund') continue;
    if (posting.isDuplicate || posting.isMistyped) continue;
    const contract = contractOf(posting.funding, policy, at);
    if (!contract) continue;
    const whole = expectation ?? transactionOf(posting.funding, kind);
    const parts = byWhole.get(whole);
    const group = parts?.find((part) => part.contract === contract);
    if (group) {
      group.postings.push(posting);
      group.amount += amount;
      group.discount += discount;
      continue;
    }
    const expected = expectation?.amount;
    const started = {
      kind,
      contract,
      currency: order.currency,
      postings: [posting],
      amount,
      discount,
      expected,
    };
    groups.push(started);
    if (!parts) {
      byWhole.set(whole, [started]);
      continue;
    }
    // With two contracts, it is unknown which part of the whole each of them covers.
    parts.push(started);
    for (const part of parts) part.expected = undefined;
  }
  return groups;
}

/** Returns the contracted discount, rounded half up: kept from a settle or returned on a refund. */
export function agreedOf(group: DiscountedGroup): number {
  const { kind, contract, currency, amount } = group;
  const fixed = fixedOf(kind, contract, currency, amount);
  return share(amount, rateOf(kind, contract), 'half-up') + fixed;
}

function fits(group: DiscountedGroup, amount: number): boolean {
  const { kind, contract, currency, discount, postings } = group;
  const fixed = fixedOf(kind, contract, currency, amount);
  return isWithin(discount - fixed, amount, rateOf(kind, contract), postings.length);
}

/** Returns whether a discount is less than `units` away from the exact, fractional share. */
export function isWithin(
  discount: number,
  amount: number,
  basisPoints: number,
  units: number,
): boolean {
  const ppm = ppmOf(basisPoints);
  const exact = amount * ppm;
  const kept = discount * WHOLE_PPM;
  if (Number.isSafeInteger(exact) && Number.isSafeInteger(kept)) {
    return Math.abs(kept - exact) < units * WHOLE_PPM;
  }
  const difference = BigInt(discount) * BigInt(WHOLE_PPM) - BigInt(amount) * BigInt(ppm);
  const allowed = BigInt(units * WHOLE_PPM);
  return difference < allowed && -difference < allowed;
}

/**
 * Returns the fixed amount kept from a settle on top of the percentage share; 0 if the settle was
 * fully reversed.
 */
export function fixedOf(
  kind: 'settle' | 'refund',
  { perSettle = {} }: DiscountContract,
  currency: string,
  amount: number,
): number {
  if (kind === 'refund' || amount <= 0 || !Object.hasOwn(perSettle, currency)) return 0;
  return perSettle[currency] ?? 0;
}

export function rateOf(kind: 'settle' | 'refund', contract: DiscountContract): number {
  return kind === 'settle' || contract.returnedOnRefund ? contract.basisPoints : 0;
}
