import type { ProgrammeFile } from '@financing-checkout/contract/storefront';

type Entry = ProgrammeFile['programmes'][number];

/** Returns a programme for a programme file: 0 % over 24 months, in English. */
export function programmeOf(id = 'halden-0-24', change: Partial<Entry> = {}): Entry {
  return {
    id,
    lender: { id: 'halden-wren', name: 'Halden & Wren' },
    productType: 'LineOfCredit',
    currency: 'USD',
    amount: { min: 50_000, max: 1_000_000 },
    apr: '0',
    payments: { count: 24, period: 'Month', rounding: 'half-up' },
    texts: [
      {
        id: `${id}-en`,
        language: 'en',
        text: '{payment} a month for {count} months, {apr} APR. Total {total}.',
        disclosure: { text: 'Subject to credit approval.' },
      },
    ],
    ...change,
  };
}

/** Returns the text of a programme file. */
export function fileOf(...programmes: Entry[]): string {
  return JSON.stringify({ programmes });
}
