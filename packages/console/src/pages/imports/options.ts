import type { LedgerImportField, LedgerOptions, LedgerPreview } from '@financing-checkout/contract';

export type TypeMeant = '' | 'settle' | 'refund' | 'sign' | 'skip';

/** Initial options. An empty string means that the API decides. */
export const noChoices = {
  preset: '',
  /** Name of the workbook sheet. */
  sheet: '',
  delimiter: '',
  encoding: '',
  mapping: {} as Partial<Record<LedgerImportField, string>>,
  units: '' as '' | 'minor' | 'major',
  decimal: '' as '' | 'point' | 'comma',
  dates: '' as '' | 'dmy' | 'mdy' | 'ddmm' | 'excel' | 'excel-1904' | 'unix' | 'unix-ms',
  year: '',
  currency: '',
  zone: '',
  type: '' as '' | 'settle' | 'refund' | 'sign',
  /** Mapping of the values of the type column. */
  types: {} as Readonly<Record<string, TypeMeant>>,
  settleAndRefund: false,
  skipOtherTypes: false,
  /** Fields, and columns of the file that are not mapped to a field. */
  skipRowsWithout: [] as readonly string[],
  /** Whether to read a sheet as it is shown or as it is stored. */
  cells: '' as '' | 'shown' | 'stored',
  /** How to treat repeated header rows, totals and titles. */
  extraRows: '' as '' | 'skip' | 'keep',
  onlyColumn: '',
  onlyValues: '',
  /** How to treat lines that look like existing lines. */
  lookAlikes: '' as '' | 'replace' | 'keepBoth',
  /** Whether a corrected file replaces the lines of the earlier file. */
  correction: '' as '' | 'replace' | 'add',
};
/** The options that a user chose for a file. */
export type Choices = typeof noChoices;

/** Returns the options of the API for the choices. */
export function optionsOf(choices: Choices): LedgerOptions {
  const { mapping, types, skipRowsWithout, onlyColumn, onlyValues, lookAlikes, year } = choices;
  const only = onlyColumn === '' ? [] : wordsOf(onlyValues);
  const said = <Value extends string>(value: Value | '') => (value === '' ? undefined : value);
  return {
    preset: said(choices.preset),
    sheet: said(choices.sheet),
    delimiter: said(choices.delimiter),
    encoding: said(choices.encoding),
    map: Object.fromEntries(Object.entries(mapping).filter(([, column]) => column !== '')),
    units: said(choices.units),
    decimal: choices.units === 'major' ? said(choices.decimal) : undefined,
    dates: said(choices.dates),
    year: choices.dates === 'ddmm' && year !== '' ? Number(year) : undefined,
    currency: said(choices.currency.toUpperCase()),
    zone: said(choices.zone),
    type: said(choices.type),
    types: typesOf(types),
    settleAndRefund: choices.settleAndRefund || undefined,
    skipOtherTypes: choices.skipOtherTypes || undefined,
    skipRowsWithout: skipRowsWithout.length === 0 ? undefined : [...skipRowsWithout],
    cells: said(choices.cells),
    extraRows: said(choices.extraRows),
    only: only.length === 0 ? undefined : { [onlyColumn]: only },
    replace: lookAlikes === 'replace' || undefined,
    keepBoth: lookAlikes === 'keepBoth' || undefined,
    correction: said(choices.correction),
    source: 'import',
  };
}

/** Returns the words of the type column by their meaning. */
function typesOf(types: Choices['types']): LedgerOptions['types'] {
  const words: NonNullable<LedgerOptions['types']> = {};
  for (const [word, meaning] of Object.entries(types)) {
    if (meaning !== '') words[meaning] = [...(words[meaning] ?? []), word];
  }
  return Object.keys(words).length === 0 ? undefined : words;
}

/** Parses comma-separated values. */
export function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Returns the sample values in a field's column. */
export function samplesOf(
  { columns, rows }: LedgerPreview,
  { mapping }: Choices,
  ...fields: readonly LedgerImportField[]
): string[] {
  const indexes = fields.map((field) => columns.indexOf(mapping[field] ?? ''));
  return indexes
    .filter((index) => index >= 0)
    .flatMap((index) => rows.map((row) => (row[index] ?? '').trim()))
    .filter((text) => text !== '');
}

