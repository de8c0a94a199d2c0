import type { Programme } from '../src/message/programmes.ts';

/** The price of the product. */
export const messagePrice = { value: 89_000, currency: 'USD' };

const words: Readonly<Record<string, { text: string; terms: string; note: string }>> = {
  en: {
    text: 'From {payment} a month for {count} months at {apr} APR. Total {total}, last payment {lastPayment}.',
    terms: 'Terms apply',
    note: 'Subject to credit approval. Rates from 0% to 35.99% APR. A down payment may be required.',
  },
  de: {
    text: 'Ab {payment} im Monat, {count} Raten, effektiver Jahreszins {apr}. Gesamtbetrag {total}, letzte Rate {lastPayment}.',
    terms: 'Es gelten Bedingungen',
    note: 'Vorbehaltlich einer Bonitätsprüfung. Effektiver Jahreszins von 0 % bis 35,99 %.',
  },
  ar: {
    text: 'ابتداءً من {payment} شهريًا لمدة {count} شهرًا بمعدل سنوي {apr}. الإجمالي {total}، والدفعة الأخيرة {lastPayment}.',
    terms: 'تطبق الشروط',
    note: 'رهنًا بالموافقة الائتمانية. المعدل السنوي من 0% إلى 35.99%.',
  },
};

/** Returns programmes from two lenders, with texts in a language. */
export function programmesIn(language: string): readonly Programme[] {
  const said = words[language] ?? words.en;
  if (!said) return [];
  const programme = (id: string, name: string, apr: string, count: number, isLink: boolean) => ({
    id,
    lender: { name },
    productType: 'Installments',
    currency: messagePrice.currency,
    amount: { min: 5_000, max: 1_000_000 },
    apr,
    payments: { count, period: 'Month', rounding: 'up' } as const,
    texts: [
      {
        id: `${id}-${language}`,
        language: words[language] ? language : 'en',
        text: said.text,
        disclosure: isLink
          ? { url: 'https://lender.example/terms', label: said.terms }
          : { text: said.note },
        sha256: '0'.repeat(64),
      },
    ],
  });
  return [
    programme('northwind-24', 'Northwind Credit', '0', 24, true),
    programme('meridian-12', 'Meridian Bank', '9.99', 12, false),
    programme('northwind-6', 'Northwind Credit', '4.9', 6, true),
  ];
}
