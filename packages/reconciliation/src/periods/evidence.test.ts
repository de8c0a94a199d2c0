import { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { describe, expect, test } from 'vitest';
import { verifyTrail } from '../cases/trail.ts';
import type { FactStore, ListedImportFact } from '../facts/store.ts';
import { forgeTrail } from '../facts/trail.fixture.ts';
import type { TrailEvent } from '../facts/trail.ts';
import { canonicalJson } from '../platform/digest.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { checkPeriod } from './checklist.ts';
import { anna, at, ben, type Books, meddle, openBooks, periods } from './periods.fixture.ts';
import { REQUEST_DAYS } from './read.ts';

const DAY_MS = 86_400_000;
const reason = 'the statement of the bank differs';

/** Writes the trail anew, with all hashes, as a person with write access to the store can. */
const rewrite = (store: string, facts: FactStore, alter: (event: TrailEvent) => TrailEvent) =>
  forgeTrail(
    {
      meddle: (statements) => {
        meddle(store, (database) => database.exec(statements));
        return Promise.resolve();
      },
    },
    facts,
    (events) => events.map(alter),
  );

const asBen = (kind: string) => (event: TrailEvent) =>
  event.kind === kind ? { ...event, actor: 'ben' } : event;

test('refuses a close whose preparer was replaced in the record store', async () => {
  const books = await openBooks();
  await books.act('P1', 'preparation', anna);
  meddle(books.store, (database) =>
    database.exec(`update trail set actor = 'ben' where kind = 'close-preparation'`),
  );
  const refused = await books.act('P1', 'close', anna);
  expect(refused).toMatchObject({ code: 'period-not-permitted' });
  expect(refused.detail).toMatch(/event \d+ was changed/);
  expect((await books.list()).periods.at(-1)).not.toHaveProperty('seal');
});

test('refuses a close after the whole trail was rewritten, which also differs from the logged anchor', async () => {
  const books = await openBooks();
  const logged: object[] = [];
  const { logger } = books.program.engine;
  const log = logger.log.bind(logger);
  logger.log = (level, event, fields = {}) => {
    if (event === 'trail-anchor') logged.push(fields);
    log(level, event, fields);
  };
  await books.act('P1', 'preparation', anna);
  const { facts } = books.program.engine;
  await rewrite(books.store, facts, asBen('close-preparation'));
  const refused = await books.act('P1', 'close', anna);
  expect(refused).toMatchObject({ code: 'period-not-permitted' });
  expect(refused.detail).toContain('differs from the anchor');
  // After a restart, only the log remembers the previous head.
  const { anchor } = logged[0] as { anchor: string };
  expect(await verifyTrail({ facts, environment: 'sandbox', anchor })).toMatchObject({
    valid: false,
    broken: { reason: 'differs from the anchor' },
  });
});

test('reads a reopening only from the trail, and detects a replaced name there', async () => {
  const books = await openBooks();
  await books.close('P1');
  const columns = new DatabaseSync(books.store)
    .prepare(`select name from pragma_table_info('seals')`)
    .all()
    .map(({ name }) => name);
  expect(columns).toEqual(['seq', 'number', 'period', 'at', 'body']);
  await books.act('P1', 'reopening', anna, { reason });
  await books.act('P1', 'reopening', ben);
  expect((await books.read('P1')).period.seal?.reopened).toMatchObject({
    by: 'anna',
    approvedBy: 'ben',
    reason,
  });
  meddle(books.store, (database) =>
    database.exec(`update trail set actor = 'clara' where kind = 'reopening'`),
  );
  expect(await books.verify()).toMatchObject({
    isIntact: false,
    trail: expect.stringMatching(/^event \d+ was changed$/) as string,
  });
});

test.each([
  ['preparer', 'close-preparation', 'preparer-altered'],
  ['approver', 'close', 'approver-altered'],
])('detects a replaced %s in a trail that was rewritten with all hashes', async (_, kind, code) => {
  const books = await openBooks();
  await books.close('P1');
  const { facts } = books.program.engine;
  await rewrite(books.store, facts, (event) =>
    event.kind === kind ? { ...event, actor: 'clara' } : event,
  );
  const { isIntact, seals } = await books.verify();
  expect(isIntact).toBe(false);
  const codes = seals[0]?.problems.map((problem) => problem.code);
  // The seal contains the trail's head at its time.
  expect(codes).toEqual([code, 'trail-altered']);
});

test('detects a seal whose acceptance has another reason in the trail', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  await books.accept('P1', 'cases-decided');
  await books.close('P1');
  expect(await books.verify()).toMatchObject({ isIntact: true });
  const { facts } = books.program.engine;
  await rewrite(books.store, facts, (event) => ({
    ...event,
    detail: event.detail.replace('known, the lender', 'unknown, the lender'),
  }));
  const [seal] = (await books.verify()).seals;
  expect(seal?.problems).toMatchObject([
    { code: 'acceptance-altered', subject: 'cases-decided' },
    { code: 'trail-altered' },
  ]);
});

