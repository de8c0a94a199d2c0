import { DatabaseSync } from 'node:sqlite';
import type { UnclearOperation } from '@financing-checkout/contract/back-office';
import type { Today, TrailVerification } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import type { LogFields } from '../platform/log.ts';
import { commandsOf } from '../cli/cli.fixture.ts';
import { configure, run, type Running, shopDays, startShop, until } from '../program.fixture.ts';

const DAY_MS = 86_400_000;

/** A program whose log the test reads, and whose clock the test advances. */
async function watch() {
  const logged: { event: string; fields: LogFields | undefined }[] = [];
  let later = 0;
  const shop = await startShop(0);
  const config = configure(shop, {
    RECONCILIATION_ALERT_URL: 'http://127.0.0.1:9/alerts',
    RECONCILIATION_ALERT_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const program = await run(config, {
    clock: { ...systemClock, now: () => Date.now() + later },
    logger: { log: (_level, event, fields) => void logged.push({ event, fields }) },
  });
  return {
    ...program,
    shop,
    sync: () => program.sync(shopDays()),
    of: (event: string) => logged.filter((line) => line.event === event).map((line) => line.fields),
    nextDay: async () => {
      later += DAY_MS;
      await program.engine.leader?.tick();
    },
    meddle: (sql: string) => {
      const database = new DatabaseSync(config.store.url.reveal().replace(/^sqlite:/, ''));
      database.exec(sql);
      database.close();
    },
  };
}

test('logs the head of the trail at the end of each sync and each day, as an anchor', async () => {
  const { sync, of, get, nextDay } = await watch();
  await sync();
  const [first] = of('trail-anchor');
  expect(first?.anchor).toMatch(/^\d+:[0-9a-f]{64}$/);
  await nextDay();
  expect(of('trail-anchor')).toHaveLength(2);
  const path = `/trail/verification?anchor=${first?.anchor}`;
  expect(await get<TrailVerification>(path)).toMatchObject({ valid: true });
  expect(of('trail-broken')).toEqual([]);
});

test('detects a truncated trail in the check of the next day', async () => {
  const { sync, of, meddle, nextDay } = await watch();
  await sync();
  await nextDay();
  meddle(
    `delete from trail; delete from cases; update trail_head set seq = 0, hash = '${'0'.repeat(64)}'`,
  );
  expect(of('trail-broken')).toEqual([]);
  await nextDay();
  const reason = '1 is missing: the anchor is after the end';
  expect(of('trail-broken')).toMatchObject([{ reason }]);
});

test('names the number of the first broken event in the command', async () => {
  const { sync, meddle, ...program } = await watch();
  await sync();
  meddle(`update trail set actor = 'mallory' where seq = 2`);
  const told = await commandsOf(program).run('trail', 'verify');
  expect([told.code, told.err]).toEqual([
    1,
    expect.stringContaining(
      'The trail is broken: event 2 of fundings was changed. The 1 before it',
    ),
  ]);
  expect(await alarmsOf(program)).toMatchObject([{ code: 'trail-broken' }]);
});

const alarmsOf = async ({ get }: Pick<Running, 'get'>) => {
  const { items } = await get<Today>('/today');
  return items
    .filter(({ kind }) => kind === 'alarm')
    .map(({ id, code, reason }) => ({ id, code, reason }));
};

test('keeps an alarm on Today until a person acknowledges it, and until something else is found', async () => {
  const { meddle, nextDay, ...program } = await watch();
  await program.sync();
  await nextDay();
  expect(await alarmsOf(program)).toEqual([]);
  meddle(`update trail set actor = 'mallory' where seq = 2`);
  await nextDay();
  await nextDay();
  const [alarm, ...others] = await alarmsOf(program);
  expect([alarm?.code, alarm?.reason, others]).toEqual(['trail-broken', 'event 2 was changed', []]);
  const { deliveries } = await program.get<{ deliveries: object[] }>('/alerts');
  expect(deliveries).toMatchObject([{ id: `msg_trail_${alarm?.id}` }]);

  const path = `/alarms/${alarm?.id}/acknowledgement`;
  const acknowledge = (body: object) => program.post(path, body, { 'idempotency-key': 'seen' });
  expect((await acknowledge({})).status).toBe(400);
  const reason = 'restored from the backup';
  expect(await (await acknowledge({ reason })).json()).toEqual({ alarm: Number(alarm?.id) });
  expect((await acknowledge({ reason })).status).toBe(200);
  const again = await program.post(path, { reason }, { 'idempotency-key': 'again' });
  expect(again.status).toBe(404);
  expect(await alarmsOf(program)).toEqual([]);
  const { entries } = await program.get<{ entries: object[] }>('/trail?kind=acknowledgement');
  expect(entries).toMatchObject([
    { subject: 'trail-broken', detail: { alarm: Number(alarm?.id), reason }, outcome: 'done' },
  ]);

  await nextDay();
  expect(await alarmsOf(program)).toEqual([]);
  meddle(`update trail set actor = 'mallory' where seq = 1`);
  await nextDay();
  expect(await alarmsOf(program)).toMatchObject([
    { code: 'trail-broken', reason: 'event 1 was changed' },
  ]);
});

test('raises an alarm when the companion’s ledger lacks an entry that was read, and when it has lost records', async () => {
  const { shop, nextDay, of, ...program } = await watch();
  await program.sync();
  shop.lost.push({
    kind: 'refund',
    merchantOrderId: 'A-0',
    chargeId: 'c-1',
    foundAt: refund.createdAt,
  });
  const [last] = shop.entries.splice(-1);
  await nextDay();
  await until(() => program.engine.data.status.analytics.state === 'ready');
  await nextDay();
  const found = await alarmsOf(program);
  expect(found.map(({ code, reason }) => [code, reason]).sort()).toEqual([
    ['ledger-replaced', `entry ${last?.id}`],
    ['records-lost', 'refund of charge c-1'],
  ]);
  expect(of('ledger-replaced')).toHaveLength(1);
  const told = await commandsOf(program).run('today', '--kind', 'alarm');
  expect(told.out).toMatch(/^alarm +\d+ +records-lost .*refund of charge c-1/m);
  for (const { id } of found) {
    const done = await commandsOf(program).run(
      'trail',
      'acknowledge',
      id,
      'compared',
      '--by',
      'ada',
    );
    expect(done).toMatchObject({ code: 0, out: `Alarm ${id} is acknowledged.` });
  }
  expect(await alarmsOf(program)).toEqual([]);
});

const refund: UnclearOperation = {
  id: 'opr_1',
  chargeId: 'c-1',
  kind: 'refund',
  state: 'accepted',
  merchantOrderId: 'A-0',
  amount: { value: 1_250, currency: 'USD' },
  merchantTransactionId: 'mtx-1',
  createdAt: '2026-11-20T12:00:00Z',
  updatedAt: '2026-11-20T12:00:00Z',
};

/** Records a refund in the trail, as the routes do. */
async function recordRefund(
  { facts }: Running['engine'],
  { amount = { value: 0, currency: 'USD' }, chargeId, createdAt, id }: UnclearOperation,
): Promise<void> {
  const at = Date.parse(createdAt);
  const detail = { amount: amount.value };
  const action = { at, actor: 'ada', subject: chargeId, detail, key: id } as const;
  const begun = await facts.beginAction({ ...action, kind: 'refund' });
  const answer = { operation: id, amount: amount.value, currency: amount.currency };
  await facts.endAction(begun ?? 0, { at, outcome: 'accepted', detail: answer });
}

test('reports a refund of the companion without an entry, and alerts finance once', async () => {
  const { engine, shop, sync, of, ...program } = await watch();
  const other = { ...refund, id: 'opr_2', chargeId: 'c-2' };
  shop.own.push(refund, other);
  await recordRefund(engine, other);
  await sync();
  await sync();
  const found = { chargeId: 'c-1', operationId: 'opr_1' };
  expect(of('operation-without-entry')).toMatchObject([found, found]);
  expect(of('entry-without-operation')).toEqual([]);
  const { deliveries } = await program.get<{ deliveries: object[] }>('/alerts');
  expect(deliveries).toMatchObject([{ id: expect.stringMatching(/^msg_trail_/) as string }]);
  // The alert belongs to no case.
  expect(deliveries[0]).not.toHaveProperty('caseId');
  const told = await commandsOf(program).run('trail', 'verify');
  expect([told.code, told.err]).toEqual([
    2,
    'At the companion, without an entry: refund of charge c-1, 12.50 USD, operation opr_1, 2026-11-20T12:00:00Z',
  ]);
});

test('reports an entry without an operation of the companion, or with a different amount', async () => {
  const { engine, shop, sync, of, ...program } = await watch();
  await recordRefund(engine, refund);
  await recordRefund(engine, { ...refund, id: 'opr_2', chargeId: 'c-2' });
  shop.own.push({ ...refund, id: 'opr_2', chargeId: 'c-2', amount: { value: 9, currency: 'USD' } });
  await sync();
  expect(of('entry-without-operation')).toMatchObject([
    { chargeId: 'c-1', operationId: 'opr_1', actor: 'ada' },
    { chargeId: 'c-2', operationId: 'opr_2' },
  ]);
  expect(of('operation-without-entry')).toMatchObject([{ operationId: 'opr_2' }]);
  const told = await commandsOf(program).run('trail', 'verify');
  expect(told.code).toBe(2);
  expect(told.err).toContain(
    'In the trail, without an operation of the companion: refund of charge c-1, 12.50 USD, operation opr_1, 2026-11-20T12:00:00.000Z, entry 1 of ada',
  );
});

test('does not report operations of other clients, or its own under an earlier token', async () => {
  const { engine, shop, sync, of, get } = await watch();
  // The shop's own refund is not listed with `actor=own`.
  shop.others.push({ ...refund, id: 'opr_shop' }, { ...refund, id: 'opr_earlier' });
  await recordRefund(engine, { ...refund, id: 'opr_earlier' });
  // The response was lost, so the entry does not name the operation.
  const lost = { ...refund, id: 'opr_lost', chargeId: 'c-3' };
  shop.own.push(lost, { ...refund, id: 'opr_refused', chargeId: 'c-4', state: 'rejected' });
  const at = Date.parse(refund.createdAt);
  const detail = { amount: 1_250 };
  const action = { at, actor: 'ada', kind: 'refund', subject: 'c-3', detail } as const;
  const begun = await engine.facts.beginAction(action);
  await engine.facts.endAction(begun ?? 0, { at, outcome: 'unknown' });
  await sync();
  expect([...of('operation-without-entry'), ...of('entry-without-operation')]).toEqual([]);
  expect((await get<TrailVerification>('/trail/verification')).companion).toEqual({
    operations: 2,
    withoutEntry: [],
    withoutOperation: [],
  });
});

test('reports that nothing was compared while the companion does not respond', async () => {
  const { shop, sync, of, ...program } = await watch();
  await sync();
  await shop.close();
  const told = await commandsOf(program).run('trail', 'verify');
  expect(told.code).toBe(3);
  expect(told.out).toMatch(/^\d+:[0-9a-f]{64}$/m);
  expect(told.err).toContain('was not compared with the companion');
  await program.nextDay();
  expect(of('trail-not-compared')).toMatchObject([{ reason: 'it is unreachable' }]);
});
