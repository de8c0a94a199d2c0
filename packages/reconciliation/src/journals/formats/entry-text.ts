import type { JournalEntry, JournalKind } from '@financing-checkout/contract/reconciliation';

export type TextLanguage = 'en' | 'de';

interface Words {
  kinds: Readonly<Record<JournalKind, string>>;
  /** @param period empty before the first closed period */
  adjustment: (period: string) => string;
  order: string;
}

const words: Readonly<Record<TextLanguage, Words>> = {
  en: {
    kinds: {
      opening: 'In transit before',
      reversal: 'Reversal of in transit',
      sales: 'Financed sales',
      payouts: 'Lender payouts',
      differences: 'Differences',
      'in-transit': 'In transit',
    },
    adjustment: (period) => `adjustment of ${period || 'earlier periods'}`,
    order: 'order',
  },
  de: {
    kinds: {
      opening: 'Unterwegs vor',
      reversal: 'Auflösung unterwegs',
      sales: 'Finanzierte Umsätze',
      payouts: 'Auszahlungen',
      differences: 'Differenzen',
      'in-transit': 'Unterwegs',
    },
    adjustment: (period) => `Anpassung ${period || 'früherer Perioden'}`,
    order: 'Auftrag',
  },
};

/** Returns an entry's description: `Financed sales 2026-10, adjustment of 2026-09`. */
export function subjectOf(
  { kind, period, belongsTo }: JournalEntry,
  language: TextLanguage = 'en',
): string {
  const { kinds, adjustment } = words[language];
  const subject = `${kinds[kind]} ${period}`;
  return belongsTo === undefined ? subject : `${subject}, ${adjustment(belongsTo)}`;
}

/**
 * Returns the full text of an entry or one of its lines: {@link subjectOf}, the lender and the
 * order.
 * @param lender empty to omit the lender
 */
export function textOf(entry: JournalEntry, lender: string, language: TextLanguage = 'en'): string {
  const order = orderOf(entry);
  let text = subjectOf(entry, language);
  if (lender !== '') text += `, ${lender}`;
  if (order === undefined) return text;
  const isOrder = entry.merchantOrderId !== undefined;
  return isOrder ? `${text}, ${words[language].order} ${order}` : `${text}, ${order}`;
}

/** Returns the length of the longest text in an entry's lines. */
export function longestText(entry: JournalEntry): number {
  const longest = entry.lines.reduce(
    (most, { lender }) => (lender.length > most.length ? lender : most),
    '',
  );
  return textOf(entry, longest).length;
}

/**
 * Returns whether any of an entry's texts that come from an order or a lender satisfies a
 * predicate.
 */
export function hasText(entry: JournalEntry, isAsked: (text: string) => boolean): boolean {
  let last = '';
  for (const { lender } of entry.lines) {
    if (lender !== last && isAsked(lender)) return true;
    last = lender;
  }
  return isAsked(orderOf(entry) ?? '');
}

/** Returns the merchant's order id, or the key of a funding without an order. */
export function orderOf({ merchantOrderId, orderKey }: JournalEntry): string | undefined {
  return merchantOrderId ?? orderKey;
}

/** Returns an entry's lender; empty if its lines name none or several. */
export function lenderOf({ lines }: JournalEntry): string {
  let only = '';
  for (const { lender } of lines) {
    if (lender === '' || lender === only) continue;
    if (only !== '') return '';
    only = lender;
  }
  return only;
}

/**
 * Returns an entry's metadata in plain-text accounting: keys and values.
 * @param lender result of {@link lenderOf}
 */
export function metadataOf(entry: JournalEntry, lender: string): [key: string, value: string][] {
  const values: [string, string][] = [
    ['id', entry.id],
    ['kind', entry.kind],
    ['period', entry.period],
  ];
  if (entry.belongsTo !== undefined) values.push(['belongs-to', entry.belongsTo]);
  if (lender !== '') values.push(['lender', lender]);
  const order = orderOf(entry);
  if (order !== undefined) values.push(['order', order]);
  return values;
}
