import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { expect, onTestFinished, test } from 'vitest';
import { startCompanion, startService } from './companion.ts';
import { policyOf, seedHistory } from './history.ts';
import { startReconciler } from './reconciler.ts';

interface Charge {
  id: string;
  refunded: { value: number; currency: string };
  operations: { id: string; kind: string; state: string }[];
}

const secret = (name: string) => `${name}-${randomBytes(18).toString('base64url')}`;

/** Returns an order of a ledger that is settled and not refunded. */
function settledOrder(file: string): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { merchantOrderId: string; type: string });
  const refunded = new Set(
    lines.filter(({ type }) => type === 'refund').map((line) => line.merchantOrderId),
  );
  const found = lines.find((line) => !refunded.has(line.merchantOrderId));
  if (found === undefined) throw new Error('The ledger has no order without a refund.');
  return found.merchantOrderId;
}

// A person clicks twice, or the process dies after the click: the money moves once. A session
// begun with one process continues with the next.
test('refunds once for a repeated click and after a takeover, and records who did it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-money-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = seedHistory(join(folder, 'sandbox'), { orders: 30, days: 10 });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const [reading, moving, person] = [secret('reading'), secret('moving'), secret('person')];
  const companion = await startCompanion({
    folder: join(folder, 'companion'),
    service,
    history,
    env: {
      COMPANION_BACK_OFFICE_TOKENS: `reading fundings ${reading}\nmoving money,webhooks ${moving}`,
    },
  });
  onTestFinished(() => companion.program.stop());
  const port = await getPort();
  const start = async () => {
    const started = await startReconciler({
      folder: join(folder, 'reconciliation'),
      companionUrl: companion.url,
      history,
      port,
      policy: policyOf(history),
      env: {
        RECONCILIATION_TOKENS: `ines cases,sync,money ${person}`,
        RECONCILIATION_COMPANION_TOKEN: reading,
        RECONCILIATION_COMPANION_MONEY_TOKEN: moving,
      },
    });
    onTestFinished(() => started.program.stop());
    return started;
  };
  const first = await start();

  const page = (url: string, cookie = '') => ({
    origin: new URL(url).origin,
    'sec-fetch-site': 'same-origin',
    'financing-console': '1',
    'content-type': 'application/json',
    cookie,
  });
  const entry = await fetch(`${first.url}/console/session`, {
    method: 'POST',
    headers: page(first.url),
    body: JSON.stringify({ token: person }),
  });
  expect(await entry.json()).toMatchObject({ name: 'ines', canMoveMoney: true });
  const cookie = entry.headers.getSetCookie()[0]?.split(';')[0] ?? '';

  const get = async <Body>(url: string, path: string) => {
    const response = await fetch(url + path, { headers: page(url, cookie) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const chargeOf = async (url: string, order: string) => {
    const path = `/orders/${encodeURIComponent(`order:${order}`)}/charges`;
    return (await get<{ charges: Charge[] }>(url, path)).charges[0];
  };
  const post = (url: string, path: string, key: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...page(url, cookie), 'idempotency-key': key },
    });

  const order = settledOrder(history.ledger);
  const before = await chargeOf(first.url, order);
  if (before === undefined) throw new Error('The order has no charge.');
  const refund = `/charges/${before.id}/refunds`;
  const amount = 100;
  // The companion has not created the charge, so it moves money only in a stated currency.
  const { currency } = before.refunded;
  const clicks = await Promise.all(
    [1, 2].map(() => post(first.url, refund, 'click-1', { amount, currency })),
  );
  const statuses = clicks.map(({ status }) => status).sort();
  expect(statuses[0]).toBe(201);
  expect([201, 409]).toContain(statuses[1]);
  // The figures follow the operation without a sync of the companion's ledger. A slow machine answers before.
  const figures = async () => {
    const { currencies, updating } = await get<{
      currencies: { currency: string; status?: { expected: { refund: number } } }[];
      updating?: boolean;
    }>(first.url, `/orders/${encodeURIComponent(`order:${order}`)}`);
    const part = currencies.find((one) => one.currency === currency);
    return { updating, refund: part?.status?.expected.refund };
  };
  await expect.poll(figures).toEqual({ updating: undefined, refund: amount });
  const other = await post(first.url, refund, 'click-1', { amount: amount + 1, currency });
  expect(other.status).toBe(422);

  await first.program.stop('SIGKILL');
  const second = await start();
  const again = await post(second.url, refund, 'click-1', { amount, currency });
  expect(again.status).toBe(201);
  const after = await chargeOf(second.url, order);
  expect(after?.refunded.value).toBe(before.refunded.value + amount);
  expect(after?.operations.filter(({ kind }) => kind === 'refund')).toHaveLength(1);
  const { entries } = await get<{ entries: object[] }>(second.url, '/trail?by=people');
  expect(entries).toMatchObject([
    { actor: 'ines', kind: 'refund', subject: before.id, detail: { amount }, outcome: 'accepted' },
    { actor: 'ines', kind: 'sign-in', outcome: 'done' },
  ]);
  expect(await get(second.url, '/trail/verification')).toMatchObject({ valid: true });
  for (const program of [first.program, second.program, companion.program]) {
    const lines = program.lines.join('\n');
    for (const text of [person, moving, reading, cookie.split('=')[1] ?? '', 'click-1']) {
      expect(lines).not.toContain(text);
    }
  }
});
