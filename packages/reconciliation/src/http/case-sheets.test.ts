import type { CaseSheet } from '@financing-checkout/contract/reconciliation';
import type { Problem } from '@financing-checkout/contract/storefront';
import { expect, test } from 'vitest';
import { row, text, workbookEntries, zipOf } from '../imports/read/workbook/workbook.fixture.ts';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';

const TOKENS = `finance cases,sync finance-token-0123456789012345
reader read reader-token-01234567890123456`;
const shared = shareProgram((atEnd) => startShop(1, atEnd), { RECONCILIATION_TOKENS: TOKENS });
const secretOf = (name: string) =>
  TOKENS.split('\n')
    .find((line) => line.startsWith(name))
    ?.split(' ')[2] ?? '';
const ask = (path: string, init: Init = {}, name = 'finance') => {
  const headers = { authorization: `Bearer ${secretOf(name)}`, ...init.headers };
  return shared.program.app.request(path, { ...init, headers });
};
type Content = string | Uint8Array<ArrayBuffer>;
interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: Content;
}
const upload = (body: Content, query = '', type = 'text/csv', name = 'finance') =>
  ask(`/cases/sheet${query}`, { method: 'POST', headers: { 'content-type': type }, body }, name);
const read = async (...given: Parameters<typeof upload>) => {
  const response = await upload(...given);
  const body = (await response.json()) as CaseSheet & Problem;
  return { status: response.status, body };
};
let isSynced = false;
/** Returns the exported cases as rows of cells, starting with the header row. */
const exported = async (query = '') => {
  if (!isSynced) {
    const begun = (await (
      await ask('/syncs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(shopDays()),
      })
    ).json()) as { id: string };
    await (await ask(`/syncs/${begun.id}/events`)).text();
    isSynced = true;
  }
  const file = await (await ask(`/exports/cases?${query}`)).text();
  return file
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(query.includes('comma') ? ';' : ','));
};
/** Returns the shop's only case with edited cells. */
const edited = async (edits: Record<string, string>, query?: string) => {
  const [head = [], cells = []] = await exported(query);
  return [head, head.map((name, at) => edits[name] ?? cells[at] ?? '')];
};
const csvOf = (rows: readonly (readonly string[])[], separator = ',') =>
  rows.map((cells) => `${cells.join(separator)}\r\n`).join('');

test('shows the differences of an edited export, then applies exactly these', async () => {
  const file = csvOf(await edited({ assignee: 'finance', note: 'asked the lender' }));
  const shown = await read(file);
  expect(shown).toMatchObject({ status: 200, body: { rows: 1, refusals: [], applied: false } });
  expect(shown.body.differences).toMatchObject([
    { line: 2, merchantOrderId: 'A-1', field: 'assignee', before: '', after: 'finance' },
    { line: 2, field: 'note', after: 'asked the lender', events: ['noted'] },
  ]);
  const { digest } = shown.body;
  const other = csvOf(await edited({ assignee: 'finance', note: 'something else' }));
  const refused = await read(other, `?digest=${digest}`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'case-sheet-changed' } });
  // The response is lost, and the request is retried.
  for (let tries = 0; tries < 2; tries++) {
    const done = await read(file, `?digest=${digest}&by=Ines`);
    expect(done).toMatchObject({ status: 200, body: { applied: true, refusals: [], digest } });
    expect(done.body.differences.map(({ applied }) => applied)).toEqual([true, true]);
  }
  const [head = [], cells = []] = await exported();
  expect(cells[head.indexOf('assignee')]).toBe('finance');
  const id = cells[head.indexOf('case')] ?? '';
  const history = (await (await ask(`/cases/${id}`)).json()) as { events: object[] };
  expect(history.events).toMatchObject([
    { kind: 'opened' },
    { kind: 'assigned', actor: 'finance, for Ines' },
    { kind: 'noted', detail: { note: 'asked the lender' } },
  ]);
  expect(await (await ask('/trail/verification')).json()).toMatchObject({ valid: true });
});

test('reads the file in the form in which a spreadsheet saves it', async () => {
  const edits = { note: 'seen' };
  const comma = csvOf(await edited(edits, 'decimal=comma&bom=true'), ';');
  const tabs = Buffer.from(`\uFEFF${csvOf(await edited(edits), '\t')}`, 'utf16le');
  const cells = (await edited(edits)).map((line, at) => row(at + 1, ...line.map(text)));
  const workbook = zipOf(workbookEntries({ cases: cells.join('') }));
  const titled = `sep=,\r\n${csvOf([...(await edited(edits)), ['', '', '']])}`;
  for (const file of [comma, new Uint8Array(tabs), new Uint8Array(workbook), titled]) {
    const { body } = await read(file, '', 'application/octet-stream');
    expect(body).toMatchObject({ rows: 1, refusals: [], differences: [{ after: 'seen' }] });
  }
});

test('refuses a row with a cell whose displayed value differs from the stored one', async () => {
  const [head = [], cells = []] = await edited({ note: 'seen' });
  const at = head.indexOf('note');
  const note = (cell: string) => cells.map((value, index) => (index === at ? cell : text(value)));
  const letter = String.fromCharCode(65 + at);
  for (const [cell, below] of [
    ['<c/>', `<mergeCells><mergeCell ref="${letter}2:${letter}3"/></mergeCells>`],
    ['<c><f>A1</f></c>', ''],
  ] as const) {
    const rows = row(1, ...head.map(text)) + row(2, ...note(text('seen'))) + row(3, ...note(cell));
    const file = new Uint8Array(zipOf(workbookEntries({ cases: { rows, below } })));
    const { body } = await read(file, '', 'application/octet-stream');
    const [, refusal] = body.refusals;
    expect(refusal).toMatchObject({ line: 3, refusal: 'row-unreadable' });
    expect(refusal?.message).toContain('in the column note');
  }
});

test('assigns cases to known people, and to new ones if the request permits it', async () => {
  const file = csvOf(await edited({ assignee: 'Tomas' }));
  expect((await read(file)).body.refusals).toMatchObject([
    { refusal: 'person-unknown', column: 'assignee' },
  ]);
  for (const query of ['?newPersons=true', '?by=Tomas']) {
    expect((await read(file, query)).body.differences).toMatchObject([{ after: 'Tomas' }]);
  }
});

test('rejects other files, oversized files and a token without the scope', async () => {
  const file = csvOf(await edited({ note: 'x' }));
  expect((await read(file, '', 'text/csv', 'reader')).status).toBe(403);
  expect((await read(file, '', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await read(file, '?digest=x')).status).toBe(400);
  const detailOf = async (body: Content) => (await read(body)).body.detail;
  expect(await detailOf('order,amount\r\nA-1,5\r\n')).toContain('"revision"');
  expect(await detailOf('%PDF-1.7 ')).toContain('document');
  const [head = [], cells = []] = await exported();
  const long = csvOf([head, ...Array.from({ length: 20_001 }, () => cells)]);
  expect(await detailOf(long)).toContain('more than 20000 rows');
  const large = await read('x'.repeat(16_777_217));
  expect(large.status).toBe(413);
  expect(large.body.detail).toContain('remove the rows that you have not changed');
});

test('reads an exported workbook without differences', async () => {
  await exported();
  const file = await ask('/exports/cases?format=xlsx&zone=America/New_York');
  const type = file.headers.get('content-type') ?? '';
  const found = await read(new Uint8Array(await file.arrayBuffer()), '', type);
  expect(found).toMatchObject({ status: 200, body: { rows: 1, differences: [], refusals: [] } });
});
