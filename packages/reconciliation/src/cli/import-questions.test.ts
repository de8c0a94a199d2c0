import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { configure, run, startShop } from '../program.fixture.ts';
import { row, text, workbookEntries, zipOf } from '../imports/read/workbook/workbook.fixture.ts';
import { commandsOf } from './cli.fixture.ts';

const options = ['--units', 'major', '--currency', 'USD', '--type', 'settle'];
const csv = (...rows: string[]) => ['merchantOrderId,amount,date', ...rows, ''].join('\n');
const march = csv('A-1,100.00,2026-03-01', 'A-2,50.00,2026-03-02', 'A-3,7.00,2026-03-03');
const corrected = csv('A-1,110.00,2026-03-01', 'A-3,7.00,2026-03-03', 'A-4,1.00,2026-03-03');
const withTotals = csv('A-1,10.00,2026-01-01', 'A-2,20.00,2026-01-01', 'Total,30.00,2026-01-01');

/** Imports files with the same name, with and without a user who answers. */
async function openImports() {
  const program = await run(configure(await startShop(0)));
  const folder = temporaryFolder();
  const asked: string[] = [];
  const bare = (
    text: string | Uint8Array,
    answers: readonly (string | undefined)[] | undefined,
    ...more: string[]
  ) => {
    const file = join(folder, 'march.csv');
    writeFileSync(file, text);
    const left = [...(answers ?? [])];
    const prompt = (question: string) => {
      asked.push(question);
      return Promise.resolve(left.shift());
    };
    return commandsOf(program, answers && prompt).run('import', file, ...more);
  };
  const imported = (
    text: string | Uint8Array,
    answers: readonly (string | undefined)[] | undefined,
    ...more: string[]
  ) => bare(text, answers, ...options, ...more);
  const amounts = async () => {
    const response = await program.app.request('/exports/lines?format=ndjson');
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines
      .map(
        (line) => JSON.parse(line) as { source: string; line: { amount: number; source: string } },
      )
      .filter(({ source, line }) => source === 'ledger' && line.source !== 'companion')
      .map(({ line }) => line.amount)
      .toSorted((one, other) => one - other);
  };
  return { asked, bare, imported, amounts };
}

it('refuses a corrected file without a terminal, and replaces the lines with the option', async () => {
  const { imported, amounts } = await openImports();
  expect((await imported(march, undefined)).code).toBe(0);
  const before = await amounts();
  const refused = await imported(corrected, undefined);
  expect(refused).toMatchObject({ code: 1, err: '1 error: the ledger is unchanged.' });
  expect(refused.out).toContain('`correction`');
  expect(refused.out).toContain(
    'changed: order A-1, Settle of 2026-03-01: 100.00 becomes 110.00 USD',
  );
  expect(await amounts()).toEqual(before);
  const replaced = await imported(corrected, undefined, '--correction', 'replace');
  expect([replaced.code, replaced.out]).toEqual([
    0,
    expect.stringMatching(/Replaced ledger lines: 2\.\n[^]*2 new/),
  ]);
});

it('shows a correction at a terminal, and replaces the lines after confirmation', async () => {
  const { asked, imported, amounts } = await openImports();
  await imported(march, undefined);
  const before = await amounts();
  const replaced = await imported(corrected, ['maybe', 'replace']);
  expect([replaced.code, replaced.err]).toEqual([0, '']);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatch(/replace.*add.*no/i);
  expect(replaced.out.match(/removed: order A-2, .* 50\.00 becomes nothing USD/g)).toHaveLength(1);
  expect(replaced.out).toContain('Replaced ledger lines: 2.');
  expect(await amounts()).toEqual(
    [...before.filter((amount) => amount === 700), 100, 11_000].toSorted((a, b) => a - b),
  );
});

