import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { CaseAlert } from '@financing-checkout/contract/reconciliation';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import type { CoverageRecord, SyncRecord } from '../http/schemas.ts';
import type { Clock } from '@financing-checkout/kit';
import { createMetrics } from '../metrics/metrics.ts';
import type { LogFields } from '../platform/log.ts';
import { configure, run, shopDays, startShop, until } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const DAY_MS = 86_400_000;
const WEBHOOK = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A clock with a configurable offset from the system clock. */
function shiftedClock(): Clock & { shift: number } {
  const clock = {
    shift: 0,
    now: () => Date.now() + clock.shift,
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  return clock;
}

test('starts syncs at their interval, and resumes an interrupted sync', async () => {
  const shop = await startShop(0);
  const clock = shiftedClock();
  const config = configure(shop, { RECONCILIATION_SYNC_MINUTES: '60' });
  const program = await run(config, { mode: 'serve', clock, tickMs: 250 });
  const syncs = async () => (await program.get<{ syncs: SyncRecord[] }>('/syncs')).syncs;
  await until(async () => (await syncs())[0]?.state === 'complete');
  expect(await syncs()).toHaveLength(1);
  clock.shift += 3_000_000;
  await program.engine.leader?.tick();
  expect(await syncs()).toHaveLength(1);
  // The process stops in the middle of the next sync.
  let pages = 0;
  const held = Promise.withResolvers<undefined>();
  onTestFinished(() => held.resolve(undefined));
  shop.before = async (request) => {
    if (request.url?.startsWith('/fundings') && ++pages > 20) await held.promise;
    return false;
  };
  clock.shift += 3_000_000;
  await until(async () => ((await syncs())[0]?.days.done ?? 0) > 2 && (await syncs()).length === 2);
  await program.stop();
  shop.before = undefined;
  // A process without a sync of its own does not report a running one.
  const idle = await run(config, { clock, metrics: createMetrics('1') });
  const [left] = (await idle.get<{ syncs: SyncRecord[] }>('/syncs')).syncs;
  expect(left).toMatchObject({ state: 'partial', reason: 'it was interrupted' });
  expect(left?.endedAt).toBeUndefined();
  expect((await idle.get<CoverageRecord>('/coverage')).last).toEqual(left);
  const samples = await (await idle.app.request('/metrics')).text();
  expect(samples).toContain('financing_reconciliation_sync_state{state="partial"} 1');
  expect(samples).toContain('financing_reconciliation_sync_state{state="running"} 0');
  await idle.stop();
  const next = await run(config, { mode: 'serve', clock, tickMs: 250 });
  await until(async () => {
    const [last] = (await next.get<{ syncs: SyncRecord[] }>('/syncs')).syncs;
    return last?.state === 'complete' && last.resumed === 1;
  });
});

test('alerts finance about a case once, with a signature', async () => {
  const received: { body: string; headers: Record<string, string> }[] = [];
  const finance = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => void (body += piece.toString()));
    request.on('end', () => {
      received.push({ body, headers: request.headers as Record<string, string> });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(finance, 'listening');
  onTestFinished(() => void finance.close());
  const { port } = finance.address() as AddressInfo;
  const shop = await startShop(1);
  const config = configure(shop, {
    RECONCILIATION_ALERT_URL: `http://127.0.0.1:${port}/alerts`,
    RECONCILIATION_ALERT_SECRET: WEBHOOK,
  });
  const policy = {
    ...config.policy,
    alerts: { amount: { default: 100, currencies: {} }, days: undefined },
  };
  const program = await run({ ...config, policy }, { mode: 'serve' });
  await until(
    async () => (await program.app.request('/readyz')).ok && program.engine.leader !== undefined,
  );
  await program.sync(shopDays());
  await until(() => received.length > 0);
  const [message] = received;
  const alert = new Webhook(WEBHOOK).verify(
    message?.body ?? '',
    message?.headers ?? {},
  ) as CaseAlert;
  expect(alert).toMatchObject({
    type: 'reconciliation.case.alert',
    data: { environment: 'sandbox', merchantOrderId: 'A-1', cause: 'amount' },
  });
  const alerts = async () => {
    const answer = await program.get<{ deliveries: { id: string; state: string }[] }>('/alerts');
    return answer.deliveries;
  };
  // The result is recorded after the receiver has responded.
  await expect.poll(alerts).toMatchObject([{ state: 'delivered', tries: 1 }]);
  const deliveries = await alerts();
  // A person may resend it.
  expect((await program.post(`/alerts/${deliveries[0]?.id}/replay`, {})).status).toBe(202);
  await until(() => received.length === 2);
  await expect.poll(alerts).toMatchObject([{ state: 'delivered', tries: 1 }]);
  const sent = await alerts();
  // A pass queues its alerts before it ends, and a tick delivers all that are queued.
  await program.sync(shopDays());
  expect(await alerts()).toEqual(sent);
  await program.engine.leader?.tick();
  expect(received).toHaveLength(2);
});

test('judges all orders daily, and raises an alarm for unexplained changes', async () => {
  const shop = await startShop(1);
  const clock = shiftedClock();
  const logged: [level: string, event: string, fields: LogFields | undefined][] = [];
  const log = (level: string, event: string, fields?: LogFields) =>
    void logged.push([level, event, fields]);
  const program = await run(configure(shop), { clock, logger: { log } });
  await program.sync(shopDays());
  // Unread days make the data incomplete, so that all orders are judged again without a comparison.
  for (let day = 1; day <= 2; day++) {
    clock.shift += DAY_MS + 60_000;
    await program.engine.leader?.pass();
    expect(program.engine.data.status.unexplained).toBe(0);
  }
  clock.shift += DAY_MS + 60_000;
  await program.engine.data.database.write((connection) =>
    connection.run(`update order_statuses set net = 1 where order_key = 'order:A-0'`),
  );
  await program.engine.leader?.pass();
  expect(await program.get('/status')).toMatchObject({ unexplained: 1 });
  expect(logged).toContainEqual(['error', 'statuses-unexplained', { count: 1 }]);
});

test.each([
  ['once at the smallest default', true, 1],
  ['never above it', false, 0],
])('logs that the analytics database spills, %s', async (_, isMemoryLeast, times) => {
  const shop = await startShop(0);
  const logged: [level: string, event: string, fields: LogFields | undefined][] = [];
  const log = (level: string, event: string, fields?: LogFields) =>
    void logged.push([level, event, fields]);
  const config = configure(shop, { RECONCILIATION_MEMORY_LIMIT: '64MB' });
  const analytics = { ...config.analytics, isMemoryLeast };
  const { data } = (await run({ ...config, analytics }, { logger: { log } })).engine;
  const spilled = () => logged.filter(([, event]) => event === 'analytics-spilled');
  expect(spilled()).toEqual([]);
  for (let round = 0; round < 2; round++) {
    await data.database.read(async (connection) => {
      await connection.run(
        'create temp table big as select md5(random()::varchar) as a, md5(random()::varchar) as b from range(2_000_000)',
      );
      await connection.run('drop table big');
    });
    await data.rebuild();
  }
  const reason: unknown = expect.stringMatching(/64MB.*RECONCILIATION_MEMORY_LIMIT/);
  const one = ['warn', 'analytics-spilled', { reason }];
  expect(spilled()).toEqual(Array.from({ length: times }, () => one));
});

test('writes no name and no e-mail address to a lasting file', async () => {
  const shop = await startShop(1);
  const at = new Date(Date.now() - 2 * DAY_MS).toISOString();
  shop.records.push(wireRecord(9, at, { firstName: 'Plantedname', email: 'planted@example.com' }));
  const config = configure(shop);
  const program = await run(config);
  await program.sync(shopDays());
  const folder = dirname(config.analytics.file);
  expect(readdirSync(`${config.analytics.file}.pages`)).toEqual([]);
  await program.stop();
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = readFileSync(join(file.parentPath, file.name)).toString('latin1');
    expect(text.toLowerCase()).not.toContain('planted');
  }
});
