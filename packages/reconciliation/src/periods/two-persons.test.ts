import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { ProblemError } from '../platform/problem.ts';
import { isSameDecider } from './deciders.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { anna, at, ben, meddle, openBooks, openOffice } from './periods.fixture.ts';

const SECOND = { code: 'second-person-required' };

test('requires two people of the provider to close, and seals their subjects', async () => {
  const office = await openOffice();
  const ada = await office.enter('subject-ada');
  expect(await office.act(ada, 'preparation')).toMatchObject({ status: 200 });
  expect(await office.act(ada, 'close')).toMatchObject(SECOND);
  // Another browser and another session are the same person.
  expect(await office.act(await office.enter('subject-ada'), 'close')).toMatchObject(SECOND);
  const grace = await office.enter('subject-grace');
  expect(await office.act(grace, 'close')).toMatchObject({ status: 200 });
  const [seal] = await office.engine.facts.seals();
  const { issuer } = office.provider;
  expect(JSON.parse(seal?.body ?? '')).toMatchObject({
    prepared: { by: 'Ada Lovelace', person: { issuer, subject: 'subject-ada' } },
    approved: { by: 'Grace Hopper', person: { issuer, subject: 'subject-grace' }, isSecond: true },
  });
  const verified = await ada.ask('/periods/verification');
  expect(await verified.json()).toMatchObject({ isIntact: true });
});

test('refuses to approve what was accepted after the second person had looked', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  await books.accept('P1', 'cases-decided', anna);
  await books.act('P1', 'preparation', anna);
  const { decided } = await books.read('P1');
  await books.accept('P1', 'cases-decided', anna);
  const refused = await books.act('P1', 'close', ben, { decided });
  expect(refused).toMatchObject({ status: 409, code: 'period-changed' });
  expect(refused.detail).toContain('Something was decided about P1 after you had looked at it.');
  const seen = { decided: (await books.read('P1')).decided };
  expect(await books.act('P1', 'close', ben, seen)).toMatchObject({ status: 200 });
});

test('refuses to let people approve their own preparation under a changed name in the store', async () => {
  const office = await openOffice();
  const ada = await office.enter('subject-ada');
  await office.act(ada, 'preparation');
  meddle(office.store, (database) =>
    database.exec(`update people set name = 'Grace Hopper', folded = 'grace hopper'`),
  );
  for (const session of [ada, await office.enter('subject-ada')]) {
    const own = await office.act(session, 'close');
    expect(own).toMatchObject({ code: 'period-not-permitted' });
  }
  // The trail identifies the person and shows the false name.
  const trail = (await (await ada.ask('/trail/verification')).json()) as object;
  expect(trail).toMatchObject({
    valid: false,
    broken: { reason: 'has another name than its person' },
  });
  const refused = await office.act(await office.enter('subject-grace'), 'close');
  expect(refused).toMatchObject({ code: 'period-not-permitted' });
  expect(refused.detail).toContain('has another name than its person');
});

test('refuses to let people approve their own preparation with a forged subject of the session', async () => {
  const office = await openOffice();
  await office.enter('subject-grace');
  const ada = await office.enter('subject-ada');
  await office.act(ada, 'preparation');
  meddle(office.store, (database) =>
    database.exec(`update sessions set name = 'Grace Hopper', subject = 'subject-grace'`),
  );
  // The session's proof identifies Ada.
  expect(await office.act(ada, 'close')).toMatchObject({ code: 'session-ended' });
  expect(await office.act(await office.enter('subject-grace'), 'close')).toMatchObject({
    status: 200,
  });
});

test('refuses decisions with a session whose sign-in is missing in the trail', async () => {
  const office = await openOffice();
  const failure = new ProblemError('store-unavailable');
  vi.spyOn(office.engine.facts, 'beginAction').mockRejectedValueOnce(failure);
  const ada = await office.enter('subject-ada');
  const prepared = () => office.read(ada).then(({ period }) => 'prepared' in period);
  const refused = await office.act(ada, 'preparation');
  expect(refused).toMatchObject({ status: 401, code: 'session-ended' });
  expect(refused.detail).toContain('The trail does not have the sign-in of this session');
  expect(await prepared()).toBe(false);
  const again = await office.enter('subject-ada');
  expect(await office.act(again, 'preparation')).toMatchObject({ status: 200 });
  expect(await prepared()).toBe(true);
});