/** Returns whether the settled and the refunded amount are in separate columns. */
export function hasTwoAmounts({ mapping }: Choices): boolean {
  return mapping.settled !== undefined || mapping.refunded !== undefined;
}

/** Completes the options with values inferred from the preview. A preset takes precedence. */
export function proposed(preview: LedgerPreview, choices: Choices): Choices {
  const mapping = Object.fromEntries(
    Object.entries(preview.mapping).filter(([, column]) => preview.columns.includes(column)),
  );
  const { delimiter, encoding } = preview;
  const preset = choices.preset || (preview.preset ?? '');
  const { sheet = '' } = preview;
  const mapped: Choices = { ...choices, preset, sheet, delimiter, encoding, mapping };
  if (mapped.preset !== '' || preview.format !== 'csv') return mapped;
  return renewed(preview, mapped);
}

/** Infers again the options that depend on the columns: units, separator and dates. */
export function renewed(preview: LedgerPreview, choices: Choices): Choices {
  const amounts = samplesOf(preview, choices, 'amount', 'settled', 'refunded');
  const dates = samplesOf(preview, choices, 'date');
  const units = amounts.some((text) => /[.,]\d/.test(text)) ? 'major' : choices.units;
  const types = { ...meaningsOf(samplesOf(preview, choices, 'type')), ...choices.types };
  return { ...choices, units, decimal: decimalOf(amounts), dates: datesOf(dates), types };
}

/** Words that mean the same in every file. */
const knownWords: Readonly<Record<string, TypeMeant>> = {
  settle: 'settle',
  einzug: 'settle',
  refund: 'refund',
  erstattung: 'refund',
  rückerstattung: 'refund',
};

/** Returns the meaning of each known word of the type column. */
function meaningsOf(words: readonly string[]): Choices['types'] {
  return Object.fromEntries(
    words.flatMap((word) => {
      const meaning = knownWords[word.toLowerCase()];
      return meaning === undefined ? [] : [[word, meaning]];
    }),
  );
}

/** Returns the decimal separator if the amounts make it clear: `1.234,50`, `31,5`. */
export function decimalOf(amounts: readonly string[]): Choices['decimal'] {
  const bare = amounts.map((text) => text.replaceAll(/[^\d.,]/g, ''));
  // Three digits after a separator may be thousands or decimals.
  if (bare.some((text) => /,\d{1,2}$/.test(text) || /\.\d{3},/.test(text))) return 'comma';
  if (bare.some((text) => /\.\d{1,2}$/.test(text) && text.includes(','))) return 'point';
  return '';
}

/** Returns the date format if the dates make it clear: a day above 12, dots, numbers. */
export function datesOf(dates: readonly string[]): Choices['dates'] {
  if (dates.length === 0) return '';
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
  return written.length > 0 && written.every(([, , mark]) => mark === '.') ? 'dmy' : '';
}

/** Returns whether the dates are ambiguous or unreadable without a date format. */
export function needsNotation(dates: readonly string[]): boolean {
  return dates.some((text) => /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(text) || isNumber(text));
}

/** Returns whether a date is a number other than a plain `20261231`. */
function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text) && !/^\d{8}$/.test(text);
}

/** Returns whether the unit of amounts must be specified before the dry run. */
export function isUnitMissing({ format }: LedgerPreview, { preset, units }: Choices): boolean {
  return format === 'csv' && preset === '' && units === '';
}

/** Returns the fields that must be mapped before the dry run. */
export function missingFields(choices: Choices): LedgerImportField[] {
  const { mapping, type } = choices;
  const needed: LedgerImportField[] = hasTwoAmounts(choices)
    ? ['order', 'settled', 'refunded', 'date']
    : ['order', 'amount', 'date', ...(type === '' ? (['type'] as const) : [])];
  return needed.filter((field) => (mapping[field] ?? '') === '');
}
