/**
 * Problems and special cases of orders in a seeded history: the default share of all orders, in
 * percent, and the findings that a reconciliation should report. An empty list means no finding.
 */
export const mismatches = {
  'wrong-amount': { percent: 0.4, finds: ['AMOUNT_MISMATCH'] },
  'wrong-type': { percent: 0.2, finds: ['TYPE_MISMATCH'] },
  /** Paid in parts that add up to the whole. */
  split: { percent: 0.2, finds: [] },
  duplicate: { percent: 0.2, finds: ['DUPLICATE_FUNDING'] },
  /** The order's funding names neither the order nor the transaction: one finding on each side. */
  missing: { percent: 0.3, finds: ['MISSING_AT_LENDER', 'MISSING_IN_SERVICE'] },
  /** The order's funding names the order, but no transaction. */
  'original-missing': { percent: 0.2, finds: ['MISSING_IN_SERVICE'] },
  /** A correct order, and an additional funding that belongs to no order. */
  orphan: { percent: 0.1, finds: ['MISSING_IN_SERVICE'] },
  'never-funded': { percent: 0.4, finds: ['MISSING_AT_LENDER'] },
  'refund-not-taken': { percent: 0.3, finds: ['REFUND_NOT_TAKEN'] },
  'discount-kept': { percent: 0.3, finds: ['MDR_NOT_RETURNED'] },
  'wrong-discount': { percent: 0.3, finds: ['MDR_VARIANCE'] },
  'net-mismatch': { percent: 0.1, finds: ['NET_MISMATCH'] },
  /** Changed after posting; sometimes re-dated. */
  'late-change': { percent: 0.3, finds: [] },
  /** MISSING for some days, and found only during these days. */
  'late-match': { percent: 0.2, finds: ['MISSING_IN_SERVICE'] },
  chargeback: { percent: 0.3, finds: ['CHARGEBACK_OPEN'] },
  'chargeback-reversed': { percent: 0.2, finds: [] },
  /** A refund that only the lender knows about: CHARGEBACK in the records operations. */
  dispute: { percent: 0.1, finds: ['MISSING_IN_SERVICE'] },
  /** Refunded by the merchant and charged back by the lender. */
  'double-debit': { percent: 0.1, finds: ['DOUBLE_DEBIT', 'CHARGEBACK_OPEN'] },
  /** The ledger lacks the order. */
  'not-in-ledger': { percent: 0.2, finds: ['NOT_IN_LEDGER'] },
  'refund-not-in-ledger': { percent: 0.1, finds: ['REFUND_NOT_IN_LEDGER'] },
  /** The ledger has a settle that was never sent to the service. */
  'not-submitted': { percent: 0.1, finds: ['MISSING_AT_LENDER'] },
  /** The ledger has two settles with its own ids; the lender paid once. */
  'paid-together': { percent: 0.2, finds: [] },
  /** The ledger has a second settle, in another currency, that was never sent. */
  'two-currencies': { percent: 0.2, finds: ['MISSING_AT_LENDER'] },
} as const satisfies Record<string, { percent: number; finds: readonly string[] }>;

export type MismatchKind = keyof typeof mismatches;
export const mismatchKinds = Object.keys(mismatches) as MismatchKind[];

type MismatchCounts = ReadonlyMap<MismatchKind, number>;

/**
 * Parses the shares of `--faults`: `default`, `none`, a share of all orders (`8%`) that is divided
 * like the default, or shares by kind (`duplicate=0.5%,wrong-amount=0.01`).
 * @returns shares by kind, or why the value is invalid
 */
export function parseShares(text: string): ReadonlyMap<MismatchKind, number> | string {
  if (text === 'none') return new Map();
  if (text === 'default') return scaled(1);
  const whole = parseShare(text);
  if (whole !== undefined) {
    const usual = mismatchKinds.reduce((sum, kind) => sum + mismatches[kind].percent, 0) / 100;
    return scaled(whole / usual);
  }
  // Probably meant as a share of all orders, so "no kind of mismatch" would not help.
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

/** Returns the number of orders of each kind, rounded. */
export function countsOf(
  shares: ReadonlyMap<MismatchKind, number>,
  orders: number,
): MismatchCounts {
  return new Map([...shares].map(([kind, share]) => [kind, Math.round(share * orders)] as const));
}

/**
 * Returns a function that assigns kinds to orders: exactly `counts`, spread over the first `among`
 * orders. The step and `among` are coprime, so no position is used twice.
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
    // The product stays below 2^53, because both factors are at most ten million.
    const place = (order * step + start) % among;
    return place < below ? bounds.find((bound) => place < bound.below)?.kind : undefined;
  };
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}
