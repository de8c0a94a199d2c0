import { expect, it } from 'vitest';
import type { LedgerOptions } from '@financing-checkout/contract/reconciliation';
import { readValues, rowsOfErrors, valuesOfCells } from './file-values.ts';

const columns = ['Bestellnummer', 'Betrag', 'Datum'];
const options = {
  delimiter: ';',
  map: { order: 'Bestellnummer', amount: 'Betrag', date: 'Datum' },
};
const errorAt = (line: number, field: string) => ({
  line,
  field,
  code: 'x',
  message: 'x',
  count: 1,
  lines: [line],
});

async function valuesOf(
  text: BlobPart,
  errors: ReturnType<typeof errorAt>[],
  { format = 'csv', ...chosen }: LedgerOptions = {},
) {
  const values = await readValues(
    new Blob([text]),
    { columns, format },
    { ...options, ...chosen },
    errors,
  );
  return errors.map((error) => values.get(error));
}

it('finds the invalid value of a CSV line, even after quoted delimiters and line breaks', async () => {
  const file = `Titel\r\n${columns.join(';')}\r\nA-1;"1.000;50 ""x""";heute\r\n"B\r\n2";;${'9'.repeat(100)}\r\n`;
  expect(
    await valuesOf(file, [
      errorAt(3, 'amount'),
      errorAt(3, 'date'),
      errorAt(4, 'order'),
      errorAt(4, 'date'),
      errorAt(4, 'amount'),
      errorAt(9, 'date'),
      errorAt(3, 'currency'),
    ]),
  ).toEqual(['1.000;50 x', 'heute', 'B 2', `${'9'.repeat(80)}…`, undefined, undefined, undefined]);
});

it('decodes the file like the preview', async () => {
  const latin = Uint8Array.from(`x\nM\u00E4rz;1;x\n`, (sign) => sign.charCodeAt(0));
  const [value] = await valuesOf(latin, [errorAt(2, 'order')], { encoding: 'windows-1252' });
  expect(value).toBe('März');
});

it('reads the wrong value of a line of NDJSON', async () => {
  const file = '{"Betrag":12.5,"Datum":"heute"}\n{"Betrag"\n';
  const errors = [errorAt(1, 'amount'), errorAt(1, 'date'), errorAt(2, 'amount')];
  expect(await valuesOf(file, errors, { format: 'ndjson' })).toEqual(['12.5', 'heute', undefined]);
});

it('reads the wrong value of an element of a JSON array, also of elements that share a line', async () => {
  const file = `[
  {"Betrag": "a]\\"}",
   "Datum": {"von": [1]}}, 7,
  {"Betrag": "b"}, {"Betrag": "c"}, "d", {"Betrag": 5},

  {"Betrag": "e"}
]`;
  const errors = [2, 3, 4, 5, 6, 7, 8, 9].map((line) => errorAt(line, 'amount'));
  const shown = await valuesOf(file, [errorAt(2, 'date'), ...errors], { format: 'json' });
  expect(shown).toEqual([
    '{"von":[1]}',
    'a]"}',
    undefined,
    'b',
    'c',
    undefined,
    '5',
    'e',
    undefined,
  ]);
});

it('reads no value of an element that the file cuts off', async () => {
  const errors = [errorAt(1, 'amount'), errorAt(2, 'amount')];
  const file = '[{"Betrag": "a"},\n{"Betrag": "b"';
  expect(await valuesOf(file, errors, { format: 'json' })).toEqual(['a', undefined]);
});

it('finds the values of a workbook in the rows that the server read again', () => {
  const errors = [
    errorAt(2, 'amount'),
    errorAt(9, 'date'),
    errorAt(3, 'date'),
    errorAt(2, 'order'),
  ];
  expect(rowsOfErrors(errors)).toEqual([2, 9, 3]);
  const rows = [
    {
      row: 2,
      values: columns.map((column) => (column === options.map.amount ? ' 12,5x ' : '')),
    },
    { row: 3, values: [] },
  ];
  const values = valuesOfCells({ columns, cells: rows }, options, errors);
  expect(errors.map((error) => values.get(error))).toEqual([
    ...['12,5x', undefined, undefined, undefined],
  ]);
});
