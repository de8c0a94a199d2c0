import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '../../platform/duckdb.ts';

import {
  exceptionCodes,
  usualCaseDays,
  headlines,
} from '@financing-checkout/contract/reconciliation';
import { calendarOf } from '@financing-checkout/reconciliation-rules';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { borrowAnalytics } from '../../analytics/analytics.fixture.ts';
import { caseRecord } from '../../cases/record.ts';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { addOrders, DAY_MS, insert, NOW } from '../../statuses/orders.fixture.ts';
import { orders as randomOrders } from '../../statuses/random-orders.fixture.ts';
import { caseOrder } from '../cases/case-order.ts';
import { caseRows } from '../cases/cases.ts';
import { writeRecords } from './export-records.ts';
import type { ExportRequest } from './export-rows.ts';
import { linesOfOrders } from '../orders/order-lines.ts';
import { statusRecords } from '../orders/status-records.ts';

const caseDays = usualCaseDays();
const terms = { now: NOW, today: NOW, days: caseDays, aliases: {} };
const calendar = calendarOf({ default: 3, lenders: {}, zone: 'America/New_York' } as never);

async function open() {
  const { database, folder } = await borrowAnalytics({
    facts: { id: 'store-1', head: () => Promise.resolve(0) },
    fill: () => Promise.resolve(),
  });
  const path = join(folder, 'records.ndjson');
  async function exported(table: ExportRequest['table']): Promise<unknown[]> {
    const request: ExportRequest = {
      table,
      query: {},
      format: 'ndjson',
      zone: 'UTC',
      bom: false,
      decimal: 'point',
      times: 'iso',
    };
    await database.read((connection) => writeRecords(connection, path, request, terms));
    return (await readFile(path, 'utf8')).split('\n').slice(0, -1).map(parsed);
  }
  const read = <Result>(work: (connection: DuckDBConnection) => Promise<Result>) =>
    database.read(work);
  return { database, exported, read };
}

/** Parses a record without null or false fields, which the API omits. */
const parsed = (record: string): unknown =>
  JSON.parse(record, (name, value: unknown) =>
    value === null || (name === 'currencyAssumed' && value === false) ? undefined : value,
  );
const recordsOf = (records: readonly object[]) => records.map((row) => parsed(JSON.stringify(row)));

const amount = fc.constantFrom(0, 0, 1, -1, 12_345, 100, 900_719_925_474_099, -5_000);
const moment = fc
  .record({ days: fc.integer({ min: 0, max: 300 }), rest: fc.integer({ min: 0, max: 86_399_999 }) })
  .map(({ days, rest }) => NOW - days * DAY_MS + rest);
const key = fc
  .tuple(
    fc.constantFrom('order:A-1', 'order:"\\\u0001\n', 'funding:x', 'order:ü’', 'order:'),
    fc.nat(99),
  )
  .map((parts) => parts.join(''));
const place = {
  order_key: key,
  currency: fc.constantFrom('USD', 'JPY', 'KWD', '', 'XXX'),
};
const status = fc.record({
  ...place,
  funding: fc.constant('FUNDED'),
  returns: fc.constant('NONE'),
  headline: fc.constantFrom(...headlines),
  expected_settle: amount,
  expected_refund: amount,
  funded_settle: amount,
  funded_refund: amount,
  funded_chargeback: amount,
  funded_reversal: amount,
  discount: amount,
  net: amount,
  awaiting: amount,
  recheck_at: fc.option(moment),
  judged: fc.constant(1),
  computed_at: moment,
  changed_at: moment,
  assumed: fc.boolean(),
});
const exception = fc.record({
  code: fc.constantFrom(...exceptionCodes),
  amount,
  count: fc.constantFrom(0, 1, 2, 17),
  since: moment,
});
const judged = fc.uniqueArray(
  fc.record({
    status,
    exceptions: fc.uniqueArray(exception, { maxLength: 4, selector: ({ code }) => code }),
  }),
  {
    minLength: 250,
    maxLength: 250,
    selector: ({ status: { order_key, currency } }) => `${currency} ${order_key}`,
  },
);

