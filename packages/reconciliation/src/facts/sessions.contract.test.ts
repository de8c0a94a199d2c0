import { describe, expect, test } from 'vitest';
import { databases, MINUTE_MS, NOW } from './facts.fixture.ts';
import type { SessionRow } from './schema.ts';

const issuer = 'https://login.example';
const DAY_MS = 1_440 * MINUTE_MS;
const ofToken: SessionRow = {
  id: 'session-1',
  name: 'worker',
  startedAt: NOW,
  idleEndsAt: NOW + 30 * MINUTE_MS,
  endsAt: NOW + 60 * MINUTE_MS,
  confirmedUntil: NOW + 5 * MINUTE_MS,
  proof: 'proof',
};
const ofPerson = (change: Partial<SessionRow> = {}): SessionRow => ({
  ...ofToken,
  id: 'session-2',
  name: 'Ada Lovelace',
  issuer,
  subject: 'ada',
  roles: '["finance"]',
  ...change,
});

describe.each(databases)('sessions on %s', (_, make) => {
  test('are read, renewed, confirmed and ended by every process', async () => {
    const { open } = await make();
    const [one, other] = [await open(), await open()];
    const person = ofPerson();
    await one.beginSession(ofToken);
    await one.beginSession(person);
    expect(await other.sessions([])).toEqual([]);
    expect(await other.sessions(['session-1', 'unknown'])).toEqual([ofToken]);
    expect(await other.sessions(['session-2'])).toEqual([person]);

    const idleEndsAt = NOW + 40 * MINUTE_MS;
    await other.renewSession('session-1', idleEndsAt);
    expect(await one.sessions(['session-1'])).toEqual([{ ...ofToken, idleEndsAt: idleEndsAt }]);
    const confirmed = {
      ...person,
      roles: '["auditors"]',
      confirmedUntil: NOW + 10 * MINUTE_MS,
      proof: 'new proof',
    };
    await one.confirmSession(confirmed);
    expect(await other.sessions(['session-2'])).toEqual([confirmed]);

    expect(await other.endSessions({ id: 'session-1' }, 'Because.')).toEqual(['worker']);
    expect(await one.sessions(['session-1'])).toMatchObject([{ ended: 'Because.' }]);
    expect(await one.endSessions({ id: 'session-1' }, 'Again.')).toEqual([]);
    expect(await one.sessions(['session-1'])).toMatchObject([{ ended: 'Because.' }]);
  });

  test('that ended in the meantime are not confirmed', async () => {
    const { open } = await make();
    const facts = await open();
    const session = ofPerson();
    await facts.beginSession(session);
    await facts.endSessions({ id: session.id }, 'Because.');
    await facts.confirmSession({ ...session, proof: 'new proof' });
    expect(await facts.sessions([session.id])).toEqual([{ ...session, ended: 'Because.' }]);
  });

  test('of one person or one provider session can be ended, except later ones', async () => {
    const { open } = await make();
    const facts = await open();
    await facts.beginSession(ofToken);
    await facts.beginSession(ofPerson({ id: 'ada-1', providerSession: 'sid-1' }));
    await facts.beginSession(ofPerson({ id: 'ada-2', providerSession: 'sid-2' }));
    await facts.beginSession(ofPerson({ id: 'ada-3', startedAt: NOW + MINUTE_MS }));
    const bob = { id: 'bob-1', name: 'Bob', subject: 'bob', providerSession: 'sid-3' };
    await facts.beginSession(ofPerson(bob));
    const all = ['session-1', 'ada-1', 'ada-2', 'ada-3', 'bob-1'];
    const left = async () => {
      const found = await facts.sessions(all);
      return all.filter((id) => found.some((one) => one.id === id && one.ended === undefined));
    };
    const end = (
      which: { issuer?: string; subject?: string; providerSession?: string },
      startedBefore = NOW + 1,
    ) =>
      facts.endSessions(
        { issuer, subject: undefined, providerSession: undefined, startedBefore, ...which },
        'Because.',
      );
    expect(await end({})).toEqual([]);
    expect(await end({ issuer: 'https://other.example', providerSession: 'sid-1' })).toEqual([]);
    expect(await end({ subject: 'bob', providerSession: 'sid-1' })).toEqual([]);
    expect(await left()).toEqual(all);
    expect(await end({ providerSession: 'sid-1' })).toEqual(['Ada Lovelace']);
    expect(await left()).toEqual(['session-1', 'ada-2', 'ada-3', 'bob-1']);
    expect(await end({ subject: 'ada' })).toEqual(['Ada Lovelace']);
    expect(await left()).toEqual(['session-1', 'ada-3', 'bob-1']);
  });

  test('are deleted at a sign-in, a day after their expiry', async () => {
    const { open } = await make();
    const facts = await open();
    await facts.beginSession(ofToken);
    const end = ofToken.endsAt;
    const later = { startedAt: end + DAY_MS, endsAt: end + 2 * DAY_MS };
    await facts.beginSession(ofPerson(later));
    expect(await facts.sessions(['session-1'])).toHaveLength(1);
    await facts.beginSession(ofPerson({ id: 'session-3', startedAt: end + DAY_MS + 1 }));
    expect(await facts.sessions(['session-1'])).toEqual([]);
    expect(await facts.sessions(['session-2'])).toHaveLength(1);
  });
});
