import type {
  ExceptionCode,
  FundingAxis,
  Headline,
  ReturnsAxis,
} from '@financing-checkout/contract/reconciliation';

/** Decimals of amounts in an unknown currency: the highest number that any currency has. */
export const DIGITS_OF_UNKNOWN = 4;

/** One line of the merchant's ledger. Amounts: minor units; times: milliseconds since 1970. */
export interface LedgerLine {
  /** Unique in the ledger. */
  id: string;
  type: 'Settle' | 'Refund';
  /** Positive for every type. */
  amount: number;
  occurredAt: number;
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
  /** The lender's reference for the transaction, if the merchant knows it. */
  lenderReferenceId?: string | undefined;
}

/**
 * One funding as the service reports it (reference: Funding API). Amounts are minor units with
 * their reported sign; times are milliseconds since 1970.
 */
export interface FundingLine {
  /** Unique among the active fundings. */
  id: string;
  /** Status that the service claims. It is checked, not trusted. */
  status: string;
  /** Settle, Refund, Chargeback, Reversal, …; an open list. */
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

/** All lines of one order in one currency; for an orphan, only fundings. */
export interface OrderLines {
  /** Undefined for fundings that name no order. */
  merchantOrderId: string | undefined;
  /** Empty for fundings of unknown currency in an order with several currencies. */
  currency: string;
  ledger: readonly LedgerLine[];
  fundings: readonly FundingLine[];
  /** The order's fundings without a currency, with amounts converted to this one. */
  unplaced?: readonly UnplacedFunding[] | undefined;
}

/** A funding that may pay a line in this currency or in another. Minor units. */
export interface UnplacedFunding {
  kind: 'settle' | 'refund';
  amount: number;
}

/** The settings that an order's status depends on, in addition to its lines. */
export interface Policy {
  /** Milliseconds since 1970. */
  now: number;
  /** Residual tolerated once per order: the larger of the two values. Rates are in `contracts`. */
  tolerance: { minorUnits: number; basisPoints: number };
  slaDays: SlaDays;
  /**
   * Other names of a lender: lenderName may change for the same lender (reference: Funding API).
   */
  aliases: Readonly<Record<string, string>>;
  /** Agreed discounts of each lender. Discounts without a contract are not checked. */
  contracts: readonly DiscountContract[];
  /** False while data is incomplete: no payment is then reported as missing. */
  complete: boolean;
  /**
   * When the ledger begins, in milliseconds since 1970, by currency, and by lender in a currency
   * (see `ledgerStartKey`). Earlier fundings, and all fundings in a currency without a start, are
   * not reported as missing from the ledger. Undefined: it has always existed.
   */
  ledgerStarts?: ReadonlyMap<string, number> | undefined;
}

/** Days that a lender may take to fund, by lender name (see `aliases`), or `default`. */
export interface SlaDays {
  default: number;
  lenders: Readonly<Record<string, number>>;
  /** IANA name of the time zone of these days. @default UTC */
  zone?: string | undefined;
  /** Whether to skip Saturdays, Sundays and `holidays`. @default false */
  businessDays?: boolean | undefined;
  /** Days, each as midnight UTC in any zone: `Date.parse('2026-12-25')`. */
  holidays?: readonly number[] | undefined;
}

/**
 * Agreed merchant discount. Among the matching contracts that had started when the order was first
 * settled, the most specific one applies; among equally specific ones, the latest.
 */
export interface DiscountContract {
  lender: string;
  productType?: string | undefined;
  promoCode?: string | undefined;
  /** Rate, with at most two decimals: 287.5 is 2.875 % of the amount. */
  basisPoints: number;
  /** Additional fixed amount kept from each settle: minor units by currency. Never returned. */
  perSettle?: Readonly<Record<string, number>> | undefined;
  /** Applies to orders settled at or after this time (ms since 1970); undefined: to all. */
  from?: number | undefined;
  /** Whether a refund returns its pro-rata share of the discount. */
  returnedOnRefund: boolean;
}

export interface OrderException {
  code: ExceptionCode;
  /** Size of the difference in minor units; the sign shows the direction. */
  amount: number;
  /** Number of affected lines or fundings. */
  count: number;
  /** When it became due or was posted, in milliseconds since 1970. */
  since: number;
}

/** An order's status: a pure function of its lines, in any order, and the policy. */
export interface OrderStatus {
  funding: FundingAxis;
  returns: ReturnsAxis;
  exceptions: OrderException[];
  headline: Headline;
  /**
   * Sums in minor units: Es, Er from the ledger; Fs, Fr, Fc, Fx from the lenders, without
   * duplicates.
   */
  expected: { settle: number; refund: number };
  funded: { settle: number; refund: number; chargeback: number; reversal: number };
  /** Discount and net of everything that lenders posted, including duplicates, as the bank sees it. */
  discount: number;
  net: number;
  /** Settles that are neither funded nor due yet. */
  awaiting: number;
  /** The next time at which this status may change without new data. */
  recheckAt: number | undefined;
}
