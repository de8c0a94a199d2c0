import type {
  LedgerImportRecord,
  LedgerOptions,
  LedgerPreview,
  Withdrawal,
} from '@financing-checkout/contract/reconciliation';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { expect, test } from 'vitest';
import { settle } from '../companion/companion.fixture.ts';
import { row, text, workbookEntries, zipOf } from '../imports/read/workbook/workbook.fixture.ts';
import { ThreadBusyError } from '../platform/thread.ts';
import { configure, run, shareProgram, startShop } from '../program.fixture.ts';
import { explained } from './upload.ts';

const shared = shareProgram((atEnd) => startShop(1, atEnd));

const send = (path: string, body: string | Uint8Array<ArrayBuffer>, type = 'text/csv') =>
  shared.program.app.request(path, { method: 'POST', headers: { 'content-type': type }, body });
const preview = async (
  body: string | Uint8Array<ArrayBuffer>,
  options: LedgerOptions = {},
  type?: string,
) => {
  const response = await send(`/ledger/preview${asked(options)}`, body, type);
  expect(response.status).toBe(200);
  return (await response.json()) as LedgerPreview;
};
const asked = (options: LedgerOptions) => `?options=${encodeURIComponent(JSON.stringify(options))}`;
const lines = (...orders: string[]) =>
  orders
    .map((order) =>
      JSON.stringify({
        merchantOrderId: order,
        type: 'settle',
        amount: 5_000,
        currency: 'USD',
        date: '2026-01-05',
        transactionId: `t-${order}`,
      }),
    )
    .join('\n');
const listed = async () =>
  (await shared.program.get<{ imports: Record<string, unknown>[] }>('/imports')).imports;
const withdraw = (id: unknown, key = 'key-1', body: object = { reason: 'wrong file' }) =>
  shared.program.post(`/imports/${String(id)}/withdrawal`, body, { 'idempotency-key': key });

test('previews a table below a title, with its columns unchanged', async () => {
  const rows = Array.from(
    { length: 30 },
    (_, index) => `S-${index};1.234,50;2026-01-0${index % 9}`,
  );
  const text = ['Export of the shop', '', 'Order No;Total;merchantOrderId', ...rows].join('\r\n');
  const found = await preview(text, { map: { order: 'Order No' } });
  expect(found).toMatchObject({
    format: 'csv',
    columns: ['Order No', 'Total', 'merchantOrderId'],
    proposal: { delimiter: ';', encoding: 'utf-8', map: { order: 'Order No', amount: 'Total' } },
  });
  expect(found.rows).toHaveLength(20);
  expect(found.rows[0]).toEqual(['S-0', '1.234,50', '2026-01-00']);
  expect(found.proposal).not.toHaveProperty('preset');
});

test('suggests the preset for known columns, and the column for each of its fields', async () => {
  const { packaged } = await import('../imports/read/presets.ts');
  const stripe = packaged('stripe');
  const header = stripe.header ?? [];
  const columns = [...new Set([...header, ...Object.values(stripe.map ?? {})])];
  const found = await preview(`${columns.join(',')}\n${columns.map(() => 'x').join(',')}\n`);
  expect(found).toMatchObject({ proposal: { preset: 'stripe', map: stripe.map } });
});

test('asks only what options, preset and values of the file leave open', async () => {
  const text = 'Order,Art,Total,Date\nA-1,Einzug,1.234,01/02/2026\nA-2,Storno,12,01/03/2026\n';
  const { proposal, questions } = await preview(text);
  expect(proposal).toMatchObject({
    map: { order: 'Order', type: 'Art', amount: 'Total', date: 'Date' },
    units: 'major',
    types: { settle: ['Einzug'] },
  });
  expect(questions).toEqual(['decimal', 'dates', 'currency', 'zone']);
  const stated = await preview(text, { decimal: 'point', dates: 'ddmm', currency: 'USD' });
  expect(stated).toMatchObject({ proposal: { dates: 'ddmm' }, questions: ['year', 'zone'] });
  const preset = JSON.stringify({ units: 'major', decimal: 'comma', dates: 'dmy' });
  expect(await preview(text, { preset })).toMatchObject({
    proposal: { preset },
    questions: ['currency', 'zone', 'type'],
  });
});

test('does not propose a preset that the person declined', async () => {
  const { packaged } = await import('../imports/read/presets.ts');
  const text = `${(packaged('stripe').header ?? []).join(',')}\n`;
  expect((await preview(text)).proposal.preset).toBe('stripe');
  expect((await preview(text, { preset: '' })).proposal.preset).toBe('');
});