test('detects a forged seal next to an interrupted close', async () => {
  const books = await openBooks();
  await books.close('P1');
  const { facts } = books.program.engine;
  const [seal] = await facts.seals();
  // An interrupted close leaves only its beginning in the trail.
  const action = {
    at: Date.now(),
    actor: 'anna',
    kind: 'close',
    subject: 'P2',
    detail: {},
  } as const;
  await facts.beginAction(action);
  const { period, ...body } = JSON.parse(seal?.body ?? '') as { period: object };
  const forged = canonicalJson({ ...body, period: { ...period, id: 'P2' } });
  meddle(books.store, (database) => {
    database.prepare('insert into seals values (2, 9999, ?, 1, ?)').run('P2', forged);
    database.exec('insert into seal_flows select 2, content, checksum from seal_flows');
  });
  const found = await books.verify();
  expect(found.isIntact).toBe(false);
  expect(found.seals[1]?.problems).toMatchObject([{ code: 'not-in-trail' }]);
});

/** Books whose clock can be advanced. */
async function openTimed(): Promise<Books & { wait: (days: number) => void }> {
  let passed = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + passed };
  const books = await openBooks({}, undefined, { clock, leaseMs: 24 * DAY_MS });
  return { ...books, wait: (days) => void (passed += days * DAY_MS) };
}

test('a request for a second person lapses after the stated time', async () => {
  const books = await openTimed();
  await books.act('P1', 'preparation', anna);
  const { prepared } = (await books.read('P1')).period;
  expect(Date.parse(prepared?.lapsesAt ?? '') - Date.parse(prepared?.at ?? '')).toBe(
    REQUEST_DAYS * DAY_MS,
  );
  books.wait(REQUEST_DAYS);
  expect((await books.read('P1')).period).toMatchObject({ state: 'open' });
  expect(await books.act('P1', 'close', ben)).toMatchObject({ code: 'period-not-permitted' });
  await books.close('P1');

  await books.act('P1', 'reopening', anna, { reason: 'of months ago' });
  books.wait(REQUEST_DAYS);
  // Another person requests it again: the old request must not take effect with the new reason.
  expect(await books.act('P1', 'reopening', ben, { reason })).toMatchObject({ status: 200 });
  expect((await books.read('P1')).period).toMatchObject({
    state: 'closed',
    reopening: { by: 'ben', reason },
  });
});

test('refuses the reason of another person while a request to reopen is pending', async () => {
  const books = await openBooks();
  await books.close('P1');
  await books.act('P1', 'reopening', anna, { reason });
  const refused = await books.act('P1', 'reopening', ben, { reason: 'quite another one' });
  expect(refused).toMatchObject({ code: 'period-not-permitted' });
  expect(refused.detail).toContain(`anna has asked to reopen P1 already: ${reason}.`);
  expect((await books.read('P1')).period).toMatchObject({ state: 'closed' });
  // The author may improve the reason.
  await books.act('P1', 'reopening', anna, { reason: 'a better one' });
  expect((await books.read('P1')).period.reopening).toMatchObject({ reason: 'a better one' });
});

test('approves only the request that the person has seen', async () => {
  const books = await openBooks();
  await books.close('P1');
  await books.act('P1', 'reopening', anna, { reason });
  const { request } = (await books.read('P1')).period.reopening ?? {};
  await books.act('P1', 'reopening', anna, { reason: 'quite another one' });
  expect(await books.act('P1', 'reopening', ben, { request })).toMatchObject({
    code: 'period-changed',
  });
  const newer = (await books.read('P1')).period.reopening?.request;
  expect(await books.act('P1', 'reopening', ben, { request: newer })).toMatchObject({
    status: 200,
  });
});

test('lets both persons withdraw a request for a second person', async () => {
  const books = await openBooks();
  const withdraw = (of: string, person = anna) => books.act('P1', 'withdrawal', person, { of });
  expect(await withdraw('preparation')).toMatchObject({ code: 'period-not-permitted' });
  await books.act('P1', 'preparation', anna);
  expect(await withdraw('preparation', ben)).toMatchObject({ status: 200 });
  expect(await books.act('P1', 'close', ben)).toMatchObject({ code: 'period-not-permitted' });
  await books.close('P1');
  await books.act('P1', 'reopening', anna, { reason });
  expect(await withdraw('reopening')).toMatchObject({ status: 200 });
  expect((await books.read('P1')).period).not.toHaveProperty('reopening');
  expect(await books.act('P1', 'reopening', ben)).toMatchObject({ code: 'invalid-request' });
});

