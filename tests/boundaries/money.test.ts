/* Each surface shows stored amounts and stores entered amounts exactly, in every currency. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './tree.ts';

type Show = (value: number, currency: string) => string;
type Format = (money: { value: number; currency: string }, locale: string) => string;

/** Imports a source file: projects of TypeScript include only their own. */
const source = async <Module>(path: string) => (await import(join(root, path))) as Module;

const contract = await source<{
  currencies: ReadonlyMap<string, { digits: number; lastDay: string | undefined }>;
  toMajorUnits: (money: { value: number; currency: string }) => string;
  fromMajorUnits: (amount: string, currency: string) => { value: number };
  MAX_MINOR_UNITS: number;
}>('packages/contract/src/money/index.ts');
const { currencies, toMajorUnits, fromMajorUnits, MAX_MINOR_UNITS } = contract;
const widget = await source<{ formatMoney: Format }>('packages/widget/src/texts/money.ts');
const generator = await source<{ currencyDigitsSource: () => string; path: string }>(
  'packages/widget/metadata/currency-digits.ts',
);
const sandbox = await source<{
  currencyDigits: (currency: string) => number | undefined;
  toMinorUnits: (amount: number, currency: string) => number | string;
  toWireAmount: (minorUnits: number, currency: string) => number;
}>('packages/sandbox/src/platform/money.ts');
const sandboxPage = await source<{
  formatFor: (locale: string, currency: string) => { money: (value: number) => string };
}>('packages/sandbox/src/hosted/views/format.ts');
const shop = await source<{ formatMoney: Show }>('examples/shop/src/money.ts');
const console = await source<{
  formats: () => { amount: Show; decimals: (currency: string) => number };
  majorOf: (minor: number, decimals: number) => string;
}>('packages/console/src/locale/locale.ts');
const typed = await source<{
  readAmount: (text: string, decimals: number, locale: string) => number | string;
  typedText: (minor: number, decimals: number, locale: string) => string;
}>('packages/console/src/parts/typed-amount.ts');
const texts = await source<{ written: Show; decimal: Show }>(
  'packages/reconciliation/src/queries/basis/reasons.ts',
);

const decimals = (currency: string) => console.formats().decimals(currency);
const inUse = [...currencies].flatMap(([code, { lastDay }]) =>
  lastDay === undefined ? [code] : [],
);

/** How each surface shows an amount; in English, where a point separates the decimals. */
const surfaces: Readonly<Record<string, Show>> = {
  'element and message': (value, currency) => widget.formatMoney({ value, currency }, 'en-US'),
  'sandbox page': (value, currency) => sandboxPage.formatFor('en-US', currency).money(value),
  'sandbox API': (value, currency) => String(sandbox.toWireAmount(value, currency)),
  shop: shop.formatMoney,
  console: (value, currency) => console.formats().amount(value, currency),
  'console explanation': (value, currency) => console.majorOf(value, decimals(currency)),
  'console input': (value, currency) => typed.typedText(value, decimals(currency), 'en-US'),
  'command line': (value, currency) => toMajorUnits({ value, currency }),
  'reconciliation texts': texts.written,
  'reconciliation files': texts.decimal,
};

/** Surfaces that receive an amount as text, and what they store. */
const inputs: Readonly<Record<string, (text: string, currency: string) => unknown>> = {
  'console input': (text, currency) => typed.readAmount(text, decimals(currency), 'en-US'),
  'command line': (text, currency) => fromMajorUnits(text, currency).value,
  'sandbox API': (text, currency) => sandbox.toMinorUnits(Number(text), currency),
};

/** Returns the number in a text: without sign of the currency, code and groups. */
const numberIn = (text: string) => text.replaceAll(/[^\d.]/g, '').replace(/^\.+/, '');

const amounts = [0, 1, 9, 10, 99, 100, 999, 1_000, 10_000, 12_345_000, MAX_MINOR_UNITS];
const cases = inUse.flatMap((currency) => amounts.map((value) => ({ value, currency })));

