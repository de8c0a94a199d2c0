import type { CsvDecimal } from '@financing-checkout/contract/money';
import { currencies } from '@financing-checkout/contract/money';
import { en, type Texts } from './en.ts';

export type { Texts };

/** The languages by BCP 47 tag, each loaded on demand. */
export const languages: Readonly<Record<string, { name: string; load: () => Promise<Texts> }>> = {
  en: { name: 'English', load: () => Promise.resolve(en) },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
};

const STORED = 'financing-console-language';
/** The user's own time zone. */
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
let current = { language: 'en', zone: ownZone, texts: en, formats: createFormats('en', ownZone) };

/** Returns the strings of the current language. */
export const texts = (): Texts => current.texts;
/** Returns the formatters of the current language. */
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

/** Sets the business time zone, in which times are shown. */
export function setZone(zone: string): void {
  current = { ...current, zone, formats: createFormats(regionOf(current.language), zone) };
}

/** Returns the browser's regional variant of a language, because date formats differ by region. */
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
  // Swedish writes ISO 8601: 2026-01-31 23:30.
  const isoMoment = new Intl.DateTimeFormat('sv', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: zone,
  });
  const zoneName = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const amounts = new Map<string, Intl.NumberFormat>();

  /** Formats a timestamp in the business zone, and names the zone if the user's own would differ. */
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
            // The browser's default is the customary number of decimals: none for HUF, not two.
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
    /** Decimal separator that a spreadsheet in this language expects in CSV. */
    csvDecimal,
    /** IANA name of the business time zone. */
    zone,
    /** Returns the day of a timestamp in the business time zone: "2026-01-31". */
    isoDay: (time: number) => isoMoment.format(time).slice(0, DAY_LENGTH),
    /** Returns a timestamp as local time in the business time zone: "2026-01-31 23:30". */
    isoMinute: (time: number) => isoMoment.format(time),
    /**
     * @param minor integer minor units, as a string if a sum may exceed 2^53; null: a sum too large
     * to be exact
     */
    amount: (minor: number | string | null, currency: string): string =>
      minor === null ? '—' : amountFormat(currency).format(majorOf(minor, decimals(currency))),
    decimals,
    number: (value: number) => number.format(value),
    /** @param basisPoints hundredths of a percentage point */
    percent: (basisPoints: number) => percent.format(basisPoints / 10_000),
    /** @param iso a date (2026-01-31), or a timestamp, whose date in the business zone is used */
    day: (iso: string) =>
      iso.length === DAY_LENGTH ? day.format(new Date(iso)) : inZone(iso, dayOf, ownDay),
    /** Formats the date and time in the business time zone. */
    moment: (iso: string) => inZone(iso, moment, ownMoment),
    list: new Intl.ListFormat(locale, { type: 'conjunction' }),
  };
}

/** Length of a date without a time: 2026-01-31. */
const DAY_LENGTH = 10;

/** Decimals of funding amounts in an unknown currency: ten-thousandths of its major unit. */
const DECIMALS_OF_UNKNOWN = 4;

/** Returns a currency's number of decimals (ISO 4217). */
function decimals(currency: string): number {
  return currencies.get(currency)?.digits ?? DECIMALS_OF_UNKNOWN;
}

/** Returns integer minor units as an exact decimal string in major units. */
export function majorOf(minor: number | string, decimals: number): Intl.StringNumericLiteral {
  const isNegative = String(minor).startsWith('-');
  const digits = String(minor)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return (isNegative ? `-${text}` : text) as Intl.StringNumericLiteral;
}