test('writes orders, without sentences, and exceptions in the format of the API', async () => {
  const { database, exported, read } = await open();
  await fc.assert(
    fc.asyncProperty(judged, async (list) => {
      await database.write(async (connection) => {
        await connection.run('delete from order_statuses; delete from order_exceptions');
      });
      await insert(
        database,
        'order_statuses',
        list.map((one) => one.status),
      );
      await insert(
        database,
        'order_exceptions',
        list.flatMap(({ status: { order_key, currency, assumed }, exceptions }) =>
          exceptions.map((row) => ({ order_key, currency, ...row, content_hash: 'x', assumed })),
        ),
      );
      const records = await read((connection) =>
        statusRecords(connection, {}, { limit: 1_000, calendar }),
      );
      const isFunding = records.map(({ merchantOrderId }) => merchantOrderId === undefined);
      expect(isFunding).toEqual(isFunding.toSorted());
      expect(await exported('orders')).toEqual(
        recordsOf(records.map((record) => ({ ...record, reasons: undefined }))),
      );
      const ofOrders = records.flatMap(
        ({ orderKey, merchantOrderId, currency, currencyAssumed, exceptions }) =>
          exceptions.map((row) => ({
            orderKey,
            merchantOrderId,
            currency,
            currencyAssumed,
            ...row,
          })),
      );
      expect(await exported('exceptions')).toEqual(recordsOf(ofOrders));
    }),
    { numRuns: 4 },
  );
});

test('writes lines and cases in the format of the API', async () => {
  const { database, exported, read } = await open();
  const list = fc.sample(randomOrders, { numRuns: 40, seed: 7 }).flat();
  const unique = [...new Map(list.map((order) => [order.orderKey, order])).values()];
  await addOrders(database, unique);
  const found = await read((connection) =>
    linesOfOrders(
      connection,
      unique.map(({ orderKey }) => orderKey),
    ),
  );
  const iso = (time: number) => new Date(time).toISOString();
  const lines = found.flatMap(({ orderKey, currency, ledger, fundings }) => {
    const order = { orderKey, merchantOrderId: merchantOrderIdOf(orderKey), currency };
    return [
      ...ledger.map((line) => ({
        ...order,
        source: 'ledger',
        line: { ...line, occurredAt: iso(line.occurredAt) },
      })),
      ...fundings.map((line) => ({
        ...order,
        source: 'funding',
        line: { ...line, fundedAt: iso(line.fundedAt), updatedAt: iso(line.updatedAt) },
      })),
    ];
  });
  // The order of the CSV: by key, currency, ledger lines first, ID; in the binary collation, and
  // fundings without an order last.
  const placeOf = ({ orderKey, currency, source, line, merchantOrderId }: (typeof lines)[number]) =>
    Buffer.from(
      [
        merchantOrderId === undefined ? '2' : '1',
        ...[orderKey, currency, source === 'ledger' ? '1' : '2', line.id],
      ].join('\0'),
    );
  lines.sort((a, b) => Buffer.compare(placeOf(a), placeOf(b)));
  expect(lines.length).toBeGreaterThan(100);
  expect(await exported('lines')).toEqual(recordsOf(lines));

  const opened = {
    opened_at: NOW,
    open_since: NOW + 2,
    snoozed_content: 'x',
    updated_at: NOW + 1,
    content_hash: 'x',
    number: 1,
  };
  const cases = fc.sample(
    fc.record({
      ...place,
      code: fc.constantFrom(...exceptionCodes),
      state: fc.constantFrom('open', 'ignored'),
      amount,
      count: fc.constant(2),
      since: moment,
      assignee: fc.option(fc.constant('Inés "I" \\')),
      reason: fc.option(fc.constant('a\nb')),
      alerted_at: fc.option(moment),
      snoozed_until: fc.option(fc.constantFrom(NOW - 1, NOW + 1)),
      merged_into: fc.option(fc.constantFrom('case_100', 'case_101')),
    }),
    60,
  );
  await insert(
    database,
    'cases',
    cases.map((row, index) => {
      const id = `case_${100 + index}`;
      const body = {
        id,
        orderKey: row.order_key,
        currency: row.currency,
        code: row.code,
        state: row.state,
        amount: row.amount,
        count: row.count,
        since: row.since,
        contentHash: opened.content_hash,
        assignee: row.assignee ?? undefined,
        reason: row.reason ?? undefined,
        openedAt: opened.opened_at,
        openSince: opened.open_since,
        updatedAt: opened.updated_at,
        alertedAt: row.alerted_at ?? undefined,
        snoozedUntil: row.snoozed_until ?? undefined,
        snoozedContent: opened.snoozed_content,
        mergedInto: row.merged_into ?? undefined,
        mentions: [],
      };
      return { id, ...row, ...opened, body: JSON.stringify(body) };
    }),
  );
  const rows = await read((connection) =>
    caseRows(connection, {}, terms, { order: caseOrder('money'), limit: 100 }),
  );
  expect(await exported('cases')).toEqual(
    // No file contains the permitted actions, because they change with the next action.
    recordsOf(rows.map((row) => ({ ...caseRecord(row, NOW, caseDays), can: undefined }))),
  );
});
