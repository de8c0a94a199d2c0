import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createKyselyStore } from '../store/kysely-store.ts';
import { sqliteDialect } from './sqlite.ts';

const ORDERS = 3_000;
const KILLS = 8;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 31);

/** Orders of which every seventh is short, and every eleventh not funded, all of them marked. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ORDERS})`;
  const key = `'order:' || substr('00000' || i, -5)`;
  database.exec(`begin;
    ${numbers} insert into ledger_lines (environment, order_key, currency, id, merchant_order_id,
      type, amount, occurred_at, transaction_id, source, created_at)
      select 'sandbox', ${key}, 'USD', 't:Settle:' || i, i, 'Settle', 10000,
        ${NOW - 20 * DAY_MS}, 't' || i, 'import', 0 from n;
    ${numbers} insert into fundings (environment, order_key, currency, id, slice_day,
      merchant_order_id, status, transaction_type, lender_name, transaction_amount,
      discount_amount, net_amount, funded_at, updated_at, transaction_id, hash, version)
      select 'sandbox', ${key}, 'USD', 'f' || i, '2026-03-12', i, 'RECONCILED', 'Settle', 'Halden',
        10000 - (i % 7 = 0), 290, 9710 - (i % 7 = 0), ${NOW - 19 * DAY_MS}, ${NOW - 19 * DAY_MS},
        't' || i, '', 1 from n where i % 11 <> 0;
    ${numbers} insert into dirty_orders select 'sandbox', ${key}, 1 from n;
    commit`);
  database.close();
}

function tables(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const all = (sql: string) => database.prepare(sql).all();
  const found = [
    all('select * from order_statuses order by order_key, currency'),
    all('select * from order_exceptions order by order_key, currency, code'),
    all('select * from dirty_orders'),
    all('select state, complete, rules from recomputes'),
    all(`select count(*) as open from recompute_ranges where state = 'open'`),
  ];
  database.close();
  return found;
}

/** Runs a pass; kills it after a while, if one is given. @returns whether it got to its end */
async function pass(file: string, turn: number, killAfterMs?: number): Promise<boolean> {
  const fixture = new URL('./recompute-kill.fixture.ts', import.meta.url).pathname;
  const now = String(NOW + turn * 60_000);
  const child = spawn(process.execPath, [fixture, file, `pass-${turn}`, now], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (said === '' && killAfterMs !== undefined)
      setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    said += text;
  });
  await once(child, 'close');
  return said.includes('done');
}

test('killed in the middle, again and again, it ends as if nothing had happened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recompute-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [calm, rough] = [join(folder, 'calm.db'), join(folder, 'rough.db')];
  const store = createKyselyStore({ dialect: sqliteDialect(calm) });
  await store.migrate();
  await store.close();
  fill(calm);
  copyFileSync(calm, rough);
  expect(await pass(calm, 0)).toBe(true);
  let killed = 0;
  for (let turn = 1; turn <= KILLS; turn++) {
    // Later and later, so that it gets anywhere.
    if (!(await pass(rough, turn, turn * turn * 2))) killed += 1;
  }
  expect(killed).toBeGreaterThan(2);
  expect(await pass(rough, KILLS + 1)).toBe(true);
  expect(tables(rough)).toEqual(tables(calm));
  expect(tables(rough)[0]).toHaveLength(ORDERS);
}, 60_000);
