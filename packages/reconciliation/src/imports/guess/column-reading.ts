import type { LedgerOptions, LedgerPreview } from '@financing-checkout/contract/reconciliation';

type ColumnReading = LedgerPreview['readings'][number];

/** Infers the notation of amounts, dates and type words from a column's values. */
export function columnReading(values: readonly string[]): ColumnReading {
  const texts = values.map((text) => text.trim()).filter((text) => text !== '');
  return {
    units: texts.some((text) => /[.,]\d/.test(text)) ? 'major' : undefined,
    decimal: decimalOf(texts),
    dates: datesOf(texts),
    types: typesOf(texts),
    asks: [
      ...(needNotation(texts) ? (['dates'] as const) : []),
      ...(texts.some(isWithoutZone) ? (['zone'] as const) : []),
      ...(texts.every(isUsual) ? [] : (['types'] as const)),
    ],
  };
}

/** Words with the same meaning in every file. */
const knownWords: Readonly<Record<string, 'settle' | 'refund'>> = {
  settle: 'settle',
  einzug: 'settle',
  refund: 'refund',
  erstattung: 'refund',
  rückerstattung: 'refund',
};

/** Returns whether a type word has a fixed meaning that need not be declared. */
function isUsual(word: string): boolean {
  return /^(?:settle|refund)$/i.test(word);
}

/** Returns the meanings of the known type words, if any of them differ from the defaults. */
function typesOf(words: readonly string[]): LedgerOptions['types'] {
  if (words.every(isUsual)) return undefined;
  const types: NonNullable<LedgerOptions['types']> = {};
  for (const word of new Set(words)) {
    const meaning = knownWords[word.toLowerCase()];
    if (meaning) types[meaning] = [...(types[meaning] ?? []), word];
  }
  return Object.keys(types).length === 0 ? undefined : types;
}

/** Returns the decimal separator if the amounts make it clear: `1.234,50`, `31,5`. */
function decimalOf(amounts: readonly string[]): LedgerOptions['decimal'] {
  const bare = amounts.map((text) => text.replaceAll(/[^\d.,]/g, ''));
  // Three digits after a separator may be thousands or decimals.
  if (bare.some((text) => /,\d{1,2}$/.test(text) || /\.\d{3},/.test(text))) return 'comma';
  if (bare.some((text) => /\.\d{1,2}$/.test(text) && text.includes(','))) return 'point';
  return undefined;
}

/** Returns the date format if the dates make it clear: a day above 12, dots, numbers. */
function datesOf(dates: readonly string[]): LedgerOptions['dates'] {
  if (dates.length === 0) return undefined;
  const all = (pattern: RegExp) => dates.every((text) => pattern.test(text));
  if (all(/^\d{4}$/)) return 'ddmm';
  if (all(/^\d{5}(?:\.\d+)?$/)) return 'excel';
  if (all(/^\d{10}$/)) return 'unix';
  if (all(/^\d{13}$/)) return 'unix-ms';
  const written = dates.flatMap((text) => {
    const match = /^(\d{1,2})([./-])(\d{1,2})\2\d{2,4}/.exec(text);
    return match === null ? [] : [match];
  });
  if (written.some(([, first]) => Number(first) > 12)) return 'dmy';
  if (written.some(([, , , second]) => Number(second) > 12)) return 'mdy';
  return written.length > 0 && written.every(([, , mark]) => mark === '.') ? 'dmy' : undefined;
}

/** Returns whether dates are ambiguous, or numbers other than a plain `20261231`. */
function needNotation(dates: readonly string[]): boolean {
  return dates.some(
    (text) =>
      /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(text) ||
      (/^\d+(?:\.\d+)?$/.test(text) && !/^\d{8}$/.test(text)),
  );
}

function isWithoutZone(date: string): boolean {
  return !/(?:Z|UTC|GMT|[+-]\d{2}:?\d{0,2})$/.test(date);
}
