import { afterAll, describe, expect, test } from 'vitest';
import { closeSharedStores, databaseKinds } from './databases.fixture.ts';
import type { PrequalificationRow } from './prequalifications.ts';

afterAll(closeSharedStores);

const START = Date.UTC(2026, 10, 20, 12);

const row = (
  id: string,
  change: Partial<PrequalificationRow> = {},
): Omit<PrequalificationRow, 'session'> => ({
  id,
  environment: 'sandbox',
  secretHash: 'f'.repeat(64),
  fingerprint: 'a'.repeat(64),
  status: 'open',
  currency: 'USD',
  origin: 'https://shop.example',
  returnUrl: undefined,
  locale: 'en',
  leaseUntil: START + 30_000,
  createdAt: START,
  expiresAt: START + 3_600_000,
  ...change,
});
const session = { token: 'session-1', applicationId: 'application-1' };

describe.each(databaseKinds)('$name', ({ migrated }) => {
  async function open() {
    const place = await migrated();
    return [place.open(), place.open()] as const;
  }

  test('gives a key to one of many concurrent requests', async () => {
    const stores = await open();
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].claimPrequalification(row(`prq_${index}`)),
      ),
    );
    const [claimed, ...others] = claims.filter(({ kind }) => kind === 'claimed');
    expect(others).toEqual([]);
    expect(new Set(claims.map((claim) => claim.row.id))).toEqual(new Set([claimed?.row.id]));
    expect(claimed?.row).toEqual({ ...row(claimed?.row.id ?? ''), session: undefined });
  });

  test('stores the session and the status, and finds a prequalification by its application', async () => {
    const [store] = await open();
    const all = { returnUrl: 'https://shop.example/back', locale: undefined };
    await store.claimPrequalification(row('prq_1', all));
    expect(await store.openPrequalification(row('prq_1'), session)).toBe(true);
    await store.changePrequalification('prq_1', 'declined');
    expect(await store.findPrequalification('prq_1')).toEqual({
      ...row('prq_1', all),
      session,
      status: 'declined',
    });
    expect(await store.hasPrequalification('sandbox', 'application-1')).toBe(true);
    expect(await store.hasPrequalification('uat', 'application-1')).toBe(false);
    expect(await store.hasPrequalification('sandbox', 'application-2')).toBe(false);
    expect(await store.findPrequalification('prq_2')).toBeUndefined();
  });

  test("gives the key of a dead companion to the same request, and rejects that companion's late session", async () => {
    const [store] = await open();
    await store.claimPrequalification(row('prq_1'));
    const later = { createdAt: START + 30_000, leaseUntil: START + 60_000 };
    const early = row('prq_2', { ...later, createdAt: START + 29_999 });
    expect((await store.claimPrequalification(early)).kind).toBe('known');
    const other = row('prq_2', { ...later, fingerprint: 'b'.repeat(64) });
    expect((await store.claimPrequalification(other)).kind).toBe('known');
    const taken = await store.claimPrequalification(row('prq_2', later));
    expect(taken).toMatchObject({ kind: 'claimed', row: { id: 'prq_1', ...later } });
    expect(await store.openPrequalification(row('prq_1'), session)).toBe(false);
    await store.releasePrequalification(row('prq_1'));
    expect(await store.openPrequalification(taken.row, session)).toBe(true);
    // A session is open, so the key is used up.
    const last = row('prq_3', { createdAt: START + 90_000 });
    expect(await store.claimPrequalification(last)).toMatchObject({
      kind: 'known',
      row: { session },
    });
  });

  test('releases a key whose session was not opened', async () => {
    const [store] = await open();
    await store.claimPrequalification(row('prq_1'));
    await store.releasePrequalification(row('prq_1'));
    expect((await store.claimPrequalification(row('prq_2'))).row.id).toBe('prq_2');
  });

  test('has one key for each environment', async () => {
    const [store] = await open();
    await store.claimPrequalification(row('prq_1'));
    const other = await store.claimPrequalification(row('prq_2', { environment: 'uat' }));
    expect(other.kind).toBe('claimed');
  });

  test('removes old prequalifications, up to the given limit', async () => {
    const [store] = await open();
    const old = ['prq_1', 'prq_2', 'prq_3'];
    for (const id of old) {
      await store.claimPrequalification(row(id, { secretHash: id.padEnd(64, '0') }));
    }
    await store.claimPrequalification(row('prq_recent', { createdAt: START + 1 }));
    const before = { keys: 0, refusals: 0, linkMessages: 0, messages: 0, attempts: 0 };
    expect(await store.prune({ ...before, checkouts: START }, 10)).toBe(0);
    expect(await store.prune({ ...before, checkouts: START + 1 }, 2)).toBe(2);
    expect(await store.prune({ ...before, checkouts: START + 1 }, 10)).toBe(1);
    expect(await store.findPrequalification('prq_recent')).toBeDefined();
  });
});
