import { kindOf } from './kind.ts';
import type { DiscountContract, FundingLine, OrderLines, Policy, SlaDays } from './lines.ts';

const DAY = 86_400_000;
/**
 * One whole in parts per million, the unit of rates: a rate in basis points has at most two
 * decimals.
 */
export const WHOLE_PPM = 1_000_000;

/**
 * Returns the canonical name of a lender: `lenderName` may change for the same lender (reference:
 * Funding API). Aliases are followed; a cycle of aliases ends at its start.
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

/** Returns every name of a lender, the canonical one first, from any of them. */
export function lenderNames(name: string, policy: Pick<Policy, 'aliases'>): string[] {
  const own = lenderOf(name, policy);
  const names = new Set([own, name, ...Object.keys(policy.aliases)]);
  return [...names].filter((other) => lenderOf(other, policy) === own);
}

/** Returns the tolerated residual of an order that expects `expected` minor units. */
export function toleranceOf(expected: number, { tolerance }: Pick<Policy, 'tolerance'>): number {
  if (tolerance.basisPoints === 0) return tolerance.minorUnits;
  return Math.max(tolerance.minorUnits, share(expected, tolerance.basisPoints, 'down'));
}

/**
 * Returns the days that the lenders of these fundings may take: of several lenders the slowest.
 * Without fundings the lender is unknown, and the default applies.
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
 * Returns the first millisecond of the UTC day on which a settle or refund should be funded: the
 * agreed number of days after its own day, without days on which lenders do not post.
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

/** Returns the moment at which a due day becomes late: the end of that day. */
export function lateAfter(due: number): number {
  return due + DAY;
}

/**
 * Returns the moment that selects an order's contracts, also for its refunds: its first settle in
 * the ledger, else its first funded settle, else its first line of any kind.
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

/** Cache of contracts by lookup key: few entries for millions of fundings. */
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
 * @param at the moment that selects its order's contracts ({@link agreedAt})
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

/** Returns all contracts that match a funding, whenever they begin, in order of precedence. */
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
  // Two contracts without a start would give NaN: they keep their written order.
  return specificityOf(b) - specificityOf(a) || (b.from ?? -Infinity) - (a.from ?? -Infinity) || 0;
}

function specificityOf({ promoCode, productType }: DiscountContract): number {
  return (promoCode === undefined ? 0 : 2) + (productType === undefined ? 0 : 1);
}

/** Converts a rate to the integer that all arithmetic uses: 287.5 basis points are 28,750 ppm. */
export function ppmOf(basisPoints: number): number {
  return Math.round(basisPoints * 100);
}

/** Returns a share of an amount in exact whole minor units; `half-up`: rounded. */
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
