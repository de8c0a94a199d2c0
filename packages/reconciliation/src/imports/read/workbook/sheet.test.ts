import fc from 'fast-check';
import { type CellValue, readXlsx, writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import writeExcelFile from 'write-excel-file/node';
import { openWorkbook, rowsIn } from './rows.fixture.ts';
import { row, text, workbookEntries, zipOf } from './workbook.fixture.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
/** Formats 0 to 7: general, built-in date, own dates, own numbers, a duration. */
const styles = `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd;@"/><numFmt numFmtId="165" formatCode="#,##0.00\\ &quot;days&quot;;[Red]-0"/><numFmt numFmtId="166" formatCode="0.00E+00"/><numFmt numFmtId="167" formatCode="[$-409]d\\.mmm"/><numFmt numFmtId="168" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${[14, 164, 165, 166, 167, 168].map((id) => `<xf numFmtId="${id}"/>`).join('')}<xf/></cellXfs></styleSheet>`;
const shared = `<sst xmlns="${main}"><si><t>first</t></si><si><r><rPr><b/></rPr><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si><si/></sst>`;

/** Returns a workbook with one sheet of these parts. */
function workbookOf(rows: string, change: Record<string, string> = {}): Uint8Array {
  const parts = { 'xl/styles.xml': styles, 'xl/sharedStrings.xml': shared };
  return zipOf({ ...workbookEntries({ Lines: rows }), ...parts, ...change });
}

/** Returns the text of the cell `A1`. */
async function textOf(cell: string, change?: Record<string, string>): Promise<string | undefined> {
  const [first] = await rowsIn(workbookOf(row(1, cell), change));
  return first?.values[0];
}

test.each([
  ['a number', '<c><v>12.5</v></c>', '12.5'],
  ['a number with its type', '<c t="n"><v> -1.5E3 </v></c>', '-1500'],
  ['a number as a program of floats writes it', '<c><v>133.80000000000001</v></c>', '133.8'],
  [
    'a number of more digits than Excel has',
    '<c><v>1234567890123456</v></c>',
    '1.234567890123456e+15',
  ],
  ['a blank cell', '<c s="1"/>', undefined],
  ['a number without a value', '<c t="n"><v/></c>', undefined],
  ['a shared text', '<c t="s"><v>0</v></c>', 'first'],
  ['a shared text of runs', '<c t="s"><v>1</v></c>', 'a b'],
  ['an empty shared text', '<c t="s"><v>2</v></c>', undefined],
  ['an inline text', '<c t="inlineStr"><is><t>a &amp; b</t></is></c>', 'a & b'],
  ['an inline text of runs', '<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', 'ab'],
  ['an empty inline text', '<c t="inlineStr"><is/></c>', undefined],
  ['a text with line breaks', '<c t="inlineStr"><is><t>a\r\n\tb_x000D_c</t></is></c>', 'a b c'],
  ['a text with an escaped escape', '<c t="str"><v>_x005F_x0041_</v></c>', '_x0041_'],
  ['a text in CDATA, with a comment', '<c t="str"><v>a<![CDATA[<b>]]><!-- - -->c</v></c>', 'a<b>c'],
  ['the text of a formula', '<c t="str"><f>A2</f><v>00012</v></c>', '00012'],
  ['the number of a formula', '<c><f>[1]Other!A1*2</f><v>25</v></c>', '25'],
  ['a boolean', '<c t="b"><v>1</v></c>', 'true'],
  ['an error', '<c t="e"><v>#DIV/0!</v></c>', '#DIV/0!'],
  ['a day', '<c t="d"><v>2026-03-02</v></c>', '2026-03-02'],
  ['an instant', '<c t="d"><v>2026-03-02T12:00:00.5Z</v></c>', '2026-03-02 12:00:00.5Z'],
  ['a time of day', '<c t="d"><v>T12:30:00</v></c>', '12:30:00'],
  ['a number with a built-in date format', '<c s="1"><v>46083</v></c>', '2026-03-02'],
  ['a number with a date format of its own', '<c s="2"><v>46083.5</v></c>', '2026-03-02 12:00:00'],
  [
    'a date to the millisecond',
    '<c s="2"><v>46083.500000011574</v></c>',
    '2026-03-02 12:00:00.001',
  ],
  ['a number with words in its format', '<c s="3"><v>46083</v></c>', '46083'],
  ['a number with an exponent in its format', '<c s="4"><v>46083</v></c>', '46083'],
  ['a date with a language in its format', '<c s="5"><v>46083</v></c>', '2026-03-02'],
  ['a duration of less than a day', '<c s="6"><v>0.75</v></c>', '18:00:00'],
  ['a number with a format without a number', '<c s="7"><v>46083</v></c>', '46083'],
  ['the first day of 1900', '<c s="1"><v>1</v></c>', '1900-01-01'],
  ['the day before the one that 1900 did not have', '<c s="1"><v>59</v></c>', '1900-02-28'],
  ['the day that 1900 did not have', '<c s="1"><v>60</v></c>', '#VALUE!'],
  ['the day after the one that 1900 did not have', '<c s="1"><v>61</v></c>', '1900-03-01'],
  ['the last day', '<c s="1"><v>2958465</v></c>', '9999-12-31'],
  ['a number after the last day', '<c s="1"><v>2958466</v></c>', '#VALUE!'],
  ['a number before the first day', '<c s="1"><v>-1</v></c>', '#VALUE!'],
])('reads %s', async (_, cell, expected) => {
  expect(await textOf(cell)).toBe(expected);
});

test.each([
  ['a shared text without a number', '<c t="s"><v/></c>'],
  ['a shared text beyond the list', '<c t="s"><v>3</v></c>'],
  ['a shared text with a negative number', '<c t="s"><v>-1</v></c>'],
  ['a shared text with a number in another notation', '<c t="s"><v>0x0</v></c>'],
  ['a number that is a word', '<c><v>twelve</v></c>'],
  ['a number in hexadecimal', '<c><v>0x10</v></c>'],
  ['a number with a decimal comma', '<c><v>12,5</v></c>'],
  ['a number that is infinite', '<c><v>1e400</v></c>'],
  ['a boolean that is neither true nor false', '<c t="b"><v>2</v></c>'],
  ['a boolean without a value', '<c t="b"><v/></c>'],
  ['an error without a value', '<c t="e"><v></v></c>'],
  ['an error that is a text', '<c t="e"><v>12</v></c>'],
  ['a date in another notation', '<c t="d"><v>02/03/2026</v></c>'],
  ['a date without a value', '<c t="d"><v/></c>'],
  ['a type that does not exist', '<c t="x"><v>1</v></c>'],
  ['a format that does not exist', '<c s="8"><v>1</v></c>'],
  ['a format that is no number', '<c s="a"><v>1</v></c>'],
  ['two values', '<c><v>1</v><v>2</v></c>'],
  ['two formulas', '<c><f>1</f><f>2</f><v>2</v></c>'],
  ['an inline text in a number', '<c><is><t>1</t></is></c>'],
  ['an inline text with a value', '<c t="inlineStr"><v>1</v></c>'],
  ['an element that a cell does not have', '<c><w>1</w></c>'],
  ['a place in another row', '<c r="A2"><v>1</v></c>'],
  ['a place that does not exist', '<c r="XFE1"><v>1</v></c>'],
  ['a place that is no reference', '<c r="1A"><v>1</v></c>'],
])('refuses a cell with %s', async (_, cell) => {
  await expect(textOf(cell)).rejects.toThrow(
    /^The sheet "Lines" cannot be read: the cell A1 is not/,
  );
});

test('names the cell that violates the standard', async () => {
  const rows = row(7, text('a'), '<c r="AB7" t="s"><v/></c>');
  await expect(rowsIn(workbookOf(rows))).rejects.toThrow(/the cell AB7/);
});

test.each([
  ['two cells in one place', row(1, '<c r="B1"/>', '<c r="B1"/>'), /the cell C1/],
  ['cells in another order', row(1, '<c r="B1"/>', '<c r="A1"/>'), /the cell C1/],
  ['rows in another order', row(2) + row(1), /row 2/],
  ['a row twice', row(2) + row(2), /row 2/],
  ['a row that has no number', '<row r="x"/>', /the sheet is/],
  ['a row after the last one', row(1_048_577), /the sheet is/],
  ['a row in a row', `<row r="1">${row(2, text('A-2'))}</row>`, /row 1/],
  ['a cell outside of a row', text('A-1'), /the sheet is/],
  ['a row of another namespace', '<row xmlns="urn:x" r="1"/>', /the sheet is/],
])('refuses a sheet with %s', async (_, rows, message) => {
  await expect(rowsIn(workbookOf(rows))).rejects.toThrow(message);
});

const whole = workbookEntries({ Lines: row(1, text('a')) + row(2, text('b')) })[SHEET] ?? '';

test.each([
  ['that ends early', whole.slice(0, -40)],
  ['that lacks the end of a row', whole.replace('</row>', '')],
  ['with an attribute twice', whole.replace('<row r="1"', '<row r="1" r="2"')],
  ['with an entity of its own', `<!DOCTYPE worksheet [<!ENTITY x "y">]>${whole}`],
  ['with an unknown entity', whole.replace('>a<', '>&x;<')],
  ['with a character that XML does not have', whole.replace('>a<', '>&#1;<')],
  ['with something behind it', `${whole}${whole}`],
  ['with two tables of rows', whole.replace('</worksheet>', '<sheetData/></worksheet>')],
  ['that is a chart', whole.replaceAll('worksheet', 'chartsheet')],
  ['in another encoding', `<?xml version="1.0" encoding="windows-1252"?>${whole}`],
  ['with a prefix that is not declared', whole.replaceAll('sheetData', 'x:sheetData')],
  ['with hundreds of nested elements', whole.replace('<sheetData>', '<a>'.repeat(300))],
  [
    'with a tag of megabytes',
    whole.replace('<worksheet', `<worksheet a="${'a'.repeat(2_000_000)}"`),
  ],
  ['with a comment of megabytes', whole.replace('<row', `<!--${'a'.repeat(2_000_000)}--><row`)],
])('refuses a sheet %s', async (_, sheet) => {
  const padding = { 'xl/media/a.png': crypto.getRandomValues(new Uint8Array(65_536)) };
  const entries = { ...workbookEntries({ Lines: '' }), [SHEET]: sheet };
  const file = zipOf({ ...entries, 'xl/media/a.png': { content: padding['xl/media/a.png'] } });
  await expect(rowsIn(file)).rejects.toThrow(/sheet "Lines" (?:is damaged|cannot be read)/);
});

test('reads a part in UTF-16, and elements with a prefix and of the strict standard', async () => {
  const strict = whole
    .replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
    .replace('xmlns=', 'xmlns:x=')
    .replace(main, 'http://purl.oclc.org/ooxml/spreadsheetml/main');
  const utf16 = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${strict}`, 'utf16le');
  const entries = workbookEntries({ Lines: '' });
  const rows = await rowsIn(zipOf({ ...entries, [SHEET]: { content: utf16 } }));
  expect(rows.map(({ values }) => values)).toEqual([['a'], ['b']]);
});

test('counts dates from 1904 if the workbook specifies that', async () => {
  const entries = workbookEntries(
    { Lines: row(1, '<c s="1"><v>44621</v></c>', '<c s="1"><v>0.5</v></c>') },
    { above: '<workbookPr date1904="1"/>' },
  );
  expect((await rowsIn(zipOf(entries)))[0]?.values).toEqual(['2026-03-02', '12:00:00']);
});

test('finds the parts of a workbook through its relationships', async () => {
  const entries = workbookEntries({ Lines: row(1, text('a')) });
  const moved = Object.fromEntries(
    Object.entries(entries).map(([name, content]) => [
      name.replace(/^xl\/(?:worksheets\/)?/, 'Content/'),
      content
        .replace('xl/workbook.xml', '/content/./workbook.xml')
        .replaceAll('worksheets/', '/Content/../Content/'),
    ]),
  );
  expect(await rowsIn(zipOf(moved))).toMatchObject([{ line: 1, values: ['a'] }]);
});

test('skips sheets that cannot have rows, but counts them in sheet numbers', async () => {
  const file = zipOf(
    workbookEntries({
      Chart: { rows: '', type: 'chartsheet' },
      Lines: row(1, text('a')),
      Dialog: { rows: '', type: 'dialogsheet' },
    }),
  );
  expect(await rowsIn(file)).toMatchObject([{ values: ['a'] }]);
  expect(await rowsIn(file, '2')).toMatchObject([{ values: ['a'] }]);
  await expect(rowsIn(file, 'Chart')).rejects.toThrow(/has no rows: set `sheet` to one of "Lines"/);
  expect(await openWorkbook(file).unseen(undefined)).toEqual([
    { kind: 'other-sheet', count: 2, places: ['Chart', 'Dialog'] },
  ]);
});

/** Values that both writers and the second reader support. */
const anyCell = fc.oneof(
  fc
    .stringMatching(/^[\p{L}\d<&>"' _.,:;=+-]{1,12}$/u)
    // write-excel-file writes no number for a text such as "valueOf".
    .filter((value) => value.trim() === value && !(value in {})),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100),
  fc
    .integer({ min: Date.UTC(1950, 0, 1) / 1_000, max: Date.UTC(2090, 0, 1) / 1_000 })
    .map((seconds) => new Date(seconds * 1_000)),
  fc.boolean(),
);
const anyTable = fc.array(fc.array(anyCell, { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 8,
});

function shownAs(value: CellValue): string {
  if (!(value instanceof Date)) return String(value ?? '');
  return value
    .toISOString()
    .replace('T', ' ')
    .replace(/(?: 00:00:00)?\.000Z$/, '');
}

const types = { string: String, number: Number, boolean: Boolean } as const;

function typeOf(value: string | number | boolean | Date) {
  if (value instanceof Date) return Date;
  return types[typeof value as keyof typeof types];
}

const writers = {
  hucre: (rows: CellValue[][]) => writeXlsx({ sheets: [{ name: 'Lines', rows }] }),
  'write-excel-file': async (rows: (string | number | boolean | Date)[][]) => {
    const cells = rows.map((values) =>
      values.map((value) => ({
        value,
        type: typeOf(value),
        ...(value instanceof Date ? { format: 'yyyy-mm-dd hh:mm:ss' } : {}),
      })),
    );
    return new Uint8Array(await writeExcelFile(cells).toBuffer());
  },
};

test.each(['hucre', 'write-excel-file'] as const)(
  'reads what a second reader reads in any file of %s',
  async (writer) => {
    await fc.assert(
      fc.asyncProperty(anyTable, async (table) => {
        const file = await writers[writer](table);
        const { sheets } = await readXlsx(file);
        // It fills rows up to the longest one.
        const second = (sheets[0]?.rows ?? []).map((values) =>
          values.slice(0, values.findLastIndex((value) => value !== null) + 1).map(shownAs),
        );
        const rows = await rowsIn(file);
        expect(rows.map(({ values }) => values)).toEqual(second);
        expect(second).toEqual(table.map((values) => values.map(shownAs)));
      }),
      { numRuns: 20 },
    );
  },
);
