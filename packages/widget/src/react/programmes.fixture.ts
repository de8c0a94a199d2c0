import type { Programme } from '../message/programmes.ts';

/** A programme that fits the amounts of the test page. */
export const programmes: readonly Programme[] = [
  {
    id: 'northwind-24',
    lender: { name: 'Northwind Credit' },
    productType: 'Installments',
    currency: 'USD',
    amount: { min: 5_000, max: 1_000_000 },
    apr: '0',
    payments: { count: 24, period: 'Month', rounding: 'up' },
    texts: [
      {
        id: 'northwind-24-en',
        language: 'en',
        text: 'From {payment} a month for {count} months at {apr} APR. Total {total}.',
        disclosure: { url: 'https://lender.example/terms', label: 'Terms apply' },
        sha256: '0'.repeat(64),
      },
    ],
  },
];
