/* A rotated database password and rotated tokens take effect without a restart. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { COMPANION_TOKEN } from './companion/companion.fixture.ts';
import { readConfiguration } from './config/config.ts';
import { temporaryFolder } from './facts/facts.fixture.ts';
import { createDatabase, queryPostgres } from './facts/postgres.fixture.ts';
import { shopDays, startShop, variablesOf } from './program.fixture.ts';
import { serve } from './serve.ts';

test('uses the rotated secrets of its files while it runs', async () => {
  const folder = temporaryFolder();
  const admin = await createDatabase(inject('postgresUrl'));
  const role = `app_${randomBytes(6).toString('hex')}`;
  await queryPostgres(admin, `create role ${role} login password 'one'`);
  await queryPostgres(admin, `grant create on schema public to ${role}`);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `${text}\n`);
    return join(folder, name);
  };
  const urlWith = (password: string) => {
    const url = new URL(admin);
    url.username = role;
    url.password = password;
    return url.href;
  };
  const [first, second] = ['finance-token-one-0001', 'finance-token-two-0002'];
  const shop = await startShop();
  const variables = variablesOf(shop, {
    RECONCILIATION_STORE: '',
    RECONCILIATION_STORE_FILE: write('store', urlWith('one')),
    RECONCILIATION_COMPANION_TOKEN: '',
    RECONCILIATION_COMPANION_TOKEN_FILE: write('companion', 'another-token-0000'),
    RECONCILIATION_TOKENS_FILE: write('tokens', `finance sync ${first}`),
  });
  const config = readConfiguration(variables, (path) => readFileSync(path, 'utf8'));
  const events: string[] = [];
  const logger = { log: (_: string, event: string) => void events.push(event) };
  const server = await serve(config, { logger, tickMs: 50 });
  onTestFinished(() => server.stop());
  const ask = (token: string, path: string, body?: object) =>
    fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const status = async (token: string) => (await ask(token, '/syncs')).status;
  await expect.poll(() => status(first)).toBe(200);

  write('tokens', `finance sync ${second}`);
  await expect.poll(() => events).toContain('tokens-replaced');
  expect([await status(first), await status(second)]).toEqual([401, 200]);

  write('companion', 'short');
  await expect.poll(() => events).toContain('secret-refused');
  write('companion', COMPANION_TOKEN);
  await expect.poll(() => events).toContain('secret-replaced');

  write('store', 'postgres://half');
  await expect.poll(() => events).toContain('store-url-refused');
  await queryPostgres(admin, `alter role ${role} password 'two'`);
  write('store', urlWith('two'));
  await expect.poll(() => events).toContain('store-url-replaced');
  await queryPostgres(
    admin,
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = '${role}'`,
  );
  await expect.poll(() => status(second)).toBe(200);
  await expect.poll(async () => (await ask(second, '/syncs', shopDays())).ok).toBe(true);
  await expect
    .poll(async () => {
      const { syncs } = (await (await ask(second, '/syncs')).json()) as {
        syncs: { state: string }[];
      };
      return syncs[0]?.state;
    })
    .toBe('complete');
});
