import { hash } from 'node:crypto';
import { Kysely } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../observe/logger.ts';
import { createCounters } from '../observe/counters.ts';
import { Calendar } from '../fundings/calendar.ts';
import {
  digest,
  historyService,
  type WireRecord,
  wireRecord,
} from '../fundings/history.fixture.ts';
import { repriceAll } from '../fundings/reprice.ts';
import { defaultSyncSettings } from '../fundings/settings.ts';
import { runSync } from '../fundings/sync.ts';
import { createWindows } from '../fundings/window.ts';
import { openPostgresBooks } from '../node/fundings/postgres-books.ts';
import { openSqliteBooks } from '../node/fundings/sqlite-books.ts';
import { appendToLedger } from '../store/ledger.ts';
import { databaseKinds } from '../store/databases.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { Schema } from '../store/schema.ts';
import { cashWalk } from './answers/money-answers.ts';
import { walkCsv } from './answers/walk-csv.ts';
import { exportText } from './export/export.ts';
import { createLedgerImport, type LedgerImportOptions } from './ledger/ledger-import.ts';
import { defaultPolicy, type JudgingPolicy } from './policy.ts';
import { inProcessWorker } from './recompute/in-process.ts';
import { createRecompute } from './recompute/recompute.ts';

const environment = 'sandbox';
const NOW = Date.UTC(2026, 2, 31, 12);
const day = '2026-03-02';
const clock = { now: () => NOW, after: () => () => undefined };

/** The way of the books and of the report to what is said of orders, on a database of its own. */
async function openWay(migrated: (typeof databaseKinds)[number]['migrated']) {
  const { at, dialect } = await migrated();
  const store = createKyselyStore({ dialect: dialect() });
  const db = new Kysely<Schema>({ dialect: dialect() });
  const books =
    'file' in at
      ? openSqliteBooks(at.file, environment)
      : openPostgresBooks(at.address, environment);
  onTestFinished(async () => {
    await books.close();
    await db.destroy();
    await store.close();
  });
  const imports = createLedgerImport({ environment, store, clock });
  let runs = 0;

  async function* bytes(text: string) {
    yield await Promise.resolve(new TextEncoder().encode(text));
  }

  return {
    db,
    book: (text: string, options?: LedgerImportOptions) => imports.run(bytes(text), options),
    async sync(records: WireRecord[]) {
      const { fetchPage } = historyService(records);
      const settings = { ...defaultSyncSettings, defaultCurrency: 'USD' };
      const windows = createWindows({ fetchPage, digest, settings });
      const options = { environment, books, windows, digest, holder: 'one', settings };
      return runSync(options, { runId: `run-${++runs}`, from: day, to: day });
    },
    /** As the companion itself does it. */
    async refund(merchantOrderId: string, amount: { value: number; currency: string }) {
      const entry = { environment, merchantOrderId, amount, chargeId: 'chg-1' } as const;
      const made = { type: 'Refund', state: 'accepted' } as const;
      const ids = { merchantTransactionId: 'txn_1', transactionId: undefined };
      await db
        .transaction()
        .execute((tx) => appendToLedger(tx, [{ ...entry, ...made, ...ids, occurredAt: NOW }], NOW));
      await store.projectLedger(environment, NOW);
    },
    reprice() {
      const calendar = new Calendar('UTC');
      return repriceAll({ books, calendar, defaultCurrency: 'USD', now: () => NOW });
    },
    /** @returns exports and a walk, as texts */
    async judge(change: Partial<JudgingPolicy> = {}) {
      const policy = { ...defaultPolicy, ...change };
      const worker = inProcessWorker({
        bulk: store.bulk,
        now: () => NOW,
        hash: (text) => hash('sha256', text),
        chunkRows: 100,
        surveyFrom: 1,
        rangeRows: 100,
      });
      const recompute = createRecompute({
        environment,
        store,
        worker,
        policy,
        policyHash: JSON.stringify(change),
        isComplete: () => Promise.resolve(true),
        clock,
        logger: silentLogger,
        counters: createCounters(),
      });
      expect(await recompute.full()).toMatchObject({ state: 'done', failed: 0 });
      const written = async (table: 'orders' | 'exceptions' | 'lines') => {
        const request = {
          table,
          format: 'csv',
          bom: false,
          decimal: 'point',
          zone: 'UTC',
        } as const;
        let text = '';
        for await (const piece of exportText(store, { ...request, query: { environment } }, NOW)) {
          text += piece;
        }
        return text;
      };
      const walk = await cashWalk({ environment, store, policy, now: NOW, complete: true }, {});
      return {
        orders: await written('orders'),
        exceptions: await written('exceptions'),
        lines: await written('lines'),
        walk: walkCsv(
          { ...walk, asOf: '', complete: true, unprovenDays: 0, quarantined: 0 },
          'point',
        ),
      };
    },
  };
}

