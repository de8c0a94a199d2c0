/* A rotated database password and rotated back-office tokens take effect without a restart. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { Secret } from '@financing-checkout/kit';
import type { StoreUrlEvent } from '@financing-checkout/kit/postgres';
import { createCompanion } from '../companion.fixture.ts';
import { askPostgres, createDatabase } from '../postgres.fixture.ts';
import {
  CHARGE,
  charged,
  foundCharge,
  foundTransaction,
  GET_CHARGE,
  LOOKUP,
} from '../scripted-service.fixture.ts';
import { openStore } from './store.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens a store under its own database role; a file contains the store's URL. */
async function openRotated() {
  const admin = await createDatabase(inject('postgresUrl'));
  const role = `app_${randomBytes(6).toString('hex')}`;
  await askPostgres(admin, `create role ${role} login password 'one'`);
  await askPostgres(admin, `grant create on schema public to ${role}`);
  const urlWith = (password: string) => {
    const url = new URL(admin);
    url.username = role;
    url.password = password;
    return url.href;
  };
  const folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  const file = join(folder, 'store');
  const write = (text: string) => writeFileSync(file, text);
  write(`${urlWith('one')}\n`);
  const events: StoreUrlEvent[] = [];
  const store = await openStore(
    { kind: 'postgres', name: 'postgres://database', url: new Secret(urlWith('one')), file },
    'on-start',
    { onUrl: (event) => events.push(event) },
  );
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => store.close(),
  );
  return {
    store,
    events,
    write,
    urlWith,
    seen: (event: StoreUrlEvent['event']) =>
      expect.poll(() => events.map((one) => one.event)).toContain(event),
    alter: (password: string) => askPostgres(admin, `alter role ${role} password '${password}'`),
    sessions: async () => {
      const rows = await askPostgres(
        admin,
        `select pid from pg_stat_activity where usename = '${role}'`,
      );
      return rows.map(({ pid }) => pid);
    },
    endSessions: () =>
      askPostgres(
        admin,
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = '${role}'`,
      ),
  };
}

describe('a new password in the file of the store', () => {
  test('is used by new connections, and the earlier ones are closed', async () => {
    const { alter, events, seen, sessions, store, urlWith, write } = await openRotated();
    await store.ping();
    const [before] = await sessions();
    await alter('two');
    write(`${urlWith('two')}\n`);
    await seen('store-url-replaced');
    await store.ping();
    await expect.poll(sessions).not.toContain(before);
    expect(events).toEqual([{ event: 'store-url-replaced' }]);
  });

  test('that the database does not know yet leaves the previous password in use', async () => {
    const { alter, endSessions, events, seen, store, urlWith, write } = await openRotated();
    write(urlWith('two'));
    await seen('store-url-unusable');
    await endSessions();
    await store.ping();
    await alter('two');
    await endSessions();
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
    expect(events.map(({ event }) => event)).toEqual(['store-url-unusable', 'store-url-replaced']);
  });

  test('that leads to another database is not used', async () => {
    const { endSessions, events, seen, store, write } = await openRotated();
    await store.ping();
    write(await createDatabase(inject('postgresUrl')));
    await seen('store-url-unusable');
    await endSessions();
    await store.ping();
    expect(events).toEqual([
      {
        event: 'store-url-unusable',
        reason: 'It is another database, which needs a restart',
      },
    ]);
  });

  test.each(['postgres://half', 'postgres://app:tw', '', 'something else'])(
    'is not used while the file says "%s"',
    async (text) => {
      const { alter, endSessions, events, seen, store, urlWith, write } = await openRotated();
      write(text);
      if (text !== '') await seen('store-url-refused');
      await endSessions();
      await store.ping();
      await alter('two');
      write(urlWith('two'));
      await seen('store-url-replaced');
      await endSessions();
      await store.ping();
      expect(JSON.stringify(events)).not.toMatch(/two|tw\b/);
    },
  );
});

describe('a password that is rotated in the middle of a charge', () => {
  test('loses nothing when the file is updated at once', async () => {
    const { alter, endSessions, seen, store, urlWith, write } = await openRotated();
    const companion = await createCompanion({ store });
    companion.service.on(CHARGE, async () => {
      await alter('two');
      write(urlWith('two'));
      await seen('store-url-replaced');
      await endSessions();
      return charged;
    });
    const id = await companion.open();
    expect((await companion.confirm(id)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('loses nothing when the file is updated later', async () => {
    const { alter, endSessions, seen, store, urlWith, write } = await openRotated();
    const companion = await createCompanion({ store });
    companion.service.on(CHARGE, async () => {
      await alter('two');
      await endSessions();
      return charged;
    });
    companion.service.on(LOOKUP, foundTransaction()).on(GET_CHARGE, foundCharge());
    const id = await companion.open();
    const { body } = await companion.confirm(id);
    expect(body.code).toBe('store-unavailable');
    write(urlWith('two'));
    await expect.poll(() => store.ping().then(() => 'ready')).toBe('ready');
    await seen('store-url-replaced');
    companion.clock.advance(300_000);
    await companion.patiently(companion.background.runOnce());
    await companion.patiently(companion.background.runOnce());
    expect((await companion.get(`/checkout/${id}`)).body.status).toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });
});
