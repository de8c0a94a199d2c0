import { periodsInYear, repaymentOf } from './repayment.ts';
import type { PaymentPeriod, PaymentRounding, Repayment } from './repayment.ts';

/*
 * The programmes of `GET /programmes`. The types repeat those of the contract, so that a page that
 * installs the widget needs no other package for its types; `contract.test.ts` fails to compile
 * when the two differ.
 */

/** A lender's text in one language, verbatim, with placeholders. */
export interface ProgrammeText {
  readonly id: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly text: string;
  readonly disclosure?:
    { readonly text: string } | { readonly url: string; readonly label: string } | undefined;
  /** SHA-256 of the text and its disclosure, in hexadecimal. */
  readonly sha256: string;
}

/** What a lender offers. Amounts are integer minor units. */
export interface Programme {
  readonly id: string;
  readonly lender: { readonly id?: string | undefined; readonly name: string };
  readonly productType: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** The smallest and the largest amount, both included. */
  readonly amount: { readonly min: number; readonly max: number };
  /** Yearly nominal rate in percent, as a decimal: `"9.99"`. */
  readonly apr: string;
  readonly payments: {
    readonly count: number;
    readonly period: PaymentPeriod;
    readonly rounding: PaymentRounding;
  };
  /** Values of the element's `category`; without them the programme is for all products. */
  readonly categories?: readonly string[] | undefined;
  /** Moments with an offset (ISO 8601), both included. */
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
  readonly texts: readonly ProgrammeText[];
}

/** The companion's answer. */
export interface Programmes {
  readonly programmes: readonly Programme[];
}

/** What a message is for. */
export interface Purchase {
  /** Integer minor units, also as text; anything else fits no programme. */
  readonly amount: unknown;
  /** ISO 4217 code. */
  readonly currency: string | null | undefined;
  readonly category?: string | null | undefined;
  /** Milliseconds since 1970. The default is the current time. */
  readonly now?: number | undefined;
}

/** A programme that fits, with its payments. */
export interface Offer {
  readonly programme: Programme;
  readonly amount: number;
  readonly repayment: Repayment;
}

/** The contract's limit, so that no answer makes a page compute for seconds. */
const MOST_PAYMENTS = 600;

/** Payments by amount and terms: a page shows the same ones many times. */
const computed = new Map<string, Repayment | undefined>();

function repaymentFor(amount: number, { apr, payments }: Programme): Repayment | undefined {
  const { count, period, rounding } = payments;
  const key = [amount, apr, count, period, rounding].join();
  if (!computed.has(key)) {
    // An APR has at most four decimals: the rate in millionths is whole.
    const rate = Math.round(Number(apr) * 10_000);
    computed.set(key, repaymentOf(amount, { rate, count, period, rounding }));
  }
  return computed.get(key);
}

/** Returns a whole amount of minor units, zero or more; undefined for anything else. */
export function amountIn(value: unknown): number | undefined {
  const text = String(value).trim();
  return /^\d{1,14}$/.test(text) ? Number(text) : undefined;
}

/** Payments of a year, which compare programmes of different periods. */
const yearly = ({ programme, repayment }: Offer) =>
  repayment.payment * periodsInYear[programme.payments.period];

/**
 * Returns the programmes that fit, the lowest payment per month first, then the lowest APR.
 * @throws where a programme is not one of the contract
 */
export function offersFor(
  programmes: readonly Programme[],
  { amount: asked, category, currency, now = Date.now() }: Purchase,
): readonly Offer[] {
  const amount = amountIn(asked);
  if (!amount) return [];
  return programmes
    .flatMap((programme) => {
      const { amount: limits, categories, validFrom, validUntil } = programme;
      const fits =
        programme.currency === currency &&
        amount >= limits.min &&
        amount <= limits.max &&
        programme.payments.count <= MOST_PAYMENTS &&
        !(validFrom && Date.parse(validFrom) > now) &&
        !(validUntil && Date.parse(validUntil) < now) &&
        (!categories || categories.includes(category ?? ''));
      const repayment = fits && repaymentFor(amount, programme);
      return repayment ? [{ programme, amount, repayment }] : [];
    })
    .sort((a, b) => yearly(a) - yearly(b) || Number(a.programme.apr) - Number(b.programme.apr));
}
