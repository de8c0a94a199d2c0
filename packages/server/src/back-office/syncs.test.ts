import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import {
  coverageSchema,
  fundingSlicesSchema,
  orderExplanationSchema,
  problemSchema,
  syncSchema,
  syncsSchema,
} from '@financing-checkout/contract';
import { Kysely } from 'kysely';
import { expect, inject, type MockInstance, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { BACK_OFFICE_TOKEN, createCompanion, PRIVATE_KEY } from '../companion.fixture.ts';
import { readPostgresUrl } from '../config/postgres-url.ts';
import { addDays } from '../fundings/calendar.ts';
import { wireHistory, wireRecord } from '../fundings/history.fixture.ts';
import { repricingImport } from '../fundings/repricing-import.ts';
import { syncingCompanion } from '../fundings/syncing.fixture.ts';
import { Secret } from '../keys/secret.ts';
import { postgresDialect } from '../node/postgres.ts';
import { createRecomputeWorker } from '../node/recompute-worker.ts';
import { sqliteDialect } from '../node/sqlite.ts';
import { createReconciliation } from '../reconciliation/index.ts';
import { createLedgerImport } from '../reconciliation/ledger/ledger-import.ts';
import { defaultPolicy } from '../reconciliation/policy.ts';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import type { Schema } from '../store/schema.ts';

const range = { from: '2026-03-01', to: '2026-03-05' };
const authorization = `Bearer ${BACK_OFFICE_TOKEN}`;

/** The events of a sync, to the end. */
async function eventsOf(companion: Awaited<ReturnType<typeof syncingCompanion>>, id: string) {
  const response = await companion.backOffice.request(`/reconciliation/syncs/${id}/events`, {
    headers: { authorization },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const blocks = (await response.text()).trimEnd().split('\n\n');
  return blocks.map((block) => {
    const [event, data = ''] = block.split('\n');
    expect(event).toBe('event: sync');
    return syncSchema.parse(JSON.parse(data.slice('data: '.length)));
  });
}

test('a sync of days that nobody can mean is refused: all after them would have to be proven', async () => {
  const companion = await syncingCompanion(wireHistory(1, range.from, 1));
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  const ask = (from: string) =>
    companion.officePost('/reconciliation/syncs', { from, to: addDays(from, 1) });
  // A day off either way: midnight may pass meanwhile.
  const { status, body } = await ask(addDays(today, -4_002));
  expect(status).toBe(400);
  const [error] = problemSchema.parse(body).errors ?? [];
  expect(error?.path).toBe('from');
  expect(error?.message).toMatch(/^must be \d{4}-\d\d-\d\d or later$/);
  expect((await ask(addDays(today, -3_999))).status).toBe(202);
});

test('a sync is begun, followed to its end, listed, and its days are proven', async () => {
  const companion = await syncingCompanion(wireHistory(200, range.from, 5));
  const begun = await companion.officePost('/reconciliation/syncs', range);
  expect(begun.status).toBe(202);
  const { id, state } = syncSchema.parse(begun.body);
  expect(state).toBe('running');

  const events = await eventsOf(companion, id);
  expect(events.at(-1)).toMatchObject({
    id,
    ...range,
    state: 'complete',
    slices: { planned: 5, done: 5, unproven: 0 },
    records: 200,
    changed: 200,
  });
  const one = await companion.office(`/reconciliation/syncs/${id}`);
  expect(syncSchema.parse(one.body)).toEqual(events.at(-1));
  const list = await companion.office('/reconciliation/syncs');
  expect(syncsSchema.parse(list.body).syncs).toEqual([events.at(-1)]);

  const { body } = await companion.office('/reconciliation/slices?from=2026-03-02&to=2026-03-03');
  const { slices } = fundingSlicesSchema.parse(body);
  expect(slices.map(({ day, state, passes }) => [day, state, passes])).toEqual([
    ['2026-03-02', 'complete', 2],
    ['2026-03-03', 'complete', 2],
  ]);
  expect(slices[0]?.sums.USD?.count).toBe(slices[0]?.records);
  // The key was sent to the service, and to nobody else.
  expect(companion.upstream.calls.length).toBeGreaterThan(10);
  expect(companion.answers.join()).not.toContain(PRIVATE_KEY);
});

test('a sync whose database cannot be used says so, and the log says why', async () => {
  const url = await createDatabase(inject('postgresUrl'));
  const companion = await syncingCompanion([], {
    store: { kind: 'postgres', name: 'postgres://database', url: new Secret(url) },
  });
  const migrated = createKyselyStore({
    dialect: postgresDialect({ address: readPostgresUrl(url) }),
  });
  await migrated.migrate();
  await migrated.close();
  const name = new URL(url).pathname.slice(1);
  await askPostgres(
    inject('postgresUrl'),
    `alter database ${name} set default_transaction_read_only = on`,
  );
  const { status, body, headers } = await companion.officePost('/reconciliation/syncs', range);
  expect([status, body.code]).toEqual([503, 'store-unavailable']);
  expect(headers.get('retry-after')).toBe('5');
  expect(companion.log).toContainEqual(
    expect.objectContaining({ event: 'store-unavailable', code: '25006' }),
  );
  expect(companion.log.some(({ event }) => event === 'request-failed')).toBe(false);
});

test('a second sync is refused while one is under way, and the first ends well', async () => {
  const companion = await syncingCompanion(wireHistory(200, range.from, 5));
  const held = Promise.withResolvers<undefined>();
  companion.history.before = () => held.promise;
  const first = await companion.officePost('/reconciliation/syncs', range);
  expect(first.status).toBe(202);
  const second = await companion.officePost('/reconciliation/syncs', range);
  expect(second.status).toBe(409);
  expect(problemSchema.parse(second.body)).toMatchObject({ code: 'sync-busy', retrySafe: true });
  held.resolve(undefined);
  const events = await eventsOf(companion, syncSchema.parse(first.body).id);
  expect(events.at(-1)?.state).toBe('complete');
});

test('who follows a sync that goes on is let go when the companion ends', async () => {
  const companion = await syncingCompanion(wireHistory(200, range.from, 5));
  const held = Promise.withResolvers<undefined>();
  companion.history.before = () => held.promise;
  const { id } = syncSchema.parse(
    (await companion.officePost('/reconciliation/syncs', range)).body,
  );
  const ending = new AbortController();
  const { store } = companion;
  const replica = await createCompanion({ store, clock: systemClock, ending: ending.signal });
  const events = eventsOf({ ...companion, backOffice: replica.backOffice }, id);
  ending.abort();
  expect((await events).map(({ state }) => state)).toEqual(['running']);
  held.resolve(undefined);
});

test('who follows a sync that fails in the middle is let go: nobody reads it any more', async () => {
  const companion = await syncingCompanion(wireHistory(200, range.from, 5));
  const held = Promise.withResolvers<undefined>();
  companion.history.before = () => held.promise;
  const { id } = syncSchema.parse(
    (await companion.officePost('/reconciliation/syncs', range)).body,
  );
  const events = eventsOf(companion, id);
  const database = new DatabaseSync(companion.file);
  database.exec('alter table funding_slices rename to gone');
  database.close();
  held.resolve(undefined);
  expect((await events).at(-1)).toMatchObject({ id, state: 'running' });
});

test('nobody is told of a sync who asked for the head of the answer alone', async () => {
  const companion = await syncingCompanion(wireHistory(200, range.from, 5));
  const held = Promise.withResolvers<undefined>();
  companion.history.before = () => held.promise;
  const { id } = syncSchema.parse(
    (await companion.officePost('/reconciliation/syncs', range)).body,
  );
  const { store } = companion;
  const replica = await createCompanion({ store });
  const looks = vi.spyOn(store, 'syncRun');
  const { status, headers } = await replica.backOffice.request(
    `/reconciliation/syncs/${id}/events`,
    { method: 'HEAD', headers: { authorization } },
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  looks.mockClear();
  for (let second = 0; second < 5; second++) {
    replica.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(looks).not.toHaveBeenCalled();
  held.resolve(undefined);
});

test('a sync that is to stop does not read its day to the end, and says nothing of it', async () => {
  const day = { from: range.from, to: range.from };
  const companion = await syncingCompanion(wireHistory(600, range.from, 1));
  let stopped: Promise<void> | undefined;
  let calls = 0;
  companion.history.before = () => {
    if (++calls === 5) stopped = companion.fundingsSync.stop();
    return Promise.resolve(undefined);
  };
  await expect(companion.fundingsSync.run(day)).rejects.toThrow('asked to stop');
  await stopped;
  expect(calls).toBeLessThan(15);
  const { body } = await companion.office('/reconciliation/slices');
  expect(fundingSlicesSchema.parse(body).slices).toEqual([]);
  expect(await companion.fundingsSync.run(day)).toMatchObject({ state: 'complete', resumed: 1 });
});

test('a partial sync is partial everywhere: in the run, in the slices, in the coverage', async () => {
  const companion = await syncingCompanion([
    ...wireHistory(50, range.from, 5),
    wireRecord(900, '2026-03-04T00:00:00.000Z', { transactionAmount: 1.001 }),
  ]);
  const { fetchPage } = companion.history;
  companion.history.fetchPage = (query) =>
    query.to.startsWith('2026-03-01')
      ? Promise.resolve({ kind: 'failed', reason: 'down' })
      : fetchPage(query);
  companion.fail({ status: 400, body: { requestId: 'svc-1', message: 'no' } });
  const down = await companion.fundingsSync.run(range);
  const reason = 'the service gave no pages: rejected with 400';
  expect(down).toMatchObject({ state: 'failed', reason });
  companion.fail({ status: 401 });
  expect(await companion.fundingsSync.run(range)).toMatchObject({
    state: 'failed',
    reason: 'the service gave no pages: key-rejected',
  });

  companion.fail(undefined);
  companion.upstream.on('GET /v2/post-sale/fundings/report', async ({ query }) =>
    query.get('toDate')?.startsWith('2026-03-01')
      ? { status: 400, body: { message: 'no' } }
      : {
          status: 200,
          text: await fetchPage({
            from: query.get('fromDate') ?? '',
            to: query.get('toDate') ?? '',
            offset: Number(query.get('offset')),
            limit: Number(query.get('limit')),
          }).then((page) =>
            new TextDecoder().decode(page.kind === 'page' ? page.bytes : undefined),
          ),
        },
  );
  const partial = await companion.fundingsSync.run(range);
  expect(partial).toMatchObject({ state: 'partial', quarantined: 1 });
  const { body } = await companion.office('/reconciliation/coverage');
  const coverage = coverageSchema.parse(body);
  expect(coverage).toMatchObject({
    from: '2026-03-01',
    to: new Date().toISOString().slice(0, 10),
    quarantined: [
      {
        day: '2026-03-04',
        merchantOrderId: 'A-900',
        reason: 'transactionAmount: amount-too-precise',
      },
    ],
    last: { state: 'partial' },
  });
  // Three days are proven; two failed, and since then nobody has read one.
  expect(coverage.unprovenDays).toBe(coverage.days - 3);
  expect(coverage.unproven.slice(0, 3)).toEqual([
    { day: '2026-03-02', state: 'failed', reason: 'rejected with 400' },
    { day: '2026-03-01', state: 'failed', reason: 'rejected with 400' },
    { day: coverage.to, state: 'never read' },
  ]);
  const failed = await companion.office('/reconciliation/slices?state=failed');
  expect(fundingSlicesSchema.parse(failed.body).slices).toMatchObject([
    { day: '2026-03-01', state: 'failed', reason: 'rejected with 400' },
    { day: '2026-03-02', state: 'failed', reason: 'rejected with 400' },
  ]);
});

test('the first sync of all, cut off after its newest days, is not called proven', async () => {
  const companion = await syncingCompanion([]);
  const day = (back: number) => addDays(new Date().toISOString().slice(0, 10), -back);
  await companion.fundingsSync.run({ from: day(4), to: day(0) });
  const covered = async () => {
    const { body } = await companion.office('/reconciliation/coverage');
    const { from, unprovenDays } = coverageSchema.parse(body);
    return { from, unprovenDays };
  };
  expect(await covered()).toEqual({ from: day(4), unprovenDays: 0 });
  // As a process leaves it that is killed.
  const db = new Kysely<Schema>({ dialect: sqliteDialect(companion.file) });
  await db
    .updateTable('funding_runs')
    .set({ state: 'running', from_day: day(9) })
    .execute();
  await db.destroy();
  expect(await covered()).toEqual({ from: day(9), unprovenDays: 5 });
});

test('a day is not called proven where the one after it was read in another zone', async () => {
  const companion = await syncingCompanion([]);
  const day = (back: number) => addDays(new Date().toISOString().slice(0, 10), -back);
  await companion.fundingsSync.run({ from: day(4), to: day(0) });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(companion.file) });
  const zone = 'America/New_York';
  await db.updateTable('funding_slices').set({ zone }).where('day', '>=', day(2)).execute();
  await db.destroy();
  const { body } = await companion.office('/reconciliation/coverage');
  expect(coverageSchema.parse(body).unproven).toEqual([
    { day: day(3), state: 'stale', reason: 'read in another time zone than the day after it' },
  ]);
});

test('what is asked wrongly is said by its field', async () => {
  const companion = await createCompanion();
  const wrong: [unknown, string][] = [
    [{ from: '2026-03-01' }, ''],
    [{ from: '2026-03-02', to: '2026-03-01' }, 'from'],
    [{ from: 'soon', to: '2026-03-01' }, 'from'],
    // A year with a digit too few: hundreds of thousands of days.
    [{ from: '0206-03-01', to: '2026-03-01' }, 'from'],
    [{ days: 3 }, ''],
  ];
  for (const [body, path] of wrong) {
    const answer = await companion.officePost('/reconciliation/syncs', body);
    expect(answer.status).toBe(400);
    expect(problemSchema.parse(answer.body).errors?.map((error) => error.path)).toContain(path);
  }
  expect((await companion.office('/reconciliation/slices?from=x')).status).toBe(400);
  expect((await companion.office('/reconciliation/syncs?before=x')).status).toBe(400);
  expect((await companion.office('/reconciliation/syncs/sync_nobody')).status).toBe(404);
  expect((await companion.office('/reconciliation/syncs/sync_nobody/events')).status).toBe(404);
  // A companion on a runtime without threads has no sync of its own.
  expect((await companion.officePost('/reconciliation/syncs', {})).status).toBe(404);
});

test('before anything was read nothing is covered', async () => {
  const companion = await createCompanion();
  const { body } = await companion.office('/reconciliation/coverage');
  expect(coverageSchema.parse(body)).toEqual({
    zone: 'UTC',
    days: 0,
    unproven: [],
    unprovenDays: 0,
    records: 0,
    quarantined: [],
  });
});

test('an import that was a mistake is undone: status, case and currency are as before it', async () => {
  const companion = await syncingCompanion([wireRecord(1, '2026-03-02T00:00:00.000Z')]);
  await companion.fundingsSync.run(range);
  const { file, fundingsSync, store } = companion;
  const worker = createRecomputeWorker({ kind: 'sqlite', file }, store);
  const books = { environment: 'sandbox' as const, store, clock: systemClock };
  const reconciliation = await createReconciliation({ ...books, worker, policy: defaultPolicy });
  onTestFinished(() => reconciliation.stop());
  const imports = repricingImport({
    ...books,
    imports: createLedgerImport(books),
    sync: fundingsSync,
  });
  const send = async (text: string, withdraw: boolean) => {
    const report = await imports.run(Readable.from([Buffer.from(text)]), { withdraw });
    await reconciliation.catchUp();
    return report;
  };
  const explained = async (order: string) => {
    const path = `/reconciliation/orders/order%3A${order}`;
    return orderExplanationSchema.parse((await companion.office(path)).body);
  };
  const line = (order: string) =>
    `{"merchantOrderId":"${order}","type":"settle","amount":99,"currency":"EUR","date":"2026-03-01","transactionId":"t-${order}"}`;
  await reconciliation.catchUp();
  const before = await explained('A-1');
  const lines = `${line('A-1')}\n${line('A-2')}\n`;
  expect(await send(lines, false)).toMatchObject({ applied: true, added: 2 });
  expect((await explained('A-1')).currencies.map(({ currency }) => currency)).toEqual(['EUR']);
  expect((await explained('A-2')).currencies).toHaveLength(1);
  expect(await send(lines, true)).toMatchObject({ applied: true, withdrawn: 2 });
  const after = await explained('A-1');
  expect(after.currencies.map(({ currency, reasons }) => [currency, reasons])).toEqual(
    before.currencies.map(({ currency, reasons }) => [currency, reasons]),
  );
  expect(after.timeline.map(({ what, amount }) => [what, amount])).toContainEqual([
    'Settle withdrawn',
    99,
  ]);
  expect((await explained('A-2')).currencies).toEqual([]);
});

test('ledger lines that come after the fundings put their currency right, in the thread', async () => {
  const companion = await syncingCompanion([
    wireRecord(1, '2026-03-02T00:00:00.000Z', {
      transactionAmount: 1000,
      discountAmount: 0,
      netAmount: 1000,
    }),
  ]);
  await companion.fundingsSync.run(range);
  const { store, fundingsSync: sync } = companion;
  const books = { environment: 'sandbox' as const, store, clock: systemClock };
  const report = await repricingImport({ ...books, sync, imports: createLedgerImport(books) }).run(
    ReadableStream.from([
      new TextEncoder().encode(
        '{"merchantOrderId":"A-1","type":"settle","amount":1000,"currency":"JPY","date":"2026-03-01","transactionId":"txn-1"}\n',
      ),
    ]),
  );
  expect(report).toMatchObject({ applied: true, added: 1 });
  const sums = async () => {
    const path = '/reconciliation/slices?from=2026-03-02&to=2026-03-02';
    const { body } = await companion.office(path);
    return fundingSlicesSchema.parse(body).slices[0]?.sums;
  };
  const inYen = { JPY: { count: 1, transaction: '1000', discount: '0', net: '1000' } };
  expect(await sums()).toEqual(inYen);
  await companion.fundingsSync.run(range);
  expect(await sums()).toEqual(inYen);
});

test('an import that a companion left in the middle puts currencies right when it is carried through', async () => {
  const companion = await syncingCompanion(
    [1, 2, 3, 4].map((number) => wireRecord(number, '2026-03-02T00:00:00.000Z')),
  );
  await companion.fundingsSync.run(range);
  const { file, fundingsSync, store } = companion;
  let now = Date.now();
  const clock = { ...systemClock, now: () => now };
  const books = { environment: 'sandbox' as const, store, clock };
  const imports = repricingImport({
    ...books,
    imports: createLedgerImport(books),
    sync: fundingsSync,
  });
  const leave = async (order: string, ended: MockInstance) => {
    const text = `{"merchantOrderId":"${order}","type":"settle","amount":99,"currency":"EUR","date":"2026-03-01","transactionId":"t-${order}"}\n`;
    await expect(imports.run(Readable.from([Buffer.from(text)]))).rejects.toThrow('it was ended');
    ended.mockRestore();
    now += 3_600_000;
  };
  const applying = () =>
    vi.spyOn(store, 'applyStaged').mockRejectedValueOnce(new Error('it was ended'));
  const pricing = () =>
    vi.spyOn(fundingsSync, 'reprice').mockRejectedValueOnce(new Error('it was ended'));
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const inEuros = () =>
    database.prepare("select order_key from fundings where currency = 'EUR'").all().length;

  await leave('A-1', applying());
  expect(inEuros()).toBe(0);
  expect(await imports.resume()).toBe(1);
  expect(inEuros()).toBe(1);
  // Also by the next import, whatever comes of it.
  await leave('A-2', applying());
  expect(await imports.run(Readable.from([]), { dryRun: true })).toMatchObject({ applied: false });
  expect(inEuros()).toBe(2);
  // Its lines were in the books, and that was as far as it came.
  await leave('A-3', pricing());
  expect(inEuros()).toBe(2);
  expect(await imports.resume()).toBe(0);
  expect(inEuros()).toBe(3);
  await leave('A-4', pricing());
  const another = { environment: books.environment, id: 'another' };
  const began = await store.beginImport(another, { action: 'add', source: 'api' }, now, now);
  expect(began).toBe(true);
  // It is cleared away, and still nobody has priced.
  for (const lines of [0, 0]) {
    now += 3_600_000;
    expect(await imports.resume()).toBe(lines);
  }
  expect(inEuros()).toBe(4);
  const priced = vi.spyOn(fundingsSync, 'reprice');
  expect(await imports.resume()).toBe(0);
  expect(priced).not.toHaveBeenCalled();
});
