import { fundingStatuses, missingStatuses } from '@financing-checkout/contract/plain';
import { kindOf, signOf, type FundingKind } from './kind.ts';
import type { FundingLine, LedgerLine } from './lines.ts';

/** A funding with normalized signs. Minor units; positive is the usual direction of its kind. */
export interface Posting {
  readonly funding: FundingLine;
  readonly kind: FundingKind;
  /** A refund of 50 is 50, whatever the lender's sign. Negative: reverses another posting. */
  readonly amount: number;
  readonly discount: number;
  readonly net: number;
  /** Whether the service has no transaction for the posting. */
  readonly isMissing: boolean;
  readonly isStatusKnown: boolean;
  /** The transaction ids of the service and the merchant; an empty id becomes undefined. */
  readonly transactionId: string | undefined;
  readonly merchantTransactionId: string | undefined;
  /** The expectation that the posting pays. */
  expectation: Expectation | undefined;
  /** Whether the posting pays an already paid expectation. Excluded from the sums. */
  isDuplicate: boolean;
  /** Whether the posting names a ledger line that only fundings of a wrong type pay. */
  isMistyped: boolean;
  /** Whether several lines or sets of lines fit the posting. It then pays none of them. */
  isAmbiguous: boolean;
}

/**
 * An amount that the ledger expects from the lender: one ledger line, or several that name the same
 * transaction and type, or that one funding pays. Amounts: minor units; times: milliseconds.
 */
export interface Expectation {
  readonly kind: 'settle' | 'refund';
  amount: number;
  /** Time of the most recent line. */
  occurredAt: number;
  /** Sorted in a total order: earliest settle first. */
  readonly lines: LedgerLine[];
  readonly transactionIds: string[];
  readonly merchantTransactionIds: string[];
  /** Postings that pay the expectation, in total order, including duplicates. */
  readonly postings: Posting[];
  /** Fundings with the expectation's id but a wrong type, if no other funding pays it. */
  readonly mistyped: Posting[];
  /** Sum of the postings without duplicates. */
  paid: number;
}

const knownStatuses: ReadonlySet<string> = new Set(fundingStatuses);
const missing: ReadonlySet<string> = new Set(missingStatuses);

/** Returns the fundings in total order, deduplicated and with normalized signs. */
export function postingsOf(fundings: readonly FundingLine[]): Posting[] {
  if (fundings.length === 0) return [];
  const lines = fundings.length === 1 ? fundings : withoutRepeats(fundings);
  const typed = lines.map((funding) => ({ funding, kind: kindOf(funding) }));
  const isNegative = signConvention(typed);
  return typed.map(({ funding, kind }) => {
    const turn = isNegative(funding, kind);
    return {
      funding,
      kind,
      amount: turn ? 0 - funding.transactionAmount : funding.transactionAmount,
      discount: turn ? 0 - funding.discountAmount : funding.discountAmount,
      net: turn ? 0 - funding.netAmount : funding.netAmount,
      isMissing: missing.has(funding.status),
      isStatusKnown: knownStatuses.has(funding.status),
      transactionId: named(funding.transactionId),
      merchantTransactionId: named(funding.merchantTransactionId),
      expectation: undefined,
      isDuplicate: false,
      isMistyped: false,
      isAmbiguous: false,
    };
  });
}

/** Returns the earliest posting time. */
export function firstPosted(postings: readonly Posting[]): number {
  let first = Infinity;
  for (const { funding } of postings) first = Math.min(first, funding.fundedAt);
  return first;
}

/**
 * Returns a key for a funding's transaction, from its most reliable ID. A funding without IDs is its
 * own transaction.
 */
export function transactionOf(funding: FundingLine, kind: FundingKind): string {
  const id = named(funding.transactionId) ?? named(funding.merchantTransactionId);
  return `${kind} ${id ?? named(funding.lenderReferenceId) ?? `line ${funding.id}`}`;
}

/** Turns an empty id into undefined. */
export function named(id: string | undefined): string | undefined {
  return id === '' ? undefined : id;
}

/**
 * Returns whether a debit was written with a minus sign. No source defines the sign and lenders
 * differ, so each transaction shows its own convention: a refund of -50 is one of 50; +50 and -50
 * of one transaction are a correction and sum to zero. Credits keep their sign: a settle of -50
 * takes back 50.
 */
function signConvention(
  typed: readonly { funding: FundingLine; kind: FundingKind }[],
): (funding: FundingLine, kind: FundingKind) => boolean {
  const isDebit = (kind: FundingKind) => signOf(kind) < 0;
  if (!typed.some(({ funding, kind }) => isDebit(kind) && funding.transactionAmount < 0)) {
    return () => false;
  }
  const sums = new Map<string, number>();
  for (const { funding, kind } of typed) {
    if (!isDebit(kind)) continue;
    const key = transactionOf(funding, kind);
    sums.set(key, (sums.get(key) ?? 0) + funding.transactionAmount);
  }
  return (funding, kind) => (sums.get(transactionOf(funding, kind)) ?? 0) < 0;
}

/**
 * Sorts fundings and removes repeats: the same line again (a repeated page), and a MISSING line
 * that also occurs as matched. If the lender's reference, type, amount and day are equal, both
 * lines are one posting. All other similar lines are real money and are checked.
 */
function withoutRepeats(fundings: readonly FundingLine[]): FundingLine[] {
  const once = new Map<string, FundingLine>();
  for (const funding of fundings) {
    const other = once.get(funding.id);
    if (!other || isNewer(funding, other)) once.set(funding.id, funding);
  }
  const lines = [...once.values()].sort(compareFundings);
  if (!lines.some(({ status }) => missing.has(status))) return lines;
  const matched = new Map<string, number>();
  for (const line of lines) {
    if (missing.has(line.status) || !named(line.lenderReferenceId)) continue;
    matched.set(postingKey(line), (matched.get(postingKey(line)) ?? 0) + 1);
  }
  return lines.filter((line) => {
    if (!missing.has(line.status) || named(line.transactionId)) return true;
    const left = matched.get(postingKey(line)) ?? 0;
    if (left === 0) return true;
    matched.set(postingKey(line), left - 1);
    return false;
  });
}

function postingKey(line: FundingLine): string {
  return `${line.lenderReferenceId} ${line.transactionType} ${line.transactionAmount} ${line.fundedAt}`;
}

function isNewer(one: FundingLine, other: FundingLine): boolean {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt;
  return JSON.stringify(one) > JSON.stringify(other);
}

/** Compares two lines by content. Ids are unique, so the arrival order does not matter. */
function compareFundings(a: FundingLine, b: FundingLine): number {
  return (
    a.fundedAt - b.fundedAt ||
    compareTexts(a.lenderReferenceId, b.lenderReferenceId) ||
    compareTexts(a.transactionId, b.transactionId) ||
    compareTexts(a.transactionType, b.transactionType) ||
    a.transactionAmount - b.transactionAmount ||
    compareTexts(a.id, b.id)
  );
}

/** Compares by code unit, because a collation depends on the environment. */
export function compareTexts(a: string | undefined, b: string | undefined): number {
  const [one, other] = [a ?? '', b ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
}
