import { readdirSync } from 'node:fs';
import { exceptionTexts } from '@financing-checkout/contract/reconciliation';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../analytics/session.ts';
import { readConfiguration } from '../config/config.ts';
import { type Clock, systemClock } from '@financing-checkout/kit';
import {
  configure,
  run,
  type Running,
  shopDays,
  startShop,
  unhurried,
  until,
  variablesOf,
} from '../program.fixture.ts';

const secret = (name: string) => `${name}-token-of-at-least-32-characters`;
const names = ['one', 'two', 'three', 'four', 'five'];
const TOKENS = names.map((name) => `${name} read ${secret(name)}`).join('\n');

async function open(clock = unhurried): Promise<Running> {
  const shop = await startShop(3);
  const program = await run(configure(shop), { clock });
  await program.sync(shopDays());
  return program;
}

/** Occupies connections until the test ends or the returned function is called. */
function hold(...lanes: Pick<Database, 'read'>[]): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const held = lanes.map((lane) => lane.read(() => promise));
  onTestFinished(async () => {
    resolve(undefined);
    await Promise.all(held);
  });
  return () => resolve(undefined);
}

const exportOf = async ({ app }: Running, table: string) => app.request(`/exports/${table}`);
const filesOf = ({ engine }: Running) =>
  readdirSync(engine.data.files.folder).filter((name) => name.startsWith('export-'));

test('answers queries while exports and a pass occupy their connections', async () => {
  const program = await open();
  const { database } = program.engine.data;
  const letGo = hold(database.exports, database.passes, database.passes);
  const exported = ['orders', 'lines?format=ndjson'].map((table) => exportOf(program, table));
  for (const path of ['/today', '/orders', '/cases', '/coverage']) {
    expect((await program.app.request(path)).status, path).toBe(200);
  }
  letGo();
  for (const response of await Promise.all(exported)) {
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('A-0');
  }
});

test('limits exports to two per token and eight in total, until they are downloaded', async () => {
  const shop = await startShop(3);
  const program = await run(configure(shop, { RECONCILIATION_TOKENS: TOKENS }));
  const request = async (name: string, path = '/exports/orders') =>
    program.app.request(path, { headers: { authorization: `Bearer ${secret(name)}` } });
  const taken = await Promise.all(
    names.slice(0, 4).flatMap((name) => [request(name), request(name)]),
  );
  expect(taken.map(({ status }) => status)).toEqual(Array(8).fill(200));
  for (const path of ['/exports/lines', '/migration?from=2026-01-01&to=2026-01-01']) {
    const third = await request('one', path);
    expect(third.status).toBe(429);
    expect(third.headers.get('retry-after')).toBe('10');
    expect(await third.json()).toMatchObject({ code: 'rate-limited', retrySafe: true });
  }
  expect(await (await request('five')).json()).toMatchObject({ code: 'overloaded' });
  await taken[0]?.text();
  const next = await request('one');
  expect(next.status).toBe(200);
  for (const response of [...taken.slice(1), next]) await response.text();
  await until(() => filesOf(program).length === 0);
});

test('removes the file of a client that does not read, and frees its slot', async () => {
  const idle = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== 30_000) return systemClock.after(ms, callback);
      idle.add(callback);
      return () => idle.delete(callback);
    },
  };
  const program = await open(clock);
  const unread = await Promise.all([exportOf(program, 'orders'), exportOf(program, 'lines')]);
  expect(unread.map(({ status }) => status)).toEqual([200, 200]);
  expect(filesOf(program)).toHaveLength(2);
  await until(() => idle.size === 2);
  for (const callback of idle) callback();
  await until(() => filesOf(program).length === 0);
  await expect(unread[0].text()).rejects.toThrow('read nothing');
  const next = await program.app.request('/exports/orders');
  expect(await next.text()).toContain('A-0');
});

test('responds to HEAD without a file, and frees the slot of a request that fails', async () => {
  const program = await open();
  for (let tries = 0; tries < 3; tries++) {
    const head = await program.app.request('/exports/orders', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-disposition')).toBe('attachment; filename="orders.csv"');
    expect((await program.app.request('/exports/orders?zone=Nowhere')).status).toBe(400);
  }
  expect(filesOf(program)).toEqual([]);
  expect(await (await program.app.request('/exports/orders')).text()).toContain('A-0');
});

test('names the exception and the lender of each case, in the language of the request', async () => {
  const program = await open();
  const rowsIn = async (query: string) => {
    const csv = await (await exportOf(program, `cases?${query}`)).text();
    const [names = [], ...rows] = csv
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  };
  const exception = 'STATUS_DISAGREES';
  const lender = 'Northway Credit';
  const { name } = exceptionTexts('de')[exception];
  expect(await rowsIn('language=de')).toMatchObject([{ exception, exception_text: name, lender }]);
  expect(await rowsIn('')).toMatchObject([
    { exception_text: exceptionTexts('en')[exception].name, lender },
  ]);
  const aliases = JSON.stringify({ aliases: { [lender]: 'Northway' } });
  const renamed = await run(
    readConfiguration(
      variablesOf(await startShop(3), { RECONCILIATION_POLICY_FILE: '/policy' }),
      () => aliases,
    ),
  );
  await renamed.sync(shopDays());
  expect(await (await exportOf(renamed, 'cases')).text()).toContain(',Northway,');
});