it('lists the dates of a moved row, the remaining lines, and those that would count twice', async () => {
  const { imported, amounts } = await openImports();
  await imported(march, undefined);
  const before = await amounts();
  const moved = csv('A-1,100.00,2026-03-01', 'A-2,50.00,2026-03-02', 'A-3,7.50,2026-02-28');
  const refused = await imported(moved, undefined);
  expect(refused.out).toContain(
    'changed: order A-3, Settle of 2026-03-03: 7.00 becomes 7.50 USD of 2026-02-28; with add both count',
  );
  expect(refused.out).toContain(
    'With replace, earlier lines that stay: 2, that go: 1. With add, all 3 stay; counted twice: 1.',
  );
  expect(await amounts()).toEqual(before);
  const next = csv('A-3,7.50,2026-03-03', 'A-4,1.00,2026-04-01', 'A-5,1.00,2026-04-02');
  expect((await imported(next, undefined)).out).toContain(
    'kept: order A-1, Settle of 2026-03-01: 100.00 USD is not in the file and stays',
  );
});

it.each([
  ['that answer', ['add'], []],
  ['that option', undefined, ['--correction', 'add']],
])('adds the lines of a correction after %s', async (_, answers, more) => {
  const { imported, amounts } = await openImports();
  await imported(march, undefined);
  const added = await imported(corrected, answers, ...more);
  expect([added.code, added.out]).toEqual([0, expect.stringContaining('2 new, 1 already present')]);
  expect(await amounts()).toHaveLength(5);
});

it.each([
  ['a no', 'no'],
  ['an empty line', ''],
  ['Ctrl-C or the end of the input', undefined],
])('writes nothing after %s', async (_, answer) => {
  const { imported, amounts } = await openImports();
  await imported(march, undefined);
  const before = await amounts();
  for (const text of [corrected, withTotals]) {
    const ended = await imported(text, [answer]);
    expect([ended.code, ended.err]).toEqual([1, 'The ledger is unchanged.']);
  }
  expect(await amounts()).toEqual(before);
});

it('refuses non-ledger rows without a terminal, and accepts either answer as an option', async () => {
  const { imported, amounts } = await openImports();
  const refused = await imported(withTotals, undefined);
  expect([refused.code, refused.err]).toEqual([1, '1 error: the ledger is unchanged.']);
  expect(refused.out).toContain('`extra-rows`');
  expect(await amounts()).toEqual([]);
  const skipped = await imported(withTotals, undefined, '--extra-rows', 'skip');
  expect([skipped.code, skipped.out]).toEqual([
    0,
    expect.stringContaining('2 new, 0 already present, 1 left out'),
  ]);
  const kept = await imported(withTotals, undefined, '--extra-rows', 'keep');
  expect([kept.code, kept.out]).toEqual([0, expect.stringContaining('1 new, 2 already present')]);
});

it('lists non-ledger rows at a terminal, and skips them after confirmation', async () => {
  const { asked, imported, amounts } = await openImports();
  const skipped = await imported(withTotals, ['yes']);
  expect([skipped.code, skipped.err]).toEqual([0, '']);
  expect(asked).toHaveLength(1);
  expect(skipped.out).toContain('no lines? 1 with the sum of rows above (line 4)');
  expect(skipped.out).toContain('2 new, 0 already present, 1 left out');
  expect(await amounts()).toEqual([1_000, 2_000]);
  expect((await imported(withTotals, ['keep'])).out).toContain('1 new, 2 already present');
});

it('lists hidden rows of a sheet at a terminal, and reads them after the answer', async () => {
  const { asked, imported, amounts } = await openImports();
  const line = (number: number, order: string, more = '') =>
    row(number, text(order), '<c><v>10</v></c>', text('2026-03-02')).replace('<row', `<row${more}`);
  const rows =
    row(1, ...['merchantOrderId', 'amount', 'date'].map(text)) +
    line(2, 'A-1') +
    line(3, 'A-2', ' hidden="1"');
  const sheet = zipOf(workbookEntries({ Lines: rows }));
  const refused = await imported(sheet, undefined);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('`cells`')]);
  const shown = await imported(sheet, ['shown']);
  expect(shown.out).toContain('shown otherwise: 1 that the sheet hides (line 3)');
  expect(shown.out).toContain('1 new, 0 already present, 1 left out');
  expect(asked).toHaveLength(1);
  expect((await imported(sheet, undefined, '--cells', 'stored')).out).toContain('1 new');
  expect(await amounts()).toEqual([1_000, 1_000]);
});