test('closes only the statements that the approver has seen', async () => {
  const books = await openBooks();
  await books.act('P1', 'preparation', anna);
  const { statementsHash: statements } = await books.read('P1');
  books.order(2, 9, 8);
  await books.sync();
  await books.act('P1', 'preparation', anna);
  expect(await books.act('P1', 'close', ben, { statements })).toMatchObject({
    code: 'period-changed',
  });
  const now = (await books.read('P1')).statementsHash;
  expect(await books.act('P1', 'close', ben, { statements: now })).toMatchObject({ status: 200 });
});

describe('an acceptance', () => {
  const stateOf = async (books: Books, check: string) =>
    (await books.read('P1')).checks.find((one) => one.check === check)?.state;

  test('of one funding in quarantine does not cover another one', async () => {
    const books = await openBooks();
    const { records } = books.companion;
    records.push(wireRecord(7, at(8), { transactionAmount: '1.00 dollar' }));
    await books.sync();
    expect(await books.accept('P1', 'fundings-counted')).toMatchObject({ status: 200 });
    expect(await stateOf(books, 'fundings-counted')).toBe('accepted');
    records.pop();
    records.push(wireRecord(8, at(8), { transactionAmount: '98765.00 dollars' }));
    await books.sync();
    expect(await stateOf(books, 'fundings-counted')).toBe('blocked');
  });

  test('of one funding in quarantine does not cover a changed amount', async () => {
    const books = await openBooks();
    const { records } = books.companion;
    records.push(wireRecord(7, at(8), { transactionAmount: '1.00 dollar' }));
    await books.sync();
    await books.accept('P1', 'fundings-counted');
    records[records.length - 1] = wireRecord(7, at(8), { transactionAmount: '98765.00 dollars' });
    await books.sync();
    expect(await stateOf(books, 'fundings-counted')).toBe('blocked');
  });

  test('of two cases does not cover other amounts with the same sum', async () => {
    const books = await openBooks();
    const { records } = books.companion;
    const [three, four] = [records.length, records.length + 1];
    records.push(wireRecord(3, at(8)), wireRecord(4, at(8)));
    await books.sync();
    expect(await books.accept('P1', 'cases-decided')).toMatchObject({ status: 200 });
    const sumsOf = async () =>
      (await books.read('P1')).checks.find(({ check }) => check === 'cases-decided');
    const before = await sumsOf();
    records[three] = wireRecord(3, at(8), { transactionAmount: 150.03, netAmount: 148.53 });
    records[four] = wireRecord(4, at(8), { transactionAmount: 50.04, netAmount: 48.54 });
    await books.sync();
    const after = await sumsOf();
    const { amounts, count, examples } = before ?? {};
    expect(after).toMatchObject({ amounts, count, examples, state: 'blocked' });
  });

  test('of missing sources covers all of them, even those that are not listed', async () => {
    const { engine } = (await openBooks()).program;
    const [before, period] = periods;
    if (before === undefined || period === undefined) throw new TypeError('A period is missing.');
    const check = (sources: readonly string[]) => {
      const day = Date.parse(at(8));
      const imports = sources.map((source, index): ListedImportFact => ({
        id: `imp_${index}`,
        number: index + 1,
        action: 'add',
        source: 'import',
        actor: 'anna',
        digest: '',
        count: 1,
        at: day,
        origin: { source, isStated: true, columns: '', from: day, to: day },
        isWithdrawn: false,
      }));
      return engine.data.database.read(async (connection) => {
        const found = await checkPeriod(
          {
            facts: { days: () => Promise.resolve([]), imports: () => Promise.resolve(imports) },
            connection,
            now: Date.now(),
            zone: 'UTC',
            period,
            before,
            isNext: true,
            untilAt: 0,
            statements: [],
            unexplained: () => Promise.reject(new Error('Nothing is unexplained.')),
            unclear: { operations: [], failure: undefined },
          },
          {},
        );
        return found.find((one) => one.check === 'imports-present');
      });
    };
    const listed = Array.from({ length: 20 }, (_, index) => `shop-${index + 10}`);
    const [one, other] = [await check([...listed, 'shop-30']), await check([...listed, 'shop-31'])];
    expect(one).toMatchObject({ count: 21, examples: listed });
    expect({ ...other, digest: one?.digest }).toEqual(one);
    expect(other?.digest).not.toBe(one?.digest);
  });

  test('is refused if the records differ from those that the person has seen', async () => {
    const books = await openBooks();
    books.companion.records.push(wireRecord(3, at(8)));
    await books.sync();
    const { checks } = await books.read('P1');
    const digest = checks.find(({ check }) => check === 'cases-decided')?.digest;
    books.companion.records.push(wireRecord(4, at(8)));
    await books.sync();
    const request = { check: 'cases-decided', reason: 'known', digest };
    expect(await books.act('P1', 'acceptance', anna, request)).toMatchObject({
      code: 'period-changed',
    });
    expect(await stateOf(books, 'cases-decided')).toBe('blocked');
  });
});
