import type {
  Action,
  CaseSheet,
  CaseSheetDifference,
  ListedImport,
  LedgerOptions,
} from '@financing-checkout/contract';
import { expect, test } from 'vitest';
import { row, text, workbookEntries, zipOf } from '../imports/read/workbook/workbook.fixture.ts';
import { dayBefore, shareProgram, startShop } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const TOKENS = `finance cases,sync,imports finance-token-0123456789012345
clerk cases clerk-token-01234567890123456`;

/** Orders that a lender posted, each with one line of the file under a wrong order ID. */
const orders = [
  ['A-1020', 'A-102', 12_000],
  ['00012345', '12345', 4_500],
  ['A-2020', 'A-2002', 9_900],
] as const;
const shared = shareProgram(
  async (atEnd) => {
    const shop = await startShop(1, atEnd);
    // After the first line of the lender: the ledger has begun.
    const at = `${dayBefore(1)}T10:00:00.000Z`;
    for (const [index, [merchantOrderId, , amount]] of orders.entries()) {
      const transaction = { transactionId: undefined, merchantTransactionId: undefined };
      const money = { transactionAmount: amount / 100, discountAmount: 0, netAmount: amount / 100 };
      shop.records.push(wireRecord(50 + index, at, { ...transaction, ...money, merchantOrderId }));
    }
    return shop;
  },
  { RECONCILIATION_TOKENS: TOKENS },
);
interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}
const ask = (path: string, init: Init = {}, name = 'finance') => {
  const secret =
    TOKENS.split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[2] ?? '';
  const headers = { authorization: `Bearer ${secret}`, ...init.headers };
  return shared.program.app.request(path, { ...init, headers });
};
const read = async <Body>(path: string) => (await (await ask(path)).json()) as Body;
const FILE = [
  'merchantOrderId,amount,date',
  ...orders.map(([, wrong, amount]) => `${wrong},${amount / 100},${dayBefore(12)}`),
  '',
].join('\n');
const importFile = async (more: LedgerOptions = {}) => {
  const options = { units: 'major', currency: 'USD', type: 'settle', file: 'lines.csv', ...more };
  const path = `/ledger?options=${JSON.stringify(options)}`;
  const response = await ask(path, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: FILE,
  });
  return (await response.json()) as { applied: boolean; added: number; replaced: number };
};
let isReady = false;
/** Returns the exported cases as rows of cells, starting with the header row. */
const exported = async () => {
  if (!isReady) {
    await importFile();
    const days = { from: dayBefore(20), to: dayBefore(0) };
    const begun = await ask('/syncs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(days),
    });
    const { id } = (await begun.json()) as { id: string };
    await (await ask(`/syncs/${id}/events`)).text();
    isReady = true;
  }
  const file = await (await ask('/exports/cases?state=open')).text();
  return file
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
};
/** Returns the header row and the row of an order, with its correction. */
const corrected = async (order: string, correct: string) => {
  const [head = [], ...rows] = await exported();
  const cells = rows.find((each) => each[0] === order) ?? [];
  return [head, head.map((name, at) => (name === 'correct_order' ? correct : (cells[at] ?? '')))];
};
const csvOf = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.join(',')}\r\n`).join('');
const upload = async (body: string | Uint8Array<ArrayBuffer>, query = '', name = 'finance') => {
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await ask(`/cases/sheet${query}`, { method: 'POST', headers, body }, name);
  return (await response.json()) as CaseSheet;
};
const openOrders = async () => (await exported()).slice(1).map(([order]) => order);

test('shows imported lines and then corrects their order, which importing the original file again restores', async () => {
  const [head = [], ...rows] = await exported();
  expect(head.slice(0, 2)).toEqual(['order', 'correct_order']);
  expect(rows.map(([, correct]) => correct)).toEqual(rows.map(() => ''));
  expect(await openOrders()).toEqual(expect.arrayContaining(['A-102', 'A-1020']));
  const file = csvOf(await corrected('A-102', 'A-1020'));
  const shown = await upload(file);
  expect(shown.refusals).toEqual([]);
  const [difference] = shown.differences;
  expect(difference).toMatchObject({
    field: 'correct_order',
    before: 'A-102',
    after: 'A-1020',
    events: ['corrected'],
    move: {
      count: 1,
      settled: 12_000,
      refunded: 0,
      repeated: 0,
      staying: 0,
      lines: [{ type: 'Settle', amount: 12_000 }],
      orders: [
        { orderKey: 'order:A-102', before: 12_000, after: 0, posted: 0 },
        { orderKey: 'order:A-1020', before: 0, after: 12_000, posted: 12_000 },
      ],
    },
  });
  const before = await read<{ imports: ListedImport[] }>('/imports');
  expect(before.imports).toHaveLength(1);
  // The response is lost, and the request is retried.
  for (let tries = 0; tries < 2; tries++) {
    const done = await upload(file, `?digest=${shown.digest}&by=Ines`);
    expect(done).toMatchObject({ applied: true, refusals: [], differences: [{ applied: true }] });
  }
  const { imports } = await read<{ imports: ListedImport[] }>('/imports');
  expect(imports.slice(0, 2)).toMatchObject([
    { action: 'add', count: 1, actor: 'finance, for Ines', isWithdrawn: false },
    { action: 'withdraw', count: 1, actor: 'finance, for Ines' },
  ]);
  expect(imports).toHaveLength(3);
  const { actions } = await read<{ actions: Action[] }>('/actions');
  expect(actions.find(({ kind }) => kind === 'import')).toMatchObject({
    subject: 'ledger',
    actor: 'finance, for Ines',
    outcome: 'done',
    detail: { corrected: 1 },
  });
  for (const order of ['A-102', 'A-1020']) expect(await openOrders()).not.toContain(order);
  const history = await read<{ events: object[] }>(`/cases/${difference?.caseId}`);
  expect(history.events.slice(1)).toMatchObject([
    { kind: 'corrected', actor: 'finance, for Ines', detail: { order: 'A-1020' } },
    { kind: 'closed' },
  ]);
  expect(await read('/trail/verification')).toMatchObject({ valid: true });

  expect(await importFile()).toMatchObject({ applied: false });
  expect(await importFile({ correction: 'replace' })).toMatchObject({ added: 1, replaced: 1 });
  expect(await openOrders()).toEqual(expect.arrayContaining(['A-102', 'A-1020']));
});

test('keeps the leading zeros of an order in a workbook, as text or with its prefix', async () => {
  const differenceOf = (rows: string[][]) => {
    const cells = rows.map((line, at) => row(at + 1, ...line.map(text)));
    return upload(new Uint8Array(zipOf(workbookEntries({ cases: cells.join('') }))));
  };
  const moved = { before: '12345', after: '00012345' } satisfies Partial<CaseSheetDifference>;
  for (const written of ['00012345', 'order:00012345', "'00012345"]) {
    const { differences } = await differenceOf(await corrected('12345', written));
    expect(differences).toMatchObject([moved]);
  }
  // A spreadsheet has removed the leading zeros.
  const stripped = await upload(csvOf(await corrected('12345', '12345')));
  expect(stripped.refusals).toMatchObject([
    { refusal: 'order-same', column: 'correct_order', merchantOrderId: '12345' },
  ]);
  expect(stripped.refusals[0]?.message).toContain('order:00012345');
});

test('refuses to correct an order if the token lacks the imports scope, and applies the rest', async () => {
  const [head = [], cells = []] = await corrected('A-2002', 'A-2020');
  const other = (await corrected('A-1', ''))[1]?.map((cell, at) =>
    head[at] === 'note' ? 'seen' : cell,
  );
  const file = csvOf([head, cells, other ?? []]);
  const shown = await upload(file, '', 'clerk');
  expect(shown).toMatchObject({
    refusals: [{ line: 2, refusal: 'imports-not-permitted', merchantOrderId: 'A-2002' }],
    differences: [{ line: 3, field: 'note' }],
  });
  await upload(file, `?digest=${shown.digest}`, 'clerk');
  expect(await openOrders()).toContain('A-2002');
});