test('reads the beginning of any text: Windows-1252, a truncated record, JSON', async () => {
  const latin = Uint8Array.from([
    ...Buffer.from('Bestellung,Gr'),
    0xf6,
    ...Buffer.from('sse\n1,2'),
  ]);
  expect(await preview(latin)).toMatchObject({
    proposal: { encoding: 'windows-1252' },
    columns: ['Bestellung', 'Grösse'],
    rows: [['1', '2']],
  });
  const cut = Buffer.from('order,name\n1,Zoë').subarray(0, -1);
  expect(await preview(cut)).toMatchObject({
    proposal: { encoding: 'utf-8' },
    columns: ['order', 'name'],
  });
  const json =
    '[{"merchantOrderId": "A", "amount": 5}, {"merchantOrderId": "B", "tags": ["x"]}, {"mer';
  expect(await preview(json, {}, 'application/octet-stream')).toEqual({
    format: 'json',
    columns: ['merchantOrderId', 'amount', 'tags'],
    rows: [
      ['A', '5', ''],
      ['B', '', '["x"]'],
    ],
    readings: [
      { asks: ['zone', 'types'] },
      { asks: ['dates', 'zone', 'types'] },
      { asks: ['zone', 'types'] },
    ],
    proposal: { encoding: 'utf-8', map: { order: 'merchantOrderId', amount: 'amount' } },
    known: [],
    questions: ['currency', 'type'],
  });
});

test.each([
  ['text/csv', `${'a,'.repeat(1_000)}a\n${'1,2\n'.repeat(20)}`],
  ['application/json', JSON.stringify([Object.fromEntries(Array(1_001).fill(0).entries())])],
])('rejects a preview with more columns than a person would assign: %s', async (type, body) => {
  const response = await send('/ledger/preview', body, type);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    detail: expect.stringContaining('1001 columns, more than 1000') as unknown,
  });
});

test('rejects a preview that is too large or has invalid options', async () => {
  expect((await send('/ledger/preview', 'a'.repeat(262_145))).status).toBe(413);
  expect((await send(`/ledger/preview${asked({ encoding: 'latin-99' })}`, 'a,b')).status).toBe(400);
  expect((await send('/ledger/preview', 'a,b', 'text/plain')).status).toBe(415);
});

const workbook = (sheets: Parameters<typeof workbookEntries>[0]) =>
  new Uint8Array(zipOf(workbookEntries(sheets)));
const previewSheet = async (body: Uint8Array<ArrayBuffer>, options: LedgerOptions = {}) => {
  const response = await send(`/ledger/preview/workbook${asked(options)}`, body, WORKBOOK_TYPE);
  return [response.status, await response.json()] as const;
};
const orders = ['Order No', 'Total', 'Paid'].map(text);
const paid = row(4, text('00017'), '<c><v>12.5</v></c>', '<c s="1"><v>46083</v></c>');

test('returns the cells of the requested rows of a sheet, with their numbers', async () => {
  const body = workbook({
    Lines: row(1, text('Order'), text('Total')) + row(4, text('A-1'), text('12,5x')),
  });
  const response = await send('/ledger/preview/workbook?rows=4,9', body, WORKBOOK_TYPE);
  expect(((await response.json()) as LedgerPreview).cells).toEqual([
    { row: 4, values: ['A-1', '12,5x'] },
  ]);
  const refused = await send('/ledger/preview/workbook?rows=all', body, WORKBOOK_TYPE);
  expect(refused.status).toBe(400);
});

test('previews a workbook of any size, and asks which of several sheets to use', async () => {
  const many = Array.from({ length: 20_000 }, (_, at) => row(at + 5, text(crypto.randomUUID())));
  const body = workbook({
    Summary: row(1, text('x')),
    Empty: '',
    Lines: row(1, text('A title')) + row(3, ...orders) + paid + many.join(''),
  });
  expect(body.length).toBeGreaterThan(262_144);
  expect(await previewSheet(body)).toEqual([
    200,
    {
      format: 'csv',
      columns: [],
      readings: [],
      rows: [],
      known: [],
      proposal: {},
      questions: ['sheet'],
      sheets: ['Summary', 'Lines'],
    },
  ]);
  const [status, found] = await previewSheet(body, { sheet: 'Lines', map: { order: 'Order No' } });
  expect(status).toBe(200);
  expect(found).toMatchObject({
    sheets: ['Summary', 'Lines'],
    columns: ['Order No', 'Total', 'Paid'],
    proposal: { sheet: 'Lines', map: { order: 'Order No' } },
  });
  const { rows } = found as LedgerPreview;
  expect(rows).toHaveLength(20);
  expect(rows[0]).toEqual(['00017', '12.5', '2026-03-02']);
});

