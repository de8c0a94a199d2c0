import { periodsInYear, repaymentOf } from './repayment.ts';
import type { PaymentPeriod, PaymentRounding, Repayment } from './repayment.ts';

/*
 * The programmes of `GET /programmes`. The types repeat the contract's, so that a page that
 * installs the widget needs no other package for its types. If the two differ, `contract.test.ts`
 * fails to compile.
 */

/** A lender's text in one language, verbatim, with placeholders. */
export interface ProgrammeText {
  readonly id: string;
  /** BCP 47 tag. */
  readonly language: string;
  readonly text: string;
  readonly disclosure?:
    | { readonly text: string }
    | { readonly url: string; readonly label: string }
    | undefined;
  /** SHA-256 of the text and its disclosure, in hexadecimal. */
  readonly sha256: string;
}

/** A lender's financing terms. Amounts are in integer minor units. */
export interface Programme {
  readonly id: string;
  readonly lender: { readonly id?: string | undefined; readonly name: string };
  readonly productType: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Minimum and maximum amount, both inclusive. */
  readonly amount: { readonly min: number; readonly max: number };
  /** Nominal annual rate in percent, as a decimal string: `"9.99"`. A lease may have none. */
  readonly apr?: string | undefined;
  /** Cost of a lease in percent of the amount, as a decimal string: `"45"`. */
  readonly leaseCost?: string | undefined;
  readonly payments: {
    readonly count: number;
    readonly period: PaymentPeriod;
    readonly rounding: PaymentRounding;
  };
  /** Values of the element's `category`. If absent, the programme applies to all products. */
  readonly categories?: readonly string[] | undefined;
  /** Timestamps with an offset (ISO 8601), both inclusive. */
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
  readonly texts: readonly ProgrammeText[];
}

/** The companion's response. */
export interface Programmes {
  readonly programmes: readonly Programme[];
}

/** The purchase that a message is about. */
export interface Purchase {
  /** Integer minor units, as a number or a string. Anything else matches no programme. */
  readonly amount: unknown;
  /** ISO 4217 code. */
  readonly currency: string | null | undefined;
  readonly category?: string | null | undefined;
  /** Milliseconds since 1970. The default is the current time. */
  readonly now?: number | undefined;
}

/**
 * The values for which a server rendered a message. The rest of the message comes from the
 * programmes.
 */
interface Served extends Purchase {
  readonly locale: string;
  readonly companion: string | null | undefined;
}

/**
 * Returns the value of the attribute `rendered`, from which the element can tell that the page has
 * since changed a property.
 */
export const servedFor = ({ amount, currency, category, locale, companion }: Served): string =>
  [amount, currency, category, locale, companion].join('|');

/** A matching programme with its payments. */
export interface Offer {
  readonly programme: Programme;
  readonly amount: number;
  readonly repayment: Repayment;
}

/** The contract's limit, so that no response makes a page compute for seconds. */
const MOST_PAYMENTS = 600;

/** Cache of payments by amount and terms, because a page shows the same ones many times. */
const computed = new Map<string, Repayment | undefined>();

function repaymentFor(amount: number, programme: Programme): Repayment | undefined {
  const { apr, leaseCost, payments } = programme;
  const key = JSON.stringify([amount, apr, leaseCost, payments]);
  if (!computed.has(key)) computed.set(key, repaymentOf(amount, programme));
  return computed.get(key);
}

/** Returns a non-negative integer amount of minor units, or undefined for anything else. */
export function amountIn(value: unknown): number | undefined {
  const text = String(value).trim();
  return /^\d{1,14}$/.test(text) ? Number(text) : undefined;
}

/** Total of the payments in a year, for comparing programmes with different periods. */
const yearly = ({ programme, repayment }: Offer) =>
  repayment.payment * periodsInYear[programme.payments.period];

/**
 * Returns the matching programmes, sorted by monthly payment and then by APR, lowest first.
 * @throws if a programme violates the contract
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
    .sort(
      (a, b) =>
        yearly(a) - yearly(b) ||
        // A lease without a rate comes after the loans with the same payment.
        Number(a.programme.apr ?? 1e9) - Number(b.programme.apr ?? 1e9),
    );
}
