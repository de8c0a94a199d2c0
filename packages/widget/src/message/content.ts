import { nearest, scriptOf } from '../texts/language.ts';
import { formatMoney } from '../texts/money.ts';
import { firstTexts } from '../texts/message-first.ts';
import { offersFor } from './programmes.ts';
import type { Offer, Programme, ProgrammeText, Purchase } from './programmes.ts';

/** A message: the lender's own text with the placeholders filled in, and the element's own text. */
export interface Content {
  /** All matching programmes; the message is about the first one. */
  readonly offers: readonly [Offer, ...Offer[]];
  readonly lender: LenderWords;
  /** Canonical language tag of the element's own text. */
  readonly lang: string;
  readonly dir: Direction;
  readonly learnMore: string;
  /**
   * States, in language-neutral figures, a last payment that differs and that the lender's text
   * does not mention: "(23 × $37.08 + $37.16)". Empty if there is none. The parentheses separate
   * the figures from the disclosure that follows.
   */
  readonly lastPayment: string;
}

type Direction = 'ltr' | 'rtl';

/** The lender's text for an offer, in the best match for the page's language. */
export interface LenderWords {
  readonly source: ProgrammeText;
  readonly text: string;
  readonly disclosure: ProgrammeText['disclosure'];
  /** The tag for formatting. It keeps the page's region if the language is the same. */
  readonly lang: string;
  readonly dir: Direction;
}

export const directionOf = (lang: string): Direction =>
  /Arab|Hebr|Thaa/.test(scriptOf(lang) ?? '') ? 'rtl' : 'ltr';

/** Returns an offer's placeholder values, formatted for a language. */
export function valuesOf({ amount, programme, repayment }: Offer, lang: string) {
  const { apr, currency, payments } = programme;
  const money = (value: number) => formatMoney({ value, currency }, lang);
  // As many decimals as the lender states, up to two. Payments are computed with all of them.
  const minimumFractionDigits = Math.min(apr?.split('.')[1]?.length ?? 0, 2);
  return {
    amount: money(amount),
    payment: money(repayment.payment),
    lastPayment: money(repayment.lastPayment),
    count: new Intl.NumberFormat(lang).format(payments.count),
    apr:
      apr &&
      new Intl.NumberFormat(lang, {
        style: 'percent',
        minimumFractionDigits,
        maximumFractionDigits: 2,
      }).format(Number(apr) / 100),
    total: money(repayment.total),
    interest: money(repayment.interest),
  };
}

/** Fills in placeholders. Leaves unknown placeholders unchanged. */
export function fill(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Returns the lender's text that best matches a locale, or the first text. */
export function lenderWords(offer: Offer, locale: string): LenderWords {
  const { texts } = offer.programme;
  const { lang, tag } = nearest(
    texts.map(({ language }) => language),
    locale,
  );
  const source = texts.reduce((best, text) => (text.language === tag ? text : best));
  const { disclosure } = source;
  return {
    source,
    text: fill(source.text, valuesOf(offer, lang)),
    disclosure,
    lang,
    dir: directionOf(lang),
  };
}

/**
 * Returns the message for a purchase, or undefined if no programme fits or one violates the
 * contract.
 */
export function contentOf(
  programmes: readonly Programme[],
  purchase: Purchase,
  locale: string,
): Content | undefined {
  try {
    const [first, ...others] = offersFor(programmes, purchase);
    return first && messageOf([first, ...others], locale);
  } catch {
    return undefined;
  }
}

function messageOf(offers: Content['offers'], locale: string): Content {
  const [first] = offers;
  const lender = lenderWords(first, locale);
  const { lang, tag } = nearest(Object.keys(firstTexts), locale);
  const { programme, repayment } = first;
  const isStated =
    repayment.payment === repayment.lastPayment || lender.source.text.includes('{lastPayment}');
  const { lastPayment, payment } = valuesOf(first, lender.lang);
  return {
    offers,
    lender,
    lang,
    dir: directionOf(lang),
    learnMore: firstTexts[tag] ?? '',
    lastPayment: isStated ? '' : `(${programme.payments.count - 1} × ${payment} + ${lastPayment})`,
  };
}