test('lists the hidden parts of a workbook', async () => {
  const hidden = paid.replace('<row', '<row hidden="1"');
  const formula = row(6, text('A-2'), '<c><f>1+2</f></c>', text('2026-03-02'));
  const covered = row(7, text('A-3')) + row(8, '<c/>', text('12'));
  const body = workbook({
    Chart: { rows: '', type: 'chartsheet' },
    Secret: { rows: row(1, text('x')), state: 'hidden' },
    Lines: {
      rows: row(3, ...orders) + hidden + formula + covered,
      above: '<cols><col min="2" max="4" hidden="1"/></cols>',
      below: '<autoFilter ref="A3:C9"/><mergeCells><mergeCell ref="A7:A8"/></mergeCells>',
    },
  });
  const sheets = ['Secret', 'Lines'];
  const ofSheets = [
    { kind: 'hidden-sheet', count: 1, places: ['Secret'] },
    { kind: 'other-sheet', count: 1, places: ['Chart'] },
  ];
  const [, unclear] = await previewSheet(body);
  expect(unclear).toMatchObject({ columns: [], sheets, unseen: ofSheets });
  expect(await previewSheet(body, { sheet: 'Lines' })).toMatchObject([
    200,
    {
      proposal: { sheet: 'Lines' },
      unseen: [
        ...ofSheets,
        { kind: 'uncomputed', count: 1, places: ['6'] },
        { kind: 'merged', count: 1, places: ['8'] },
        { kind: 'hidden-column', count: 3, places: ['B:D'] },
        { kind: 'filtered-row', count: 1, places: ['4'] },
      ],
    },
  ]);
});

test('previews the only sheet with content, using the preset for its columns', async () => {
  const { packaged } = await import('../imports/read/presets.ts');
  const { header = [], map = {} } = packaged('stripe');
  const columns = [...new Set([...header, ...Object.values(map)])].map(text);
  const body = workbook({ Sheet1: row(1, ...columns), Sheet2: '' });
  expect(await previewSheet(body)).toMatchObject([
    200,
    { proposal: { preset: 'stripe', sheet: 'Sheet1' } },
  ]);
});

test.each([
  ['without content', workbook({ Sheet1: '' }), /No sheet of the workbook has content/],
  ['that is cut off', workbook({ Lines: paid }).slice(0, -60), /no usable list of contents/],
  [
    'that unpacks to a thousand times its size',
    new Uint8Array(
      zipOf({ ...workbookEntries({ Lines: paid }), 'xl/media/a': 'A'.repeat(8_388_608) }),
    ),
    /unpacks to more/,
  ],
  ['that is a PDF', new TextEncoder().encode('%PDF-1.7\n'), /This is a document/],
  ['that is a text', new TextEncoder().encode('order,amount\n'), /This is no \.xlsx/],
])('refuses the preview of a workbook %s', async (_, body, detail) => {
  expect(await previewSheet(body)).toMatchObject([
    400,
    { code: 'invalid-request', detail: expect.stringMatching(detail) as unknown },
  ]);
});

test('accepts only a complete workbook with the correct media type', async () => {
  const body = workbook({ Lines: paid });
  const asText = await send('/ledger/preview', body, 'application/octet-stream');
  expect([asText.status, await asText.json()]).toMatchObject([
    400,
    { detail: expect.stringContaining('send it whole') as unknown },
  ]);
  const untyped = await send('/ledger/preview/workbook', body, 'application/octet-stream');
  expect(untyped.status).toBe(415);
  const unknown = await previewSheet(body, { sheet: 'Line' });
  expect(unknown).toMatchObject([
    400,
    { detail: expect.stringContaining('no such sheet') as unknown },
  ]);
});

test('withdraws an import once, without its file, and keeps lines that the companion reports', async () => {
  const { program, shop } = shared;
  const type = 'application/x-ndjson';
  expect((await send('/ledger', lines('I-1', 'I-2', 'I-3'), type)).status).toBe(200);
  const [imported] = await listed();
  expect(imported).toMatchObject({ action: 'add', count: 3, source: 'api', isWithdrawn: false });
  // The companion now reports one of the lines itself.
  shop.entries.push(
    settle(3, 'I-3', 5_000, { merchantTransactionId: 'm-I-3', transactionId: 't-I-3' }),
  );
  await program.engine.leader?.pass({ isLedgerDue: true });
  const bare = await program.post(`/imports/${String(imported?.id)}/withdrawal`, { reason: 'x' });
  expect(bare.status).toBe(400);
  expect((await withdraw(imported?.id, 'key-1', {})).status).toBe(400);
  expect((await withdraw('imp_unknown', 'key-0')).status).toBe(404);
  const first = await withdraw(imported?.id);
  expect([first.status, (await first.json()) as Withdrawal]).toEqual([
    200,
    { id: imported?.id, withdrawn: 2, kept: 1 },
  ]);
  expect(await (await withdraw(imported?.id, 'key-2')).json()).toEqual({
    id: imported?.id,
    withdrawn: 2,
    kept: 1,
  });
  expect((await program.app.request('/orders/order%3AI-1')).status).toBe(200);
  const { orders } = await program.get<{ orders: { merchantOrderId: string }[] }>(
    '/orders?merchantOrderId=I-1&merchantOrderId=I-2&merchantOrderId=I-3',
  );
  expect(orders.map(({ merchantOrderId }) => merchantOrderId)).toEqual(['I-3']);
  expect(await listed()).toMatchObject([
    { action: 'withdraw', count: 2 },
    { id: imported?.id, isWithdrawn: true },
  ]);
  expect((await withdraw(`${String(imported?.id)}.withdrawal`, 'key-3')).status).toBe(404);
  // A rebuild applies the withdrawal again.
  await program.engine.data.rebuild();
  expect(await program.get('/orders?merchantOrderId=I-1')).toMatchObject({ orders: [] });
});

