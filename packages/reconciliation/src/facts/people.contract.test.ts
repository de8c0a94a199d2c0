import { describe, expect, test } from 'vitest';
import { databases, MINUTE_MS, NOW } from './facts.fixture.ts';
import type { PersonSession } from './people.ts';
import type { FactStore } from './store.ts';

const issuer = 'https://login.example';
const ada = { issuer, subject: 'ada' };
const sessionOf = (change: Partial<PersonSession> = {}) => ({
  ...ada,
  id: 'session-1',
  providerSession: 'sid-1',
  roles: ['finance'],
  tokens: 'sealed',
  startedAt: NOW,
  idleEndsAt: NOW + 30 * MINUTE_MS,
  endsAt: NOW + 60 * MINUTE_MS,
  checkedAt: NOW,
  ...change,
});

describe.each(databases)('people on %s', (_, make) => {
  test('have names that are unique in any letter case, and never change', async () => {
    const { open } = await make();
    const subjects = ['a', 'b', 'c'];
    const namesIn = async (facts: FactStore, wanted: string) =>
      Promise.all(subjects.map((subject) => facts.nameOfPerson({ issuer, subject }, wanted)));
    const [names, others] = await Promise.all([
      namesIn(await open(), 'Ada'),
      namesIn(await open(), 'ADA'),
    ]);
    expect(names).toEqual(others);
    const folded = names.map((name) => name.toLowerCase());
    expect(folded.sort()).toEqual(['ada', 'ada (2)', 'ada (3)']);
    const store = await open();
    expect(await store.nameOfPerson({ issuer, subject: 'a' }, 'Grace')).toBe(names[0]);
    // The subject of another issuer is another person; full-width letters look the same.
    const other = { issuer: 'https://other.example', subject: 'a' };
    expect(await store.nameOfPerson(other, 'Ａｄａ')).toBe('Ａｄａ (4)');
    expect(await store.people()).toHaveLength(4);
  });

  test('have sessions that every process reads, renews and ends', async () => {
    const { open } = await make();
    const [one, other] = [await open(), await open()];
    await one.nameOfPerson(ada, 'Ada Lovelace');
    await one.beginPersonSession(sessionOf());
    expect(await other.personSession('session-1')).toEqual({
      ...sessionOf(),
      name: 'Ada Lovelace',
    });
    await other.renewPersonSession('session-1', NOW + 40 * MINUTE_MS);
    expect(await one.personSession('session-1')).toMatchObject({
      idleEndsAt: NOW + 40 * MINUTE_MS,
    });
    await other.endPersonSession('session-1');
    expect(await one.personSession('session-1')).toBeUndefined();
  });

  test('have sessions that one process checks at a time', async () => {
    const { open } = await make();
    const stores = [await open(), await open()];
    const [one] = stores;
    await one?.nameOfPerson(ada, 'Ada Lovelace');
    const session = sessionOf();
    await one?.beginPersonSession(session);
    const claim = (now: number) =>
      Promise.all(stores.map((facts) => facts.claimSessionCheck(session, now, now + MINUTE_MS)));
    expect((await claim(NOW)).filter(Boolean)).toHaveLength(1);
    expect(await claim(NOW + 1)).toEqual([false, false]);
    // A process that was killed during its check leaves an expired claim.
    expect((await claim(NOW + MINUTE_MS)).filter(Boolean)).toHaveLength(1);
    const checked = { ...session, roles: [], tokens: 'new', checkedAt: NOW + 1 };
    await one?.finishSessionCheck(checked);
    expect(await one?.personSession('session-1')).toMatchObject({ roles: [], tokens: 'new' });
    // The tokens that this process has read were used up.
    expect(await claim(NOW + 2 * MINUTE_MS)).toEqual([false, false]);
  });

  test('lose the sessions that the provider ends, and no later ones', async () => {
    const { open } = await make();
    const facts = await open();
    const bob = { issuer, subject: 'bob' };
    await facts.nameOfPerson(ada, 'Ada Lovelace');
    await facts.nameOfPerson(bob, 'Bob');
    const begin = (id: string, change: Partial<PersonSession>) =>
      facts.beginPersonSession(sessionOf({ id, ...change }));
    await begin('ada-1', { providerSession: 'sid-1' });
    await begin('ada-2', { providerSession: 'sid-2' });
    await begin('ada-3', { providerSession: undefined, startedAt: NOW + MINUTE_MS });
    await begin('bob-1', { ...bob, providerSession: 'sid-3' });
    const left = async () => {
      const found = await Promise.all(
        ['ada-1', 'ada-2', 'ada-3', 'bob-1'].map((id) => facts.personSession(id)),
      );
      return found.flatMap((session) => session?.id ?? []);
    };
    const at = NOW + 1;
    expect(await facts.endPersonSessions({ issuer }, at)).toEqual([]);
    const other = { issuer: 'https://other.example', providerSession: 'sid-1' };
    expect(await facts.endPersonSessions(other, at)).toEqual([]);
    const mixed = { issuer, subject: 'bob', providerSession: 'sid-1' };
    expect(await facts.endPersonSessions(mixed, at)).toEqual([]);
    expect(await facts.endPersonSessions({ issuer, providerSession: 'sid-1' }, at)).toEqual([
      'Ada Lovelace',
    ]);
    expect(await left()).toEqual(['ada-2', 'ada-3', 'bob-1']);
    await facts.endPersonSessions({ issuer, subject: 'ada' }, at);
    expect(await left()).toEqual(['ada-3', 'bob-1']);
  });

  test('lose expired sessions at the next sign-in', async () => {
    const { open } = await make();
    const facts = await open();
    await facts.nameOfPerson(ada, 'Ada Lovelace');
    await facts.beginPersonSession(sessionOf());
    await facts.beginPersonSession(sessionOf({ id: 'session-2', startedAt: NOW + 61 * MINUTE_MS }));
    expect(await facts.personSession('session-1')).toBeUndefined();
    expect(await facts.personSession('session-2')).toBeDefined();
  });
});