test('ignores preparations of tokens once people sign in', async () => {
  const tokens = ['anna periods,sync anna-token-0000001', 'ben periods ben-token-00000001'].join(
    '\n',
  );
  const office = await openOffice({
    RECONCILIATION_TOKENS: tokens,
    RECONCILIATION_OIDC_ISSUER: '',
    RECONCILIATION_OIDC_CLIENT_ID: '',
    RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '',
    RECONCILIATION_OIDC_ROLES: '',
  });
  const withToken = async (action: string, body: object = {}) => {
    const headers = { ...anna, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${office.url}/periods/P1/${action}`, request)).status;
  };
  expect(await withToken('preparation')).toBe(200);
  await office.engine.stop();
  const engine = await office.switchProcess({
    RECONCILIATION_TOKENS: 'anna sync anna-token-0000001',
    RECONCILIATION_OIDC_ISSUER: office.provider.issuer,
    RECONCILIATION_OIDC_CLIENT_ID: 'reconciliation',
    RECONCILIATION_OIDC_CLIENT_SECRET_FILE: '/secret',
    RECONCILIATION_OIDC_ROLES: 'Group of finance cases,periods',
  });
  await engine.start({ mode: 'command' });
  const ada = await office.enter('subject-ada');
  expect((await office.read(ada)).period).toMatchObject({ state: 'open' });
  expect(await office.act(ada, 'close')).toMatchObject({ code: 'period-not-permitted' });
  expect(await office.act(ada, 'preparation')).toMatchObject({ status: 200 });
  expect(await withToken('close')).toBe(403);
});

test.each([
  ['was renamed', 'anna2 periods,sync anna-token-0000001'],
  ['lost the scope', 'anna sync anna-token-0000001\nclara periods clara-token-000001'],
])('ignores the preparation of a token that %s', async (_, token) => {
  const folder = temporaryFolder();
  const before = await openBooks({}, { folder });
  await before.act('P1', 'preparation', anna);
  await before.program.stop();
  const tokens = `${token}\nben periods ben-token-00000001`;
  const after = await openBooks({ RECONCILIATION_TOKENS: tokens }, { folder });
  expect((await after.read('P1')).period).not.toHaveProperty('prepared');
  const closed = await after.act('P1', 'close', ben);
  expect(closed).toMatchObject({ code: 'period-not-permitted' });
});

test('ignores a preparation without tokens once tokens are configured', async () => {
  const folder = temporaryFolder();
  const before = await openBooks({ RECONCILIATION_TOKENS: '' }, { folder });
  expect(await before.act('P1', 'preparation', {})).toMatchObject({ status: 200 });
  await before.program.stop();
  const after = await openBooks({}, { folder });
  expect(await after.act('P1', 'close', anna)).toMatchObject({ code: 'period-not-permitted' });
});

test('identifies a person by the subject, with or without a trailing slash of the issuer', () => {
  const of = (issuer: string, subject: string, actor = 'Ada') => ({
    actor,
    person: { issuer, subject },
  });
  const ada = of('https://login.example/', 'ada');
  expect(isSameDecider(ada, of('https://login.example', 'ada', 'Ada (2)'))).toBe(true);
  expect(isSameDecider(ada, of('https://login.example', 'grace'))).toBe(false);
  expect(isSameDecider(ada, of('https://other.example/', 'ada'))).toBe(false);
  expect(isSameDecider(ada, { actor: 'Ada', person: undefined })).toBe(false);
});

test('refuses names with control, bidirectional, invisible and separator characters', async () => {
  const books = await openBooks();
  for (const by of [
    ...['Bo; approved by ben', 'Bo, for ben', 'Bo\rben', 'Bo\u001b[31m', 'Bo\u202Eneb'],
    ...['Bo\u2028ben', 'Bo\u200Bben', 'Bo\u00A0ben', 'Bo\uFE0F', 'Bo\uD800'],
  ]) {
    for (const [action, body] of [
      ['preparation', { by }],
      ['reopening', { by, reason: 'the bank differs' }],
      ['journal', { by, format: 'csv' }],
    ] as const) {
      const { code } = await books.act('P1', action, anna, body);
      expect([by, action, code]).toEqual([by, action, 'invalid-request']);
    }
  }
  expect((await books.read('P1')).period).not.toHaveProperty('prepared');
});