test('marks an import as withdrawn after a withdrawal by file', async () => {
  const type = 'application/x-ndjson';
  await send('/ledger', lines('W-1'), type);
  await send('/ledger?options={"withdraw":true}', lines('W-1'), type);
  await send('/ledger', lines('W-1'), type);
  expect((await listed()).slice(0, 3)).toMatchObject([
    { action: 'add', isWithdrawn: false },
    { action: 'withdraw' },
    { action: 'add', isWithdrawn: true },
  ]);
});

test.each([
  ['America/New_York', '2026-11-01', '2026-11-30'],
  ['Europe/Berlin', '2026-11-01', '2026-11-30'],
])('assigns dates without a time to their days in %s', async (zone, first, last) => {
  const program = await run(configure(shared.shop, { RECONCILIATION_ZONE: zone }));
  const header = 'merchantOrderId,type,amount,currency,date\n';
  const file = (amount: number) =>
    `${header}B-1,settle,${amount},USD,${first}\nB-2,settle,${amount},USD,${last}\n`;
  const imported = async (body: string, more: LedgerOptions = {}) => {
    const path = `/ledger${asked({ units: 'minor', of: 'erp', ...more })}`;
    const headers = { 'content-type': 'text/csv' };
    const answer = await program.app.request(path, { method: 'POST', headers, body });
    return (await answer.json()) as LedgerImportRecord;
  };
  const orders = async (period: string) => {
    const text = await (await program.app.request(`/exports/lines?${period}`)).text();
    return [...text.matchAll(/B-\d/g)].map(([order]) => order);
  };
  expect(await imported(file(100))).toMatchObject({ added: 2, zone });
  expect(new Set(await orders('from=2026-11-01&to=2026-11-01'))).toEqual(new Set(['B-1']));
  expect(new Set(await orders('from=2026-11-30&to=2026-11-30'))).toEqual(new Set(['B-2']));
  expect(await orders('from=2026-10-01&to=2026-10-31')).toEqual([]);
  expect(await orders('from=2026-12-01&to=2026-12-31')).toEqual([]);
  // The period of the import is the month in the time zone.
  expect(await imported(file(200), { dryRun: true })).toMatchObject({
    difference: { from: first, to: last, changed: 2 },
  });
  // A time zone that the import names takes precedence.
  const ofUtc = `${header}B-3,settle,100,USD,2026-12-01\n`;
  expect(await imported(ofUtc, { zone: 'UTC' })).toMatchObject({ added: 1, zone: 'UTC' });
  const day = zone === 'Europe/Berlin' ? '2026-12-01' : '2026-11-30';
  expect(await orders(`from=${day}&to=${day}`)).toContain('B-3');
});

test('shows a running import in the status, with its file and upload progress', async () => {
  const first = new TextEncoder().encode(lines('A-70'));
  const { promise: rest, resolve } = Promise.withResolvers<undefined>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(first);
      await rest;
      controller.close();
    },
  });
  const request = new Request(`http://localhost/ledger${asked({ file: 'shop.ndjson' })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
  });
  const imported = shared.program.app.request(request);
  const running = async () =>
    (await shared.program.get<{ imports: Record<string, unknown>[] }>('/status')).imports;
  await expect
    .poll(running)
    .toMatchObject([
      { file: 'shop.ndjson', state: 'receiving', receivedBytes: first.length, dryRun: false },
    ]);
  resolve(undefined);
  expect((await imported).status).toBe(200);
  expect(await running()).toEqual([]);
});

test('advises to retry while too many workbooks wait', async () => {
  const busy = explained(() => Promise.reject(new ThreadBusyError('Others are waiting.')));
  await expect(busy).rejects.toMatchObject({
    code: 'overloaded',
    extras: { detail: 'Others are waiting.', retrySafe: true, retryAfterSeconds: 10 },
  });
});
