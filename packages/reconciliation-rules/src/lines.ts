import type {
  ExceptionCode,
  FundingAxis,
  Headline,
  ReturnsAxis,
} from '@financing-checkout/contract';

/** Decimals of amounts whose currency is not known: as many as any currency has. */
export const DIGITS_OF_UNKNOWN = 4;

/** One line of what the merchant believes. Amounts are minor units, times milliseconds since 1970. */
export interface LedgerLine {
  /** Unique in the ledger. */
  id: string;
  type: 'Settle' | 'Refund';
  /** Positive, whatever the type. */
  amount: number;
  occurredAt: number;
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
  /** The lender's reference of the transaction, where the merchant knows it. */
  lenderReferenceId?: string | undefined;
}

/**
 * One funding as the service reports it (reference: Funding API). Amounts are minor units with the
 * sign they came with; times milliseconds since 1970.
 */
export interface FundingLine {
  /** Unique among the active fundings. */
  id: string;
  /** What the service says of it: a claim, never a verdict. */
  status: string;
  /** Settle, Refund, Chargeback, Reversal, …: open. */
  transactionType: string;
  transactionAmount: number;
  discountAmount: number;
  netAmount: number;
  fundedAt: number;
  updatedAt: number;
  lenderName: string;
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
  lenderReferenceId?: string | undefined;
  productType?: string | undefined;
  promoCode?: string | undefined;
}

/** All there is about one order in one currency; of an orphan, the fundings alone. */
export interface OrderLines {
  /** Undefined: fundings that name no order. */
  merchantOrderId: string | undefined;
  /** Empty: fundings of an order in several currencies, of which it is not known which one is theirs. */
  currency: string;
  ledger: readonly LedgerLine[];
  fundings: readonly FundingLine[];
  /** Fundings of the order without a currency, as they would be in this one. */
  unplaced?: readonly UnplacedFunding[] | undefined;
}

/** A funding that may pay a line of this currency, or of another one. Minor units. */
export interface UnplacedFunding {
  kind: 'settle' | 'refund';
  amount: number;
}

/** What an order's status depends on beside its lines. */
export interface Policy {
  /** Milliseconds since 1970. */
  now: number;
  /** A residual that is let pass, once per order: the larger of the two. Rates: see `contracts`. */
  tolerance: { minorUnits: number; basisPoints: number };
  slaDays: SlaDays;
  /** Other names of a lender: lenderName may change for the same lender (reference: Funding API). */
  aliases: Readonly<Record<string, string>>;
  /** What each lender agreed to keep; without one the discount is not judged. */
  contracts: readonly DiscountContract[];
  /** False while data is incomplete: then nothing is called missing at the lender. */
  complete: boolean;
}

/** Days a lender may take to fund; by name (see `aliases`), else `default`. */
export interface SlaDays {
  default: number;
  lenders: Readonly<Record<string, number>>;
  /** Whether Saturdays, Sundays and `holidays` are no such days. Days are of UTC. @default false */
  businessDays?: boolean | undefined;
  /** Beginnings of days, in milliseconds since 1970. */
  holidays?: readonly number[] | undefined;
}

/**
 * Agreed merchant discount. Of those that fit and had begun when the order was first settled the
 * most specific holds; of two as specific, the one that began later.
 */
export interface DiscountContract {
  lender: string;
  productType?: string | undefined;
  promoCode?: string | undefined;
  /** Of the amount, with two decimals at most: 287.5 is 2.875 %. */
  basisPoints: number;
  /** Kept of each settle besides, whatever its amount: minor units by currency. Never given back. */
  perSettle?: Readonly<Record<string, number>> | undefined;
  /** Holds for orders settled at this moment or later (ms since 1970); undefined: for all. */
  from?: number | undefined;
  /** Whether the discount of what is refunded is given back, pro rata. */
  returnedOnRefund: boolean;
}

export interface OrderException {
  code: ExceptionCode;
  /** The size of the difference in minor units; the sign says which way. */
  amount: number;
  /** How many lines or fundings it is about. */
  count: number;
  /** Milliseconds since 1970: when it was due, or was posted. */
  since: number;
}

/** An order's status: a pure function of its lines and the policy, whatever order they came in. */
export interface OrderStatus {
  funding: FundingAxis;
  returns: ReturnsAxis;
  exceptions: OrderException[];
  headline: Headline;
  /** Sums in minor units: Es, Er by the ledger; Fs, Fr, Fc, Fx by the lenders, duplicates left out. */
  expected: { settle: number; refund: number };
  funded: { settle: number; refund: number; chargeback: number; reversal: number };
  /** Discount and net of all that lenders posted, duplicates included: what the bank sees. */
  discount: number;
  net: number;
  /** Settles not funded and not due yet. */
  awaiting: number;
  /** The next moment at which time alone may change this status. */
  recheckAt: number | undefined;
}