describe('each surface', () => {
  it.each(Object.entries(surfaces))('%s shows the stored amount', (name, show) => {
    for (const { value, currency } of cases) {
      const shown = numberIn(show(value, currency));
      const exact = toMajorUnits({ value, currency });
      // A JSON number has no trailing zeros.
      const expected = name === 'sandbox API' ? String(Number(exact)) : exact;
      expect(shown, `${value} ${currency}`).toBe(expected);
    }
  });

  it.each(Object.entries(inputs))('%s stores the entered amount', (_, read) => {
    for (const { value, currency } of cases) {
      const shown = toMajorUnits({ value, currency });
      expect(read(shown, currency), `${shown} ${currency}`).toBe(value);
    }
  });

  it('shows the decimals of ISO 4217 where the browser has others', () => {
    const codes = 'AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER JPY KWD USD';
    const names = ['element and message', 'sandbox page', 'shop', 'console', 'command line'];
    const rows = codes.split(' ').map((code) => {
      const shown = names.map((name) => surfaces[name]?.(12_345_000, code) ?? '');
      return [code, ...shown].join(' | ').replaceAll('\u00a0', ' ');
    });
    expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      AFN | AFN 123,450.00 | AFN 123,450.00 | AFN 123,450.00 | AFN 123,450.00 | 123450.00
      ALL | ALL 123,450.00 | ALL 123,450.00 | ALL 123,450.00 | ALL 123,450.00 | 123450.00
      COP | COP 123,450.00 | COP 123,450.00 | COP 123,450.00 | COP 123,450.00 | 123450.00
      HUF | HUF 123,450.00 | HUF 123,450.00 | HUF 123,450.00 | HUF 123,450.00 | 123450.00
      IDR | IDR 123,450.00 | IDR 123,450.00 | IDR 123,450.00 | IDR 123,450.00 | 123450.00
      IQD | IQD 12,345.000 | IQD 12,345.000 | IQD 12,345.000 | IQD 12,345.000 | 12345.000
      IRR | IRR 123,450.00 | IRR 123,450.00 | IRR 123,450.00 | IRR 123,450.00 | 123450.00
      KPW | KPW 123,450.00 | KPW 123,450.00 | KPW 123,450.00 | KPW 123,450.00 | 123450.00
      LAK | LAK 123,450.00 | LAK 123,450.00 | LAK 123,450.00 | LAK 123,450.00 | 123450.00
      LBP | LBP 123,450.00 | LBP 123,450.00 | LBP 123,450.00 | LBP 123,450.00 | 123450.00
      MGA | MGA 123,450.00 | MGA 123,450.00 | MGA 123,450.00 | MGA 123,450.00 | 123450.00
      MMK | MMK 123,450.00 | MMK 123,450.00 | MMK 123,450.00 | MMK 123,450.00 | 123450.00
      PKR | PKR 123,450.00 | PKR 123,450.00 | PKR 123,450.00 | PKR 123,450.00 | 123450.00
      SOS | SOS 123,450.00 | SOS 123,450.00 | SOS 123,450.00 | SOS 123,450.00 | 123450.00
      SYP | SYP 123,450.00 | SYP 123,450.00 | SYP 123,450.00 | SYP 123,450.00 | 123450.00
      YER | YER 123,450.00 | YER 123,450.00 | YER 123,450.00 | YER 123,450.00 | 123450.00
      JPY | ¥12,345,000 | ¥12,345,000 | ¥12,345,000 | ¥12,345,000 | 12345000
      KWD | KWD 12,345.000 | KWD 12,345.000 | KWD 12,345.000 | KWD 12,345.000 | 12345.000
      USD | $123,450.00 | $123,450.00 | $123,450.00 | $123,450.00 | 123450.00
      "
    `);
  });
});

describe('the table of currencies', () => {
  it('is the same in the sandbox, which shares no code', () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    const known = codes.filter((code) => sandbox.currencyDigits(code) !== undefined);
    expect(known).toEqual(inUse.toSorted());
    for (const code of known)
      expect(sandbox.currencyDigits(code), code).toBe(currencies.get(code)?.digits);
  });

  it('is the same in the widget: run metadata/currency-digits.ts after a change', () => {
    expect(readFileSync(generator.path, 'utf8')).toBe(generator.currencyDigitsSource());
  });
});
