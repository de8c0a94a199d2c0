import { type MigrationLine, migrationLineSchema } from '@financing-checkout/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCompanion, type Scripted, type UpstreamCall } from '../../companion.fixture.ts';

const REPORT = 'GET /v2/post-sale/fundings/report';
const RECORDS_V1 = 'GET /v1/post-sale/fundings/records';
const RECORDS_V2 = 'GET /v2/post-sale/fundings/records';

const record = (order: string, change: Record<string, unknown> = {}) => ({
  status: 'RECONCILED',
  transactionType: 'Settle',
  lenderName: 'Meadow Credit',
  transactionAmount: 100,
  discountAmount: 2.9,
  netAmount: 97.1,
  fundedAt: '2026-11-11T00:00:00.000Z',
  updatedAt: '2026-11-11T00:00:00.000Z',
  merchantOrderId: order,
  transactionId: `t-${order}`,
  ...change,
});
type WireRecord = ReturnType<typeof record>;

/** A service that gives each record in every window its date is in, both ends counted in. */
function answering(records: readonly WireRecord[]) {
  return ({ query }: UpstreamCall): Scripted => {
    const time = (name: string) => Date.parse(query.get(name) ?? '');
    const inWindow = records.filter(({ fundedAt }) => {
      const at = Date.parse(/[zZ]$|^[^T]+$/.test(fundedAt) ? fundedAt : `${fundedAt}Z`);
      return at >= time('fromDate') && at <= time('toDate');
    });
    const offset = Number(query.get('offset'));
    return { status: 200, body: { records: inWindow.slice(offset) } };
  };
}

async function migrate(
  report: readonly WireRecord[],
  v1: readonly WireRecord[],
  v2: readonly WireRecord[] = v1,
  query = 'from=2026-11-10&to=2026-11-13',
) {
  const companion = await createCompanion();
  companion.service
    .on(REPORT, answering(report))
    .on(RECORDS_V1, answering(v1))
    .on(RECORDS_V2, answering(v2));
  const response = await companion.backOffice.request(`/reconciliation/migration?${query}`, {
    headers: { authorization: 'Bearer back-office-token-0123456789' },
  });
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => migrationLineSchema.parse(JSON.parse(line)));
  const summary = lines.at(-1);
  if (summary?.kind !== 'summary') throw new Error('there is no summary');
  const orders = lines.filter(
    (line): line is Extract<MigrationLine, { kind: 'order' }> => line.kind === 'order',
  );
  const unreadable = lines.filter(({ kind }) => kind === 'unreadable');
  return { companion, orders, summary, unreadable };
}

