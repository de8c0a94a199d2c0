import { describe, expect, it } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { formats, languages, majorOf, setLanguage, setZone, type Texts } from './locale.ts';

/** Intl uses non-breaking spaces as separators. */
const plain = (text: string) => text.replaceAll(/[\u00A0\u202F]/g, ' ').replace('−', '-');

describe('majorOf', () => {
  it.each([
    [0, 2, '0.00'],
    [5, 2, '0.05'],
    [-5, 2, '-0.05'],
    [94_563, 2, '945.63'],
    [945, 0, '945'],
    [-945, 0, '-945'],
    [1_234_567, 3, '1234.567'],
    [-7, 3, '-0.007'],
    [Number.MAX_SAFE_INTEGER, 2, '90071992547409.91'],
    [-Number.MAX_SAFE_INTEGER, 3, '-9007199254740.991'],
    ['123456789012345678901', 2, '1234567890123456789.01'],
    ['-40', 2, '-0.40'],
  ])('writes %s with %i decimals as %s', (minor, decimals, text) => {
    expect(majorOf(minor, decimals)).toBe(text);
  });
});

describe('formats', () => {
  it.each([
    ['en', 94_563, 'USD', '$945.63'],
    ['en', -94_563, 'USD', '-$945.63'],
    ['en', 945, 'JPY', '¥945'],
    ['en', 1_234_567, 'KWD', 'KWD 1,234.567'],
    ['en', Number.MAX_SAFE_INTEGER, 'USD', '$90,071,992,547,409.91'],
    ['en', '123456789012345678901', 'USD', '$1,234,567,890,123,456,789.01'],
    // The browser's default has fewer decimals: 12,345,000.
    ['en', 12_345_000, 'HUF', 'HUF 123,450.00'],
    ['en', 1_000_000, 'IQD', 'IQD 1,000.000'],
    ['en', 94_563, '', '9.4563'],
    ['en', 1_000_000, '', '100'],
    ['en', null, 'USD', '—'],
    ['de', 94_563, 'EUR', '945,63 €'],
    ['de', -123_456_789, 'EUR', '-1.234.567,89 €'],
    ['de', Number.MAX_SAFE_INTEGER, 'JPY', '9.007.199.254.740.991 ¥'],
    ['de', -1, 'KWD', '-0,001 KWD'],
  ])('in %s writes %s of %j exactly', async (language, minor, currency, text) => {
    await setLanguage(language);
    expect(plain(formats().amount(minor, currency))).toBe(text);
  });
});

describe('times', () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Two zones whose local times never match: at least one is not the user's zone.
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].filter((zone) => zone !== own);

  it.each([
    ['America/New_York', '2026-11-01T04:00:00.000Z', 'Nov 1, 2026'],
    ['America/New_York', '2026-11-01T03:59:00.000Z', 'Oct 31, 2026'],
    ['Europe/Berlin', '2026-10-31T23:00:00.000Z', 'Nov 1, 2026'],
  ])('are on one day of the business zone %s in each format', async (zone, at, day) => {
    await setLanguage('en');
    setZone(zone);
    expect(formats().day(at).startsWith(day)).toBe(true);
    expect(formats().moment(at).startsWith(day)).toBe(true);
  });

  it('name the business zone if its local time differs from the user’s, in any language', async () => {
    const at = '2026-11-01T12:00:00.000Z';
    for (const zone of zones) {
      setZone(zone);
      await setLanguage('de');
      expect(formats().moment(at)).toMatch(/ GMT[+-]\d+$/);
    }
    setZone(own);
    expect(formats().moment(at)).not.toMatch(/GMT|UTC/);
    expect(formats().day('2026-01-31')).toBe('31.01.2026');
  });

  it('do not shift a date without a time', async () => {
    await setLanguage('en');
    for (const zone of zones) {
      setZone(zone);
      expect(formats().day('2026-01-31')).toBe('Jan 31, 2026');
    }
  });
});

/** Returns the paths of all strings, with their types. */
function kindsOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? kindsOf(value, `${path}${name}.`)
      : [`${path}${name}: ${typeof value}`],
  );
}

/** Returns all strings by path. */
function textsOf(texts: object, path = ''): [path: string, text: string][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[`${path}${name}`, value] as [string, string]]
      : typeof value === 'object' && value !== null
        ? textsOf(value, `${path}${name}.`)
        : [],
  );
}

describe('languages', () => {
  // The compiler also compares the types.
  const german: Texts = de;

  it('have the same keys as English', async () => {
    for (const [name, { load }] of Object.entries(languages)) {
      expect(kindsOf(await load()).toSorted(), name).toEqual(kindsOf(en).toSorted());
    }
  });

  it('have no untranslated sentence', () => {
    const english = new Map(textsOf(en));
    const same = textsOf(german).filter(
      ([path, text]) => text.split(' ').length > 2 && text === english.get(path),
    );
    // Product names, and keyboard keys.
    expect(same.filter(([path]) => !/^help\.keys\.|\.presets\./.test(path))).toEqual([]);
  });

  it('have no empty string', () => {
    const blank = [...textsOf(en), ...textsOf(german)].filter(([, text]) => text.trim() === '');
    expect(blank).toEqual([]);
  });
});
