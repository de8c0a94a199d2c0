import { kindOf } from '../order/kind.ts';
import type { DiscountContract, FundingLine, OrderLines, Policy } from '../order/lines.ts';
import { lenderOf } from './lender.ts';

/**
 * Returns the time that determines which contracts apply to an order, including its refunds: its
 * first settle in the ledger, else its first funded settle, else its first line of any kind.
 */
export function agreedAt({ ledger, fundings }: OrderLines): number {
  let [booked, settled, posted] = [Infinity, Infinity, Infinity];
  for (const { type, occurredAt } of ledger) {
    if (type === 'Settle' && occurredAt < booked) booked = occurredAt;
  }
  if (booked !== Infinity) return booked;
  for (const funding of fundings) {
    if (funding.fundedAt < posted) posted = funding.fundedAt;
    if (kindOf(funding) === 'settle' && funding.fundedAt < settled) settled = funding.fundedAt;
  }
  return settled === Infinity ? posted : settled;
}

/** Cache of contracts by lookup key, with few entries for millions of fundings. */
interface FoundContracts {
  aliases: Policy['aliases'];
  /** Keyed by lender name, product type and promo code. */
  found: Map<string, ByProduct>;
}
type ByProduct = Map<string | undefined, ByPromo>;
/** All matching contracts, in order of precedence. */
type ByPromo = Map<string | undefined, readonly DiscountContract[]>;

const foundContracts = new WeakMap<readonly DiscountContract[], FoundContracts>();

/**
 * Returns the contract of a funding, if there is one.
 * @param at the time that determines the order's contracts ({@link agreedAt})
 */
export function contractOf(
  funding: FundingLine,
  policy: Policy,
  at: number,
): DiscountContract | undefined {
  const { contracts, aliases } = policy;
  if (contracts.length === 0) return undefined;
  let cache = foundContracts.get(contracts);
  if (cache?.aliases !== aliases) {
    cache = { aliases, found: new Map() };
    foundContracts.set(contracts, cache);
  }
  const { lenderName, productType, promoCode } = funding;
  let byProduct = cache.found.get(lenderName);
  if (!byProduct) {
    byProduct = new Map<string | undefined, ByPromo>();
    cache.found.set(lenderName, byProduct);
  }
  let byPromo = byProduct.get(productType);
  if (!byPromo) {
    byPromo = new Map<string | undefined, readonly DiscountContract[]>();
    byProduct.set(productType, byPromo);
  }
  let fitting = byPromo.get(promoCode);
  if (!fitting) {
    fitting = fittingContracts(funding, policy);
    byPromo.set(promoCode, fitting);
  }
  return fitting.find(({ from = -Infinity }) => from <= at);
}

/** Returns all contracts that match a funding, whatever their start, in order of precedence. */
export function fittingContracts(
  funding: Pick<FundingLine, 'lenderName' | 'productType' | 'promoCode'>,
  policy: Pick<Policy, 'contracts' | 'aliases'>,
): DiscountContract[] {
  const lender = lenderOf(funding.lenderName, policy);
  return policy.contracts
    .filter(
      (contract) =>
        lenderOf(contract.lender, policy) === lender &&
        (contract.productType === undefined || contract.productType === funding.productType) &&
        (contract.promoCode === undefined || contract.promoCode === funding.promoCode),
    )
    .sort(compareContracts);
}

/** Compares contracts by precedence. A promo code is more specific than a product. */
export function compareContracts(a: DiscountContract, b: DiscountContract): number {
  // Two contracts without a start give NaN here, and keep their original order.
  return specificityOf(b) - specificityOf(a) || (b.from ?? -Infinity) - (a.from ?? -Infinity) || 0;
}

function specificityOf({ promoCode, productType }: DiscountContract): number {
  return (promoCode === undefined ? 0 : 2) + (productType === undefined ? 0 : 1);
}