describe('specification 9: the same window through report and records', () => {
  test('of two parts alike each is compared with its own, in whatever order they come', async () => {
    const half = (status: string) => record('a', { status, transactionAmount: 50 });
    const { orders, summary } = await migrate(
      [half('RECONCILED'), half('AMOUNT_MISMATCH')],
      [half('UNRECONCILED'), half('RECONCILED')],
    );
    expect(summary.becomes.map(({ records, report }) => [records, report])).toEqual([
      ['RECONCILED', 'RECONCILED'],
      ['UNRECONCILED', 'AMOUNT_MISMATCH'],
      ['RECONCILED', 'RECONCILED'],
      ['UNRECONCILED', 'AMOUNT_MISMATCH'],
    ]);
    expect(orders).toHaveLength(1);
    expect(orders[0]?.fundings).toHaveLength(1);
  });

  test('says what UNRECONCILED becomes, order by order and as a table', async () => {
    const { orders, summary } = await migrate(
      [
        record('a'),
        record('b', { status: 'TYPE_MISMATCH' }),
        record('c', { status: 'AMOUNT_MISMATCH' }),
      ],
      [
        record('a'),
        record('b', { status: 'UNRECONCILED' }),
        record('c', { status: 'UNRECONCILED' }),
      ],
    );
    expect(orders.map(({ merchantOrderId, fundings }) => [merchantOrderId, fundings])).toEqual([
      ['b', [expect.objectContaining({ recordsV1: 'UNRECONCILED', report: 'TYPE_MISMATCH' })]],
      ['c', [expect.objectContaining({ recordsV2: 'UNRECONCILED', report: 'AMOUNT_MISMATCH' })]],
    ]);
    const one = { count: 1, amounts: { USD: 10_000 } };
    for (const version of [1, 2]) {
      expect(summary.becomes.filter((row) => row.version === version)).toEqual([
        { version, records: 'RECONCILED', report: 'RECONCILED', ...one },
        { version, records: 'UNRECONCILED', report: 'TYPE_MISMATCH', ...one },
        { version, records: 'UNRECONCILED', report: 'AMOUNT_MISMATCH', ...one },
      ]);
    }
    expect(summary).toMatchObject({ orders: 2, differs: {}, read: { report: 3, recordsV1: 3 } });
  });

  test('a date without a zone is in UTC, wherever the companion runs', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    const late = [record('a', { fundedAt: '2026-11-11T23:00:00' })];
    const { summary } = await migrate(late, late);
    expect(summary.read).toEqual({ report: 1, recordsV1: 1, recordsV2: 1 });
  });

  test('a sum that cannot be exact is none; what is counted beside it is told', async () => {
    const huge = { transactionAmount: 999_999_999_999 };
    const all = Array.from({ length: 100 }, (_, index) => record(`a-${index}`, huge));
    const { summary } = await migrate(all, all);
    expect(summary.becomes.map(({ count, amounts }) => [count, amounts])).toEqual([
      [100, { USD: null }],
      [100, { USD: null }],
    ]);
  });

  test('what is in one operation only is told, in both directions', async () => {
    const { orders, summary } = await migrate([record('new')], [record('old')], []);
    expect(orders.map(({ merchantOrderId }) => merchantOrderId)).toEqual(['new', 'old']);
    expect(summary.becomes).toContainEqual({
      version: 1,
      records: 'RECONCILED',
      count: 1,
      amounts: { USD: 10_000 },
    });
    expect(summary.becomes).toContainEqual({
      version: 2,
      report: 'RECONCILED',
      count: 1,
      amounts: { USD: 10_000 },
    });
  });

  test('another amount of the same transaction is a difference, not two fundings', async () => {
    const { orders, summary } = await migrate(
      [record('a')],
      [record('a', { transactionAmount: 99.99, lenderName: 'Meadow' })],
    );
    expect(orders).toMatchObject([
      { merchantOrderId: 'a', fundings: [{ differs: ['lenderName', 'transactionAmount'] }] },
    ]);
    expect(summary.differs).toEqual({ lenderName: 1, transactionAmount: 1 });
  });

  test('a record that cannot be held is told of, and the others are compared', async () => {
    const { orders, summary, unreadable } = await migrate(
      [
        record('a', { netAmount: 97.105 }),
        record('b', { status: 'NEW' }),
        record('c', { transactionAmount: null, merchantOrderId: 7 }),
      ],
      [record('a'), record('b'), record('c', { lenderName: undefined })],
      [record('a'), record('b')],
    );
    const at = { kind: 'unreadable', day: '2026-11-11' };
    expect(unreadable).toEqual([
      {
        ...{ ...at, operation: 'report', merchantOrderId: 'a' },
        reason: 'netAmount cannot be held in USD (amount-too-precise)',
      },
      {
        ...{ ...at, operation: 'report' },
        reason: 'transactionAmount is missing, or is no value that it may have',
      },
      {
        ...{ ...at, operation: 'recordsV1', merchantOrderId: 'c' },
        reason: 'lenderName is missing, or is no value that it may have',
      },
    ]);
    expect(summary.unreadable).toEqual({ report: 2, recordsV1: 1, recordsV2: 0 });
    expect(summary.read).toEqual({ report: 1, recordsV1: 2, recordsV2: 2 });
    expect(orders.map(({ merchantOrderId }) => merchantOrderId)).toEqual(['a', 'b']);
  });

  test('what is no record at all is told of, too', async () => {
    const companion = await createCompanion();
    const day = '2026-11-11';
    const giving = (records: unknown[]) => (call: UpstreamCall) => {
      const isAsked =
        call.query.get('fromDate')?.startsWith(day) && call.query.get('offset') === '0';
      return { status: 200, body: { records: isAsked ? records : [] } };
    };
    companion.service
      .on(REPORT, giving([null, 'Ada Quill', [], record('a')]))
      .on(RECORDS_V1, giving([record('a')]))
      .on(RECORDS_V2, giving([record('a')]));
    const path = '/reconciliation/migration?from=2026-11-10&to=2026-11-13';
    const response = await companion.backOffice.request(path, {
      headers: { authorization: 'Bearer back-office-token-0123456789' },
    });
    const text = await response.text();
    expect(text).not.toContain('Quill');
    const lines = text.trimEnd().split('\n');
    const told = { kind: 'unreadable', day, operation: 'report', reason: 'it is no record' };
    expect(lines.slice(0, 3).map((line): unknown => JSON.parse(line))).toEqual([told, told, told]);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      read: { report: 1, recordsV1: 1, recordsV2: 1 },
      unreadable: { report: 3, recordsV1: 0, recordsV2: 0 },
    });
  });

  test('two fundings that look the same are two', async () => {
    const { orders, summary } = await migrate(
      [record('a'), record('a')],
      [record('a'), record('a')],
      [record('a')],
    );
    expect(summary.read).toEqual({ report: 2, recordsV1: 2, recordsV2: 1 });
    expect(orders).toMatchObject([{ fundings: [{ report: 'RECONCILED' }] }]);
    expect(orders[0]?.fundings[0]).not.toHaveProperty('recordsV2');
  });

  test('each day is read by itself, from is in it and to is not; nothing is counted twice', async () => {
    const at = (order: string, fundedAt: string) => record(order, { fundedAt });
    const all = [
      at('before', '2026-11-09T23:59:59.999Z'),
      at('first', '2026-11-10T00:00:00.000Z'),
      at('midnight', '2026-11-11T00:00:00.000Z'),
      at('last', '2026-11-12T23:59:59.999Z'),
      at('after', '2026-11-13T00:00:00.000Z'),
    ];
    const { companion, summary } = await migrate(all, all);
    expect(summary.read).toEqual({ report: 3, recordsV1: 3, recordsV2: 3 });
    const asked = companion.service.callsTo(REPORT);
    expect(asked[0]?.query.get('showMissing')).toBe('true');
  });

  test('orders that name none come last, and money of two currencies is not summed', async () => {
    const nameless = { merchantOrderId: undefined, transactionId: undefined, status: 'MISSING' };
    const { orders } = await migrate(
      [record('x', nameless), record('z', { status: 'NEW' })],
      [record('z')],
    );
    expect(orders.map(({ merchantOrderId }) => merchantOrderId)).toEqual(['z', undefined]);
  });
});

test('a service that fails on the way cuts the answer off: there is no summary', async () => {
  const companion = await createCompanion();
  let asked = 0;
  companion.service
    .on(REPORT, (call) =>
      asked++ > 1 ? { status: 400, body: {} } : answering([record('a', { status: 'NEW' })])(call),
    )
    .on(RECORDS_V1, answering([]))
    .on(RECORDS_V2, answering([]));
  const query = 'from=2026-11-11&to=2026-11-14';
  const response = await companion.backOffice.request(`/reconciliation/migration?${query}`, {
    headers: { authorization: 'Bearer back-office-token-0123456789' },
  });
  await expect(response.text()).rejects.toThrow();
  expect(companion.log).toContainEqual(expect.objectContaining({ event: 'export-cut-off' }));
});

test.each(['', 'from=2026-11-10', 'from=2026-11-10&to=2026-11-10', 'from=x&to=2026-11-11'])(
  '?%s is refused',
  async (query) => {
    const companion = await createCompanion();
    const { status } = await companion.office(`/reconciliation/migration?${query}`);
    expect(status).toBe(400);
  },
);
