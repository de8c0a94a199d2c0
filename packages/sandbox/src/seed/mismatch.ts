/**
 * What can be wrong, or merely awkward, with an order of a seeded history: its share of all orders
 * by default, in percent, and how a reconciliation should name it. Empty: it should find nothing.
 */
export const mismatches = {
  'wrong-amount': { percent: 0.4, finds: ['AMOUNT_MISMATCH'] },
  'wrong-type': { percent: 0.2, finds: ['TYPE_MISMATCH'] },
  /** Paid in parts, which sum to the whole. */
  split: { percent: 0.2, finds: [] },
  duplicate: { percent: 0.2, finds: ['DUPLICATE_FUNDING'] },
  /** The order's funding names neither order nor transaction: two findings, on two sides. */
  missing: { percent: 0.3, finds: ['MISSING_AT_LENDER', 'MISSING_IN_SERVICE'] },
  /** The order's funding names the order, and no transaction. */
  'original-missing': { percent: 0.2, finds: ['MISSING_IN_SERVICE'] },
  /** A good order, and beside it a funding of nothing. */
  orphan: { percent: 0.1, finds: ['MISSING_IN_SERVICE'] },
  'never-funded': { percent: 0.4, finds: ['MISSING_AT_LENDER'] },
  'refund-not-taken': { percent: 0.3, finds: ['REFUND_NOT_TAKEN'] },
  'discount-kept': { percent: 0.3, finds: ['MDR_NOT_RETURNED'] },
  'wrong-discount': { percent: 0.3, finds: ['MDR_VARIANCE'] },
  'net-mismatch': { percent: 0.1, finds: ['NET_MISMATCH'] },
  /** Changed after it was posted; sometimes re-dated. */
  'late-change': { percent: 0.3, finds: [] },
  /** MISSING for some days; found only while it is. */
  'late-match': { percent: 0.2, finds: ['MISSING_IN_SERVICE'] },
  chargeback: { percent: 0.3, finds: ['CHARGEBACK_OPEN'] },
  'chargeback-reversed': { percent: 0.2, finds: [] },
  /** A refund that the lender alone knows: CHARGEBACK in the records operations. */
  dispute: { percent: 0.1, finds: ['MISSING_IN_SERVICE'] },
  /** Refunded by the merchant and charged back by the lender. */
  'double-debit': { percent: 0.1, finds: ['DOUBLE_DEBIT', 'CHARGEBACK_OPEN'] },
  /** The merchant's books know nothing of the order. */
  'not-in-ledger': { percent: 0.2, finds: ['NOT_IN_LEDGER'] },
  'refund-not-in-ledger': { percent: 0.1, finds: ['REFUND_NOT_IN_LEDGER'] },
  /** The merchant's books have a settle that was never sent to the service. */
  'not-submitted': { percent: 0.1, finds: ['MISSING_AT_LENDER'] },
  /** The merchant's books have two settles, under names of their own, where the lender paid once. */
  'paid-together': { percent: 0.2, finds: [] },
  /** The merchant's books have a second settle in another currency, that was never sent. */
  'two-currencies': { percent: 0.2, finds: ['MISSING_AT_LENDER'] },
} as const satisfies Record<string, { percent: number; finds: readonly string[] }>;

export type MismatchKind = keyof typeof mismatches;
export const mismatchKinds = Object.keys(mismatches) as MismatchKind[];

/** How many orders of each kind. */
export type MismatchCounts = ReadonlyMap<MismatchKind, number>;

/**
 * Reads the shares of `--faults`: `default`, `none`, a share of all orders (`8%`) that is divided
 * as the default is, or shares by kind (`duplicate=0.5%,wrong-amount=0.01`).
 * @returns shares by kind, or what is wrong, as text
 */
export function parseShares(text: string): ReadonlyMap<MismatchKind, number> | string {
  if (text === 'none') return new Map();
  if (text === 'default') return scaled(1);
  const whole = parseShare(text);
  if (whole !== undefined) {
    const usual = mismatchKinds.reduce((sum, kind) => sum + mismatches[kind].percent, 0) / 100;
    return scaled(whole / usual);
  }
  // Meant as a share of all orders: that it is no kind would be no help.
  if (/^-?[\d.]+%?$/.test(text)) return `a share of all orders ${range}`;
  const shares = new Map<MismatchKind, number>();
  for (const part of text.split(',')) {
    const [name = '', value = '', ...rest] = part.split('=').map((piece) => piece.trim());
    const kind = mismatchKinds.find((candidate) => candidate === name);
    if (!kind) {
      return `"${name}" is no kind of mismatch; there are ${mismatchKinds.join(', ')}`;
    }
    const share = parseShare(value);
    if (share === undefined || rest.length > 0) {
      return `the share of ${kind} ${range}`;
    }
    if (shares.has(kind)) return `${kind} is given twice`;
    shares.set(kind, share);
  }
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  return sum > 1 ? 'the shares sum to more than all orders' : shares;
}

function scaled(factor: number): Map<MismatchKind, number> {
  return new Map(
    mismatchKinds.map((kind) => [kind, (mismatches[kind].percent / 100) * factor] as const),
  );
}

const range = 'must be a percentage up to 100% or a fraction up to 1';

function parseShare(text: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(%?)$/.exec(text);
  if (!match) return undefined;
  const share = Number(match[1]) / (match[2] === '%' ? 100 : 1);
  return share <= 1 ? share : undefined;
}

/** The shares of `orders` orders, rounded to whole ones. */
export function countsOf(
  shares: ReadonlyMap<MismatchKind, number>,
  orders: number,
): MismatchCounts {
  return new Map([...shares].map(([kind, share]) => [kind, Math.round(share * orders)] as const));
}

/**
 * Which order is of which kind: exactly as many as wanted, spread over the first `among` orders.
 * Takes a step of a length that shares no factor with `among`, so that no place is met twice.
 */
export function spread(
  counts: MismatchCounts,
  among: number,
  start: number,
): (order: number) => MismatchKind | undefined {
  const bounds: { below: number; kind: MismatchKind }[] = [];
  let below = 0;
  for (const [kind, count] of counts) bounds.push({ below: (below += count), kind });
  let step = Math.max(1, Math.floor(among * 0.618));
  while (commonFactor(step, among) !== 1) step += 1;
  return (order) => {
    if (order >= among) return undefined;
    // Below 2^53: both are at most ten million.
    const place = (order * step + start) % among;
    return place < below ? bounds.find((bound) => place < bound.below)?.kind : undefined;
  };
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}
