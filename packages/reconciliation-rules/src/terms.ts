import { kindOf } from './kind.ts';
import type { DiscountContract, FundingLine, OrderLines, Policy, SlaDays } from './lines.ts';

const DAY = 86_400_000;
/** The whole, in parts per million: what a rate is counted in, for one has two decimals at most. */
export const WHOLE_PPM = 1_000_000;

/**
 * The name a lender goes by here: `lenderName` may change for the same lender (reference: Funding
 * API). An alias may lead to another one; one that leads back to itself ends there.
 */
export function lenderOf(name: string, { aliases }: Pick<Policy, 'aliases'>): string {
  let known = name;
  for (let hops = 0; hops < 8; hops++) {
    const next = Object.hasOwn(aliases, known) ? aliases[known] : undefined;
    if (next === undefined || next === known) return known;
    known = next;
  }
  return known;
}

/** Every name a lender goes by, its own first: whichever of them is given. */
export function lenderNames(name: string, policy: Pick<Policy, 'aliases'>): string[] {
  const own = lenderOf(name, policy);
  const names = new Set([own, name, ...Object.keys(policy.aliases)]);
  return [...names].filter((other) => lenderOf(other, policy) === own);
}

/** What residual is let pass for an order of which `expected` minor units are expected. */
export function toleranceOf(expected: number, { tolerance }: Pick<Policy, 'tolerance'>): number {
  if (tolerance.basisPoints === 0) return tolerance.minorUnits;
  return Math.max(tolerance.minorUnits, share(expected, tolerance.basisPoints, 'down'));
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

/**
 * The UTC day on which a settle or refund should have been funded, as its first millisecond: so many
 * days after its own, of which none may be a day on which nobody posts.
 */
export function dueOf(
  occurredAt: number,
  days: number,
  { businessDays = false, holidays = [] }: SlaDays,
): number {
  let due = Math.floor(occurredAt / DAY) * DAY;
  if (!businessDays) return due + days * DAY;
  const isOpen = (at: number) => new Date(at).getUTCDay() % 6 !== 0 && !holidays.includes(at);
  for (let left = days; left > 0 || !isOpen(due);) {
    due += DAY;
    if (isOpen(due)) left -= 1;
  }
  return due;
}

/** The moment from which what was due on a day is late: when all of that day has passed. */
export function lateAfter(due: number): number {
  return due + DAY;
}

/**
 * The moment whose contracts an order goes by, its refunds too: when it was first settled by the
 * books; where they have no settle, when the first settle was funded, else anything at all.
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

/** Contracts that were found, by what they were looked up for: few, for the fundings of millions. */
interface FoundContracts {
  aliases: Policy['aliases'];
  /** By lender's name, product type and promo code. */
  found: Map<string, ByProduct>;
}
type ByProduct = Map<string | undefined, ByPromo>;
/** All that fit, the one to be preferred first. */
type ByPromo = Map<string | undefined, readonly DiscountContract[]>;

const foundContracts = new WeakMap<readonly DiscountContract[], FoundContracts>();

/**
 * The contract that a funding goes by, if there is one.
 * @param at the moment of its order ({@link agreedAt})
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

/** All contracts for such a funding, whenever they begin, the one to be preferred first. */
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

/** Sorts the one to be preferred first; to name the promo code is more than to name the product. */
export function compareContracts(a: DiscountContract, b: DiscountContract): number {
  // Two that hold from ever would give NaN: they stay as they were written.
  return specificityOf(b) - specificityOf(a) || (b.from ?? -Infinity) - (a.from ?? -Infinity) || 0;
}

function specificityOf({ promoCode, productType }: DiscountContract): number {
  return (promoCode === undefined ? 0 : 2) + (productType === undefined ? 0 : 1);
}

/** A rate as the whole number that all arithmetic is done with: 287.5 basis points are 28,750 ppm. */
export function ppmOf(basisPoints: number): number {
  return Math.round(basisPoints * 100);
}

/** A share of an amount in whole minor units, exactly; `half-up`: rounded. */
export function share(amount: number, basisPoints: number, rounding: 'down' | 'half-up'): number {
  const ppm = ppmOf(basisPoints);
  const added = rounding === 'down' ? 0 : WHOLE_PPM / 2;
  const product = amount * ppm + added;
  if (Number.isSafeInteger(product)) return Math.floor(product / WHOLE_PPM);
  const exact = BigInt(amount) * BigInt(ppm) + BigInt(added);
  const unit = BigInt(WHOLE_PPM);
  const whole = exact / unit;
  return Number(exact < 0n && whole * unit !== exact ? whole - 1n : whole);
}