const at = `${day}T00:00:00.000Z`;
/** A funding of an order. */
const posted = (index: number, merchantOrderId: string, change: Partial<WireRecord>) =>
  wireRecord(index, at, { merchantOrderId, ...change });

/** Rows of CSV without head, cells by name. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.trimEnd().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

describe.each(databaseKinds)('on $name', ({ migrated }) => {
  const yen = {
    transactionAmount: 12_000,
    discountAmount: 348,
    netAmount: 11_652,
    transactionId: 'txn-yen',
  };
  const dinar = (gross: number, discount: number, net: number, transactionId: string) => ({
    transactionAmount: gross,
    discountAmount: discount,
    netAmount: net,
    transactionId,
  });
  const fundings = [
    posted(1, 'yen', yen),
    posted(2, 'dinar', dinar(12.345, 0.358, 11.987, 'txn-dinar')),
    posted(3, 'short', dinar(9.995, 0.29, 9.705, 'txn-short')),
    posted(4, 'kept', dinar(1.5, 0.044, 1.456, 'txn-kept')),
  ];
  const contracts = [{ lender: 'Northway Credit', basisPoints: 290, returnedOnRefund: true }];
  const csv = [
    'merchantOrderId,type,amount,currency,date,transactionId',
    'yen,settle,12000,JPY,2026-03-01,txn-yen',
    'dinar,settle,12.345,KWD,2026-03-01,txn-dinar',
    'short,settle,10.000,KWD,2026-03-01,txn-short',
    'kept,settle,1.500,KWD,2026-03-01,txn-kept',
  ].join('\n');

  test.each(['the books first', 'the report first'])(
    'yen have no decimals and dinars three, all the way: %s',
    async (order) => {
      const way = await openWay(migrated);
      const isBooked = order === 'the books first';
      if (isBooked) await way.book(csv, { units: 'major' });
      // Taken for dollars, 1.5 can be held and 12.345 cannot.
      const quarantined = isBooked ? 0 : 3;
      expect(await way.sync(fundings)).toMatchObject({ state: 'complete', quarantined });
      if (!isBooked) {
        expect(await way.book(csv, { units: 'major' })).toMatchObject({ added: 4 });
        expect(await way.reprice()).toBe(4);
      }
      expect(await way.db.selectFrom('funding_quarantine').selectAll().execute()).toEqual([]);
      const { orders, exceptions, lines, walk } = await way.judge({ contracts });
      const stands = rowsOf(orders).map((row) => [
        ...[row.order, row.currency, row.headline],
        ...[row.expected_settle, row.funded_settle, row.discount, row.net],
      ]);
      expect(stands).toEqual([
        ['dinar', 'KWD', 'FUNDED', '12.345', '12.345', '0.358', '11.987'],
        ['kept', 'KWD', 'FUNDED', '1.500', '1.500', '0.044', '1.456'],
        ['short', 'KWD', 'AMOUNT_MISMATCH', '10.000', '9.995', '0.290', '9.705'],
        ['yen', 'JPY', 'FUNDED', '12000', '12000', '348', '11652'],
      ]);
      expect(rowsOf(exceptions).map(({ order, amount }) => [order, amount])).toEqual([
        ['short', '-0.005'],
      ]);
      const amounts = rowsOf(lines).map(({ source, order, amount }) => [source, order, amount]);
      expect(amounts).toContainEqual(['funding', 'short', '9.995']);
      expect(amounts).toContainEqual(['ledger', 'yen', '12000']);
      const steps = rowsOf(walk).map(
        ({ currency, step, amount }) => `${currency} ${step} ${amount}`,
      );
      expect(steps.filter((step) => step.includes('Unexplained'))).toEqual([
        'JPY Unexplained 0',
        'KWD Unexplained 0.000',
      ]);
      expect(steps).toContain('KWD Net posted by lenders 23.148');
      expect(steps).toContain('JPY Net posted by lenders 11652');
    },
  );

  test('a refund that the companion made of an order it had not known tells the currency of both', async () => {
    const way = await openWay(migrated);
    const settled = posted(1, 'yen', yen);
    await way.sync([settled]);
    await way.refund('yen', { value: 2_000, currency: 'JPY' });
    // As it was, and in the usual currency: its day does not show that it is in another one.
    await way.sync([settled]);
    const held = () =>
      way.db.selectFrom('fundings').select(['currency', 'transaction_amount']).execute();
    expect(await held()).toEqual([{ currency: 'USD', transaction_amount: 1_200_000 }]);
    expect(await way.reprice()).toBe(1);
    expect(await held()).toEqual([{ currency: 'JPY', transaction_amount: 12_000 }]);
  });

  test('what is let pass is counted in the smallest unit of each', async () => {
    const way = await openWay(migrated);
    const json = rowsOf(csv.replaceAll('\n', '\r\n')).map((row) => ({
      ...row,
      amount: Math.round(Number(row.amount) * (row.currency === 'KWD' ? 1_000 : 1)),
    }));
    await way.book(JSON.stringify(json));
    await way.sync(fundings);
    const headlineOf = async (minorUnits: number, basisPoints: number) => {
      const { orders } = await way.judge({ tolerance: { minorUnits, basisPoints } });
      return rowsOf(orders).find(({ order }) => order === 'short')?.headline;
    };
    expect(await headlineOf(4, 0)).toBe('AMOUNT_MISMATCH');
    expect(await headlineOf(5, 0)).toBe('FUNDED');
    // Of 10.000 five basis points are 0.005.
    expect(await headlineOf(0, 4)).toBe('AMOUNT_MISMATCH');
    expect(await headlineOf(0, 5)).toBe('FUNDED');
  });

  test('what differs in case or in its composition is another one; blanks around it are none of it', async () => {
    const way = await openWay(migrated);
    const names = ['Cafe\u0301-1', 'Caf\u00e9-1', 'CAF\u00c9-1', 'caf\u00e9-1'];
    await way.book(
      [
        'merchantOrderId,type,amount,currency,date,transactionId',
        ...names.map((name) => `${name},settle,100.00,USD,2026-03-01,${name}`),
        'ids,settle,70.00,USD,2026-03-01,txn-a',
        '  blanks ,settle,50.00,USD,2026-03-01, txn-b\u00a0',
      ].join('\n'),
      { units: 'major' },
    );
    const paid = (name: string, index: number) =>
      posted(index, name, {
        transactionAmount: 100,
        transactionId: name,
        netAmount: 98.5,
        // Of the lender’s references, too.
        lenderReferenceId: name,
      });
    const records = [
      paid(names[0] ?? '', 1),
      paid(names[3] ?? '', 2),
      paid(` ${names[1] ?? ''}\t`, 3),
      // Of another amount each: not even that matches.
      posted(4, 'ids', { transactionId: 'TXN-A', transactionAmount: 60, netAmount: 58.5 }),
      posted(5, '\u00a0blanks ', {
        transactionId: 'txn-b ',
        transactionAmount: 40,
        netAmount: 38.5,
      }),
      // Of no order, but of a transaction.
      posted(6, ' ', { transactionId: ' ', merchantTransactionId: ' ', lenderReferenceId: ' LR' }),
    ];
    expect(await way.sync(records)).toMatchObject({ state: 'complete', changed: 6 });
    // Filed under another order by what read it before: it is found again, and filed anew.
    await way.db
      .updateTable('fundings')
      .set({ order_key: 'order:blanks ' })
      .where('order_key', '=', 'order:blanks')
      .execute();
    expect(await way.sync(records)).toMatchObject({ state: 'complete', changed: 1 });
    const held = await way.db.selectFrom('fundings').selectAll().orderBy('id').execute();
    expect(held.find(({ merchant_order_id: order }) => order === null)).toMatchObject({
      ...{ id: `${day}:r.LR.Settle`, order_key: 'funding:r.LR.Settle', transaction_id: null },
    });
    const { orders } = await way.judge();
    const stands = rowsOf(orders).map(({ order = '', headline, exceptions }) => [
      order,
      headline,
      exceptions,
    ]);
    const byCodeUnit = (one: unknown[], other: unknown[]) =>
      String(one[0]) < String(other[0]) ? -1 : 1;
    expect(stands.sort(byCodeUnit)).toEqual(
      [
        [names[0], 'FUNDED', ''],
        [names[1], 'FUNDED', ''],
        [names[2], 'MISSING_AT_LENDER', 'MISSING_AT_LENDER'],
        [names[3], 'FUNDED', ''],
        ['', 'NOT_IN_LEDGER', 'NOT_IN_LEDGER'],
        ['blanks', 'AMOUNT_MISMATCH', 'AMOUNT_MISMATCH'],
        ['ids', 'LINE_NOT_IN_LEDGER', 'LINE_NOT_IN_LEDGER MISSING_AT_LENDER'],
      ].sort(byCodeUnit),
    );
  });
});
