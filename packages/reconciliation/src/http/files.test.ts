import type {
  Coverage,
  DiscountAuditRecord,
  Forecast,
  FundingDay,
  OrderExplanation,
  RadarRecord,
  Today,
  WalkMonths,
} from '@financing-checkout/contract/reconciliation';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { beforeAll, expect, test } from 'vitest';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { decimal as decimalText } from '../queries/basis/reasons.ts';

const shared = shareProgram(async (atEnd) => startShop(3, atEnd));
const timeline = '/orders/order%3AA-3/timeline';

type Row = Record<string, string>;

/** Returns the rows of a list as read by a spreadsheet whose locale has decimal commas. */
function rowsOf(path: string): Promise<Row[]> {
  return rowsAt(`${path}${path.includes('?') ? '&' : '?'}format=csv`);
}

async function rowsAt(path: string): Promise<Row[]> {
  const response = await shared.program.app.request(
    `${path}&bom=true&decimal=comma&zone=America/New_York`,
  );
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return parse<Row>(text, { bom: true, columns: true, delimiter: ';' });
}

const comma = (minor: number, currency: string) => decimalText(minor, currency).replace('.', ',');

beforeAll(async () => {
  const { app, get, post, sync } = shared.program;
  await sync(shopDays());
  const line = {
    merchantOrderId: 'A-9',
    type: 'Settle',
    date: '2026-01-05',
    amount: 1230,
    currency: 'USD',
  };
  const imported = await app.request('/ledger', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([line]),
  });
  expect(await imported.json()).toMatchObject({ errors: [] });
  const { cases } = await get<{ cases: { id: string }[] }>('/cases');
  const headers = { 'idempotency-key': 'note-of-a-case' };
  await post(`/cases/${cases[0]?.id}/note`, { note: '=HYPERLINK(1)', by: 'Ines' }, headers);
});

/** The lists that the console's pages show, with the amounts of one column. */
const pages: Record<
  string,
  { path?: string; column?: string; rows: (answer: never) => unknown[] }
> = {
  '/walk/months': {
    column: 'settled',
    rows: ({ months }: WalkMonths) =>
      months.map(({ expected, currency }) => comma(expected, currency)),
  },
  '/discounts': {
    column: 'settled',
    rows: ({ rows }: DiscountAuditRecord) =>
      rows.map(({ currency, settles }) => comma(settles.amount, currency)),
  },
  '/radar': {
    column: 'amount',
    rows: ({ rows }: RadarRecord) => rows.map(({ all, currency }) => comma(all.amount, currency)),
  },
  '/lags': { rows: ({ lenders }: { lenders: unknown[] }) => lenders },
  '/forecast': {
    column: 'amount',
    rows: ({ lenders }: Forecast) =>
      lenders.map(({ amount, currency }) => comma(amount ?? 0, currency)),
  },
  '/cases/aging': { rows: ({ cells }: { cells: unknown[] }) => cells },
  '/orders/order%3AA-3/timeline': {
    path: '/orders/order:A-3',
    column: 'amount',
    rows: ({ timeline }: OrderExplanation) =>
      timeline.map(({ amount, currency = '' }) =>
        amount === undefined ? '' : comma(amount, currency),
      ),
  },
  '/orders/order%3AA-3/discounts': {
    path: '/orders/order:A-3',
    rows: ({ currencies }: OrderExplanation) => currencies.flatMap(({ discounts }) => discounts),
  },
  '/today': {
    column: 'amount',
    rows: ({ items }: Today) =>
      items.map(({ amount, currency = '' }) =>
        amount === undefined ? '' : comma(amount, currency),
      ),
  },
  '/imports': { rows: ({ imports }: { imports: unknown[] }) => imports },
  '/syncs': { rows: ({ syncs }: { syncs: unknown[] }) => syncs },
  '/days': { rows: ({ days }: { days: unknown[] }) => days },
  '/days/sums': {
    path: '/days',
    column: 'net',
    rows: ({ days }: { days: FundingDay[] }) =>
      days.flatMap(({ sums }) =>
        Object.entries(sums).map(([currency, { net }]) => comma(Number(net), currency)),
      ),
  },
  '/days/unproven': { path: '/coverage', rows: ({ unproven }: Coverage) => unproven },
  '/quarantine': { path: '/coverage', rows: ({ quarantined }: Coverage) => quarantined },
};

test.each(Object.entries(pages))(
  'writes %s with the rows and amounts that the page shows',
  async (file, { path = file, column, rows }) => {
    const shown = rows(await shared.program.get<never>(path));
    const written = await rowsOf(file);
    expect(written).toHaveLength(shown.length);
    if (column !== undefined) expect(written.map((row) => row[column])).toEqual(shown);
  },
);

test('writes each list as a workbook with the columns and rows of its CSV', async () => {
  for (const table of ['/radar', timeline, '/days/sums', '/days', '/syncs']) {
    const response = await shared.program.app.request(`${table}?format=xlsx`);
    const { sheets } = await readXlsx(new Uint8Array(await response.arrayBuffer()));
    const rows = await rowsOf(table);
    const [head, ...others] = sheets[0]?.rows ?? [];
    expect([head, others.length], table).toEqual([Object.keys(rows[0] ?? {}), rows.length]);
  }
});

test('control: the lists whose amounts are compared have rows', async () => {
  for (const table of ['/radar', timeline, '/today', '/days/sums', '/days', '/syncs']) {
    expect((await rowsOf(table)).length, table).toBeGreaterThan(0);
  }
});

test('exports the whole trail, with amounts in the currency of their case and no formulas', async () => {
  const trail = await rowsAt('/trail?format=csv');
  const noted = trail.find(({ kind }) => kind === 'noted');
  expect(noted).toMatchObject({ currency: 'USD', detail: 'note: =HYPERLINK(1)' });
  expect(noted?.actor).toContain('Ines');
  expect(noted?.order).toMatch(/^A-/);
  expect(trail.find(({ kind }) => kind === 'opened')?.amount).toMatch(/^-?\d+,\d\d$/);
  expect(trail.find(({ kind }) => kind === 'import')?.numbers).toMatch(/^\d+ \d+$/);
  const ofCase = await rowsAt(`/trail?format=csv&subject=${noted?.subject}`);
  expect(ofCase.map(({ kind }) => kind)).toEqual(['noted', 'opened']);
  expect(await rowsAt('/trail?format=csv&kind=export&actor=nobody')).toEqual([]);
  const shown = await shared.program.get<{ entries: { seq: number }[] }>('/trail?by=people');
  const actions = await rowsAt('/trail?format=csv&by=people');
  const seqs = actions.map(({ seq }) => Number(seq));
  expect(seqs.slice(-shown.entries.length)).toEqual(shown.entries.map(({ seq }) => seq));
  const exported = actions.find(({ kind }) => kind === 'export');
  expect(exported?.at).toMatch(/-0[45]:00$/);
  expect(exported?.zone).toBe('America/New_York');
});

test('limits orders and lines to one order', async () => {
  for (const table of ['orders', 'lines']) {
    const rows = await rowsOf(`/exports/${table}?orderKey=order%3AA-3`);
    expect(new Set(rows.map((row) => row.order)), table).toEqual(new Set(['A-3']));
  }
});

test('refuses a list of an unknown order, and a parameter of another list', async () => {
  const { app } = shared.program;
  expect((await app.request('/imports?format=csv&lender=Aspire')).status).toBe(400);
  expect((await app.request('/orders/order%3Anone/timeline?format=csv')).status).toBe(404);
});
