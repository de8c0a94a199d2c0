import { currencies } from '@financing-checkout/contract/plain';
import { en } from './en.ts';

/** All texts of the console. A language is a file with the same shape as `en.ts`. */
export type Texts = typeof en;

/** The languages, each loaded on demand, by its BCP 47 name. */
export const languages: Readonly<Record<string, { name: string; load: () => Promise<Texts> }>> = {
  en: { name: 'English', load: () => Promise.resolve(en) },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
};

const STORED = 'financing-console-language';
let current = { language: 'en', texts: en, formats: createFormats('en') };

/** Returns the texts of the current language. */
export const texts = (): Texts => current.texts;
/** Returns the formats of the current language. */
export const formats = () => current.formats;
export const language = (): string => current.language;

/** Sets the language: the given one, else the stored one, else the browser's. */
export async function setLanguage(wanted?: string): Promise<void> {
  const asked = [wanted, localStorage.getItem(STORED) ?? undefined, ...navigator.languages];
  const name =
    asked.map((one) => one?.split('-')[0] ?? '').find((one) => Object.hasOwn(languages, one)) ??
    'en';
  if (wanted !== undefined) localStorage.setItem(STORED, name);
  const texts = (await languages[name]?.load()) ?? en;
  current = { language: name, texts, formats: createFormats(regionOf(name)) };
  document.documentElement.lang = name;
}

/** Returns the browser's own variant of a language: `en-GB` writes dates another way than `en-US`. */
function regionOf(name: string): string {
  return navigator.languages.find((one) => one.split('-')[0] === name) ?? name;
}

function createFormats(locale: string) {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const amounts = new Map<string, Intl.NumberFormat>();

  function amountFormat(currency: string): Intl.NumberFormat {
    let format = amounts.get(currency);
    if (format === undefined) {
      const digits = decimals(currency);
      format = currencies.has(currency)
        ? new Intl.NumberFormat(locale, {
            style: 'currency',
            currency,
            // The browser's own decimals are customary ones: none for HUF, which has two.
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
          })
        : new Intl.NumberFormat(locale, { maximumFractionDigits: digits });
      amounts.set(currency, format);
    }
    return format;
  }
  return {
    locale,
    /**
     * @param minor integer minor units, as text where a sum may exceed 2^53; null: a sum that is
     *   too large to be exact
     */
    amount: (minor: number | string | null, currency: string): string =>
      minor === null ? '—' : amountFormat(currency).format(majorOf(minor, decimals(currency))),
    decimals,
    number: (value: number) => number.format(value),
    /** @param basisPoints hundredths of a percent */
    percent: (basisPoints: number) => percent.format(basisPoints / 10_000),
    /** @param iso a day such as 2026-01-31, or a moment, whose UTC day counts */
    day: (iso: string) => day.format(new Date(iso)),
    moment: (iso: string) => moment.format(new Date(iso)),
    list: new Intl.ListFormat(locale, { type: 'conjunction' }),
  };
}

/** Decimals of the amounts of fundings whose currency is unknown: ten-thousandths of its major unit. */
const DECIMALS_OF_UNKNOWN = 4;

/** Returns the number of decimals of a currency by ISO 4217. */
function decimals(currency: string): number {
  return currencies.get(currency)?.digits ?? DECIMALS_OF_UNKNOWN;
}

/** Returns an integer of minor units as an exact decimal text in major units. */
export function majorOf(minor: number | string, decimals: number): Intl.StringNumericLiteral {
  const isNegative = String(minor).startsWith('-');
  const digits = String(minor)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return (isNegative ? `-${text}` : text) as Intl.StringNumericLiteral;
}
