import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { runChaos } from '../../bench/chaos/run.ts';
import { startPostgres } from '../../bench/postgres.ts';
import { signTicket } from '../e2e/ticket.ts';
import { buy } from '../reconciliation/buyer.ts';
import {
  type Companion,
  READING_TOKEN,
  SHOP_ORIGIN,
  startCompanion,
  startService,
} from '../reconciliation/companion.ts';
import { seedHistory } from '../reconciliation/history.ts';
import { older } from './older.ts';

/** Starts the sandbox, and returns what starts companions of both versions for it. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = seedHistory(join(folder, 'sandbox'), { orders: 10, days: 5 });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const ticketSecret = randomUUID();
  const start = async (name: string, store: string, file?: string, env = {}) => {
    const companion = await startCompanion({
      folder: join(folder, name),
      service,
      history,
      file,
      env: {
        COMPANION_STORE: store,
        ORDER_TICKET_SECRET_FILE: '',
        ORDER_TICKET_SECRET: ticketSecret,
        ...env,
      },
    });
    onTestFinished(() => companion.program.stop());
    return { ...companion, ticketSecret };
  };
  const now = Date.parse(history.summary.asOf);
  const pay = (companion: Companion, merchantOrderId: string, total: number) =>
    buy({ companion, service, now, merchantOrderId, total });
  return { folder, service, start, now, pay };
}

/** Reads something of a companion's back office. */
async function read<Body>(companion: Companion, path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${READING_TOKEN}` };
  const response = await fetch(companion.url + path, { headers });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Body;
}

const ledgerOf = async (companion: Companion) =>
  (await read<{ entries: Record<string, unknown>[] }>(companion, '/ledger?limit=1000')).entries;

test('charges every order once while the later version replaces 0.2.0 on one PostgreSQL', async () => {
  const checkouts = 60;
  const log: string[] = [];
  const result = await runChaos({
    checkouts,
    kills: 0,
    seed: 21,
    store: 'postgres',
    companions: 3,
    shoppers: 12,
    deadlineMs: 500,
    idempotency: 'kept',
    patienceMs: 120_000,
    // Each order has up to three events: primed, confirmed, webhook delivered.
    older: { file: older.companion, joinAt: checkouts * 0.5, leaveAt: checkouts * 2 },
    say: (line) => log.push(line),
  });
  const agreed = { lost: [], doubled: [], stuck: [], forgedWebhooks: 0 };
  expect(result, log.join('\n')).toMatchObject(agreed);
  expect(result.faults).toBeGreaterThan(10);
  expect(result.crossed).toBeGreaterThan(5);
});

test('keeps the budget of an order when both versions prime it at the same time', async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const { start, service, now } = await setUp();
  const budget = 4;
  const env = { COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: String(budget) };
  const companions = [
    await start('older', postgres.url, older.companion, env),
    await start('current', postgres.url, undefined, env),
  ];
  const seconds = Math.floor(now / 1_000);
  async function prime({ storefrontUrl, ticketSecret }: Companion, merchantOrderId: string) {
    const order = {
      merchantOrderId,
      currency: 'USD',
      items: [{ name: 'Walnut desk', sku: 'D-1', price: 5_000, quantity: 1 }],
      taxAmount: 0,
      shippingAmount: 0,
      totalAmount: 5_000,
    };
    const claims = {
      aud: 'financing-companion',
      env: 'sandbox',
      iat: seconds,
      exp: seconds + 3_600,
    };
    const response = await fetch(`${storefrontUrl}/checkout/prime`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.publicKey}`,
        'financing-checkout-version': '1',
        origin: SHOP_ORIGIN,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({
        environment: 'sandbox',
        order: signTicket({ ...claims, jti: randomUUID(), order }, ticketSecret),
      }),
    });
    return response.status;
  }
  for (const order of ['B-1', 'B-2', 'B-3', 'B-4', 'B-5']) {
    const racing = Array.from({ length: 12 }, (_, index) => companions[index % 2]);
    const statuses = await Promise.all(racing.map((one) => prime(one ?? expect.fail(), order)));
    const made = statuses.filter((status) => status === 201);
    expect([order, made.length, statuses.filter((status) => status === 429).length]).toEqual([
      order,
      budget,
      racing.length - budget,
    ]);
  }
});

test('upgrades a SQLite store of 0.2.0 with its orders and charges, which 0.2.0 then refuses', async () => {
  const { folder, start, pay } = await setUp();
  const store = `sqlite:${join(folder, 'companion.db')}`;
  const before = await start('older', store, older.companion);
  const orders = ['A-1', 'A-2', 'A-3'];
  for (const [index, order] of orders.entries()) {
    expect(await pay(before, order, 10_000 + index)).toBe('approved');
  }
  const checkoutsOf = (companion: Companion) =>
    Promise.all(
      orders.map((order) =>
        read<{ checkouts: Record<string, unknown>[] }>(
          companion,
          `/checkouts?merchantOrderId=${order}`,
        ),
      ),
    );
  const chargesOf = (companion: Companion) =>
    Promise.all(
      orders.map((order) =>
        read<{ charges: object[] }>(companion, `/charges?merchantOrderId=${order}`),
      ),
    );
  const ledger = await ledgerOf(before);
  const [checkouts, charges] = [await checkoutsOf(before), await chargesOf(before)];
  expect(ledger.length).toBeGreaterThanOrEqual(orders.length * 2);
  await before.program.stop('SIGTERM');

  const after = await start('current', store);
  expect(await ledgerOf(after)).toMatchObject(ledger);
  expect(await checkoutsOf(after)).toMatchObject(checkouts);
  expect(await chargesOf(after)).toMatchObject(charges);
  expect(await pay(after, 'A-4', 20_000)).toBe('approved');
  await after.program.stop('SIGTERM');

  await expect(start('older again', store, older.companion)).rejects.toThrow(
    /store was migrated by a newer version/,
  );
  const again = await start('current again', store);
  expect((await ledgerOf(again)).length).toBeGreaterThan(ledger.length);
});