it('asks one question at a time, including one about look-alikes', async () => {
  const { asked, imported, amounts } = await openImports();
  await imported(march, undefined);
  const both = `${corrected}Total,118.00,2026-03-03\n`;
  expect((await imported(both, ['yes', 'replace'])).code).toBe(0);
  expect(asked).toHaveLength(2);
  expect(await amounts()).toEqual([100, 700, 11_000]);
  const later = csv('A-1,110.00,2026-04-09');
  const alike = await imported(later, ['both'], '--of', 'bank');
  expect([alike.code, alike.out]).toEqual([0, expect.stringContaining('line 2: order A-1')]);
  expect(await amounts()).toEqual([100, 700, 11_000, 11_000]);
});

it('asks no questions about a file with other errors, nor with JSON output', async () => {
  const { asked, imported } = await openImports();
  const wrong = await imported(`${withTotals}A-9,x,2026-01-01\n`, ['yes']);
  expect([wrong.code, wrong.err]).toEqual([1, '2 errors: the ledger is unchanged.']);
  const json = await imported(withTotals, ['yes'], '--json');
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({ applied: false, errorCount: 1 });
  expect(asked).toEqual([]);
});

it('prints an error of many rows once, with its first lines and its count', async () => {
  const { imported } = await openImports();
  const days = Array.from({ length: 226 }, (_, index) => `A-${index},1.00,soon`);
  const wrong = await imported(csv('A-x,x,2026-01-01', ...days), undefined);
  expect([wrong.code, wrong.err]).toEqual([1, '227 errors: the ledger is unchanged.']);
  expect(wrong.out.split('\n')).toEqual([
    expect.stringMatching(/^line 2: amount /),
    expect.stringMatching(/^lines 3, 4, .*, 22, … \(226 in all\): date /),
  ]);
});

const german = 'Bestellnummer;Betrag, netto;Datum\nA-1;10,50;01/02/2026\n';

it('proposes at a terminal how to read a file, and asks what its values leave open', async () => {
  const { asked, bare, amounts } = await openImports();
  const more = ['--currency', 'USD', '--map', 'amount="Betrag, netto"'];
  const refused = await bare(german, undefined, ...more);
  expect([refused.code, await amounts()]).toEqual([1, []]);
  const read = await bare(german, ['yes', 'dmy', 'settle'], ...more);
  expect([read.code, read.out]).toEqual([0, expect.stringContaining('1 new')]);
  expect(read.out).toContain(
    `--delimiter ';' --encoding utf-8 --map 'order=Bestellnummer,date=Datum,amount="Betrag, netto"' --units major --decimal comma`,
  );
  expect(asked).toEqual([
    expect.stringMatching(/^yes: read the file so/),
    expect.stringMatching(/^dmy, mdy, .*: notation of ambiguous dates/),
    expect.stringMatching(/^settle, refund, sign: type of lines without one/),
  ]);
  expect(await amounts()).toEqual([1_050]);
});

it('imports nothing if the user declines the proposal', async () => {
  const { bare, amounts } = await openImports();
  const ended = await bare(german, ['no']);
  expect([ended.code, ended.err]).toEqual([1, 'The ledger is unchanged.']);
  expect(await amounts()).toEqual([]);
});

it('asks at a terminal for the sheet of a workbook, and proposes how to read it', async () => {
  const { bare, amounts } = await openImports();
  const header = row(1, ...['merchantOrderId', 'amount', 'date'].map(text));
  const lines = header + row(2, text('A-1'), text('7.50'), text('2026-03-02'));
  const sheet = zipOf(workbookEntries({ Summary: row(1, text('x')), Lines: lines }));
  const read = await bare(sheet, ['lines', 'yes', 'settle'], '--currency', 'USD');
  expect([read.code, read.err, read.out]).toEqual([0, '', expect.stringContaining('1 new')]);
  expect(await amounts()).toEqual([750]);
});

it('passes on the refusal if there is nothing to propose', async () => {
  const { asked, bare } = await openImports();
  const ended = await bare('%PDF-1.7', ['yes']);
  expect(ended.out + ended.err).toContain('PDF');
  expect(asked).toEqual([]);
});
