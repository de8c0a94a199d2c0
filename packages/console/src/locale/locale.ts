import { Calendar } from '@financing-checkout/contract/calendar';
import type { CsvDecimal } from '@financing-checkout/contract/csv';
import { currencies } from '@financing-checkout/contract/plain';
import { en, type Texts } from './en.ts';

export type { Texts };

/** The languages, each loaded on demand, by its BCP 47 name. */
export const languages: Readonly<Record<string, { name: string; load: () => Promise<Texts> }>> = {
  en: { name: 'English', load: () => Promise.resolve(en) },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
};

const STORED = 'financing-console-language';
/** The reader's own zone. */
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
let current = { language: 'en', zone: ownZone, texts: en, formats: createFormats('en', ownZone) };

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
  const { zone } = current;
  current = { language: name, zone, texts, formats: createFormats(regionOf(name), zone) };
  document.documentElement.lang = name;
}

/** Sets the business zone, in which times are shown. */
export function setZone(zone: string): void {
  current = { ...current, zone, formats: createFormats(regionOf(current.language), zone) };
}

/** Returns the browser's own variant of a language: `en-GB` writes dates another way than `en-US`. */
function regionOf(name: string): string {
  return navigator.languages.find((one) => one.split('-')[0] === name) ?? name;
}

function createFormats(locale: string, zone: string) {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const dayOf = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: zone });
  const momentStyle = { dateStyle: 'medium', timeStyle: 'short' } as const;
  const moment = new Intl.DateTimeFormat(locale, { ...momentStyle, timeZone: zone });
  const ownMoment = new Intl.DateTimeFormat(locale, momentStyle);
  const ownDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const zoneName = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const amounts = new Map<string, Intl.NumberFormat>();

  /** Writes a moment in the business zone, and names it where the reader would write another text. */
  function inZone(iso: string, format: Intl.DateTimeFormat, own: Intl.DateTimeFormat): string {
    const at = new Date(iso);
    const text = format.format(at);
    if (text === own.format(at)) return text;
    const parts = zoneName.formatToParts(at);
    return `${text} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone}`;
  }

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
  const point = number.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value;
  const csvDecimal: CsvDecimal = point === ',' ? 'comma' : 'point';
  return {
    locale,
    /** Decimal separator of CSV, which a spreadsheet of this language expects. */
    csvDecimal,
    /** IANA name of the business zone. */
    zone,
    /** Days of the business zone. */
    calendar: new Calendar(zone),
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
    /** @param iso a day such as 2026-01-31, or a moment, whose day in the business zone counts */
    day: (iso: string) =>
      iso.length === DAY_LENGTH ? day.format(new Date(iso)) : inZone(iso, dayOf, ownDay),
    /** Date and time of day in the business zone. */
    moment: (iso: string) => inZone(iso, moment, ownMoment),
    list: new Intl.ListFormat(locale, { type: 'conjunction' }),
  };
}

/** Length of a day without a time: 2026-01-31. */
const DAY_LENGTH = 10;

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
