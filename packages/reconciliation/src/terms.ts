import type { DiscountContract, FundingLine, Policy } from './lines.ts';

const DAY = 86_400_000;

/**
 * The name a lender goes by here: `lenderName` may change for the same lender (reference: Funding
 * API). An alias may lead to another one; one that leads back to itself ends there.
 */
export function lenderOf(name: string, { aliases }: Policy): string {
  let known = name;
  for (let hops = 0; hops < 8; hops++) {
    const next = Object.hasOwn(aliases, known) ? aliases[known] : undefined;
    if (next === undefined || next === known) return known;
    known = next;
  }
  return known;
}

/** What residual is let pass for an order of which `expected` minor units are expected. */
export function toleranceOf(expected: number, { tolerance }: Pick<Policy, 'tolerance'>): number {
  if (tolerance.basisPoints === 0) return tolerance.minorUnits;
  return Math.max(tolerance.minorUnits, share(expected, tolerance.basisPoints, 0));
}

/**
 * Days that the lenders of these fundings may take. Of several lenders the slowest counts; where
 * none has posted anything, nobody knows whose order it is, and the default does.
 */
export function slaDaysOf(fundings: readonly FundingLine[], policy: Policy): number {
  const { lenders, default: usual } = policy.slaDays;
  let days: number | undefined;
  for (const { lenderName } of fundings) {
    const lender = lenderOf(lenderName, policy);
    const own = (Object.hasOwn(lenders, lender) ? lenders[lender] : undefined) ?? usual;
    if (days === undefined || own > days) days = own;
  }
  return days ?? usual;
}

/** The UTC day on which a settle or refund should have been funded, as its first millisecond. */
export function dueOf(occurredAt: number, days: number): number {
  return (Math.floor(occurredAt / DAY) + days) * DAY;
}

/** The moment from which what was due on a day is late: when all of that day has passed. */
export function lateAfter(due: number): number {
  return due + DAY;
}

/** Contracts that were found, by what they were looked up for: few, for the fundings of millions. */
interface FoundContracts {
  aliases: Policy['aliases'];
  /** By lender's name, product type and promo code. */
  found: Map<string, ByProduct>;
}
type ByProduct = Map<string | undefined, ByPromo>;
type ByPromo = Map<string | undefined, DiscountContract | undefined>;

const foundContracts = new WeakMap<readonly DiscountContract[], FoundContracts>();

/** The most specific contract that fits a funding; of two, the one that names the promo code. */
export function contractOf(funding: FundingLine, policy: Policy): DiscountContract | undefined {
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
    byPromo = new Map<string | undefined, DiscountContract | undefined>();
    byProduct.set(productType, byPromo);
  }
  const known = byPromo.get(promoCode);
  if (known || byPromo.has(promoCode)) return known;
  const contract = search(funding, policy);
  byPromo.set(promoCode, contract);
  return contract;
}

function search(funding: FundingLine, policy: Policy): DiscountContract | undefined {
  const lender = lenderOf(funding.lenderName, policy);
  let best: DiscountContract | undefined;
  let rank = -1;
  for (const contract of policy.contracts) {
    if (lenderOf(contract.lender, policy) !== lender) continue;
    if (contract.productType !== undefined && contract.productType !== funding.productType)
      continue;
    if (contract.promoCode !== undefined && contract.promoCode !== funding.promoCode) continue;
    const specific =
      (contract.promoCode === undefined ? 0 : 2) + (contract.productType === undefined ? 0 : 1);
    if (specific > rank) [best, rank] = [contract, specific];
  }
  return best;
}

/**
 * A share of an amount in whole minor units, exactly.
 * @param rounding what is added before the fraction is cut off, in ten-thousandths: 5000 rounds half up
 */
export function share(amount: number, basisPoints: number, rounding: number): number {
  const product = amount * basisPoints + rounding;
  if (Number.isSafeInteger(product)) return Math.floor(product / 10_000);
  const exact = BigInt(amount) * BigInt(basisPoints) + BigInt(rounding);
  const whole = exact / 10_000n;
  return Number(exact < 0n && whole * 10_000n !== exact ? whole - 1n : whole);
}
