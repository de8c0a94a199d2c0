import {
  type CaseRecord,
  type CloseCheck,
  type PeriodOrders,
  type Walk,
  type WalkAmount,
  walkAmounts,
} from '@financing-checkout/contract/reconciliation';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { CompanionError } from '../companion/client.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { backUpFacts, openFacts } from '../facts/open.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { dayBefore } from '../program.fixture.ts';
import { describePeriod, listPeriods } from './read.ts';
import { verifySeals } from './verify.ts';
import { anna, at, ben, meddle, openBooks, type Books } from './periods.fixture.ts';

const unclearOperation = {
  id: 'op-1',
  chargeId: 'c-1',
  merchantOrderId: 'A-0',
  merchantTransactionId: 'mtx-op-1',
  kind: 'refund',
  state: 'unknown',
  amount: { value: 500, currency: 'USD' },
  createdAt: at(8),
  updatedAt: at(8),
} as const;
const statementOf = async (books: Books, id: string) => (await books.read(id)).statements[0];
const blocked = async (books: Books, id: string) =>
  (await books.read(id)).checks.flatMap(({ check, state }) => (state === 'blocked' ? [check] : []));

test('closes a period with two people, and seals its statement', async () => {
  const books = await openBooks();
  expect(await books.list()).toMatchObject({
    open: 'P2',
    periods: [
      { id: 'P3', state: 'future' },
      { id: 'P2', state: 'open' },
      { id: 'P1', state: 'open' },
    ],
  });
  const open = await books.read('P1');
  expect(open.checks.map(({ state }) => state)).toEqual(Array(8).fill('done'));
  expect(open.statements).toMatchObject([
    { opening: 0, expected: 20_001, awaiting: -10_001, discount: -150, net: 9_850, unexplained: 0 },
  ]);
  expect(await books.act('P1', 'close', ben)).toMatchObject({ code: 'period-not-permitted' });
  expect(await books.act('P1', 'preparation', anna)).toMatchObject({ status: 200 });
  expect(await books.act('P1', 'close', anna)).toMatchObject({ code: 'second-person-required' });
  expect((await books.read('P1')).period).toMatchObject({
    state: 'in-review',
    prepared: { by: 'anna' },
  });
  expect(await books.act('P1', 'close', ben)).toMatchObject({ status: 200 });
  const closed = await books.read('P1');
  expect(closed.statements).toEqual(open.statements);
  expect(closed.period).toMatchObject({
    state: 'closed',
    seal: { seq: 1, preparedBy: 'anna', approvedBy: 'ben', isApprovedBySecond: true },
  });
  expect((await books.list()).open).toBe('P2');
  expect(await books.act('P1', 'preparation')).toMatchObject({ code: 'period-not-permitted' });
});

test('opens and closes a period whose days were read in a zone that is unknown now', async () => {
  const books = await openBooks();
  meddle(books.store, (database) => database.exec(`update days set zone = 'Mars/Phobos'`));
  expect((await books.read('P1')).checks.map(({ state }) => state)).toEqual(Array(8).fill('done'));
  expect((await books.close('P1')).period.state).toBe('closed');
  const today = await books.get<{ items: unknown[] }>('/today');
  expect(JSON.stringify(today)).toContain('read in a time zone that this runtime does not know');
});

test('keeps a closed period unchanged, and counts later changes in the open one', async () => {
  const books = await openBooks();
  const sealed = (await books.close('P1')).statements;
  const before = await statementOf(books, 'P2');
  expect(before).toMatchObject({ opening: 10_001, expected: 0, net: 9_851, unexplained: 0 });
  // A late ledger line, a backdated chargeback, and a changed funding.
  books.order(2, 8);
  books.companion.records.push(
    wireRecord(0, at(8), {
      status: 'CHARGEBACK',
      transactionType: 'Refund',
      lenderReferenceId: 'LR-back',
    }),
  );
  books.companion.records[1] = wireRecord(1, at(5), { discountAmount: 2.5, netAmount: 97.51 });
  expect(await books.sync()).toMatchObject({ closed: [{ period: 'P1', days: [dayBefore(8)] }] });

  expect((await books.read('P1')).statements).toEqual(sealed);
  const { adjustments } = await books.adjustments('P2');
  const found = adjustments.map(({ orderKey, belongsTo, reason, inTransit }) => [
    orderKey,
    belongsTo,
    reason,
    inTransit,
  ]);
  expect(found.sort()).toEqual([
    ['order:A-0', 'P1', 'funding-changed', 0],
    ['order:A-2', 'P1', 'ledger-changed', 10_002],
  ]);
  const open = await books.read('P2');
  expect(open.adjustments).toEqual([{ belongsTo: 'P1', count: 2 }]);
  const [statement] = open.statements;
  expect(statement).toMatchObject({ opening: 10_001, expected: 10_002, unexplained: 0 });
  expect(statement?.chargebacks).toBeLessThan(0);
});

test('answers the same bytes about a sealed period after an import, a decision, a sync and a correction', async () => {
  const books = await openBooks({}, undefined, { slaDays: 1 });
  const { app, post } = books.program;
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { ...anna, ...(init.headers as Record<string, string>) };
    const response = await app.request(path, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.text();
  };
  const importLines = (...lines: object[]) => {
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    return ask('/ledger', { method: 'POST', headers, body });
  };
  const line = (order: string, amount: number) => ({
    merchantOrderId: order,
    type: 'Settle',
    amount,
    currency: 'USD',
    date: at(8),
    transactionId: `t-${order}`,
  });
  const decide = async (id: string | undefined, verb: string) => {
    const body = { reason: 'The lender says so.' };
    const headers = { ...anna, 'idempotency-key': `${verb}-${id}` };
    expect(await post(`/cases/${id}/${verb}`, body, headers)).toMatchObject({ status: 200 });
  };
  const casesOf = async (order: string) => {
    const { cases } = JSON.parse(await ask('/cases?state=open')) as { cases: CaseRecord[] };
    return cases.filter(({ merchantOrderId }) => merchantOrderId === order);
  };

  // P1 has accepted cases and P2 an adjustment of P1, whose case is decided between both closes.
  books.companion.records.push(wireRecord(3, at(8)));
  books.order(4, 9);
  books.companion.records.push(wireRecord(4, at(8), { transactionAmount: 80, netAmount: 78.5 }));
  await books.sync();
  await books.accept('P1', 'cases-decided');
  await books.close('P1');
  const [ignored] = await casesOf('A-4');
  await decide(ignored?.id, 'ignore');
  await books.accept('P2', 'cases-decided');
  await books.close('P2');

  const paths = ['P1', 'P2'].flatMap((id) => [
    `/periods/${id}`,
    `/periods/${id}/adjustments`,
    `/periods/${id}/adjustments?format=csv`,
    ...walkAmounts.map((step) => `/periods/${id}/orders?step=${step}`),
    `/walk?period=${id}`,
    `/walk?period=${id}&format=csv`,
    `/periods/${id}/journal?format=csv`,
  ]);
  const sealedPartOf = (answer: string) =>
    answer.replace(/,"sinceSeal":\{.*\}\}$/, '}').replace(/,"reopening":\{[^}]*\}/, '');
  const answers = () =>
    Promise.all(paths.map(async (path) => [path, sealedPartOf(await ask(path))]));
  const before = await answers();
  const stateOf = async (check: CloseCheck) => {
    const { checks, sinceSeal } = await books.read('P1');
    const then = checks.find((one) => one.check === check);
    const now = sinceSeal?.checks.find((one) => one.check === check);
    return { state: then?.state, sealed: then?.count, now: now?.count };
  };
  expect(await stateOf('cases-decided')).toEqual({ state: 'accepted', sealed: 2, now: 1 });
  expect(await books.adjustments('P2')).toMatchObject({
    adjustments: [{ reason: 'case-decided' }],
  });

  await importLines(line('A-3', 10_003), line('A-7', 700));
  await decide(ignored?.id, 'reopen');
  const [other] = await casesOf('A-3');
  if (other !== undefined) await decide(other.id, 'ignore');
  books.companion.records[1] = wireRecord(1, at(5), { discountAmount: 2.5, netAmount: 97.51 });
  books.companion.records.push(wireRecord(8, at(8), { transactionAmount: 'seven' }));
  await books.sync();
  await importLines({ ...line('A-7', 800), transactionId: 't-A-7-corrected' });
  await books.act('P2', 'reopening', anna, { reason: 'The bank differs.' });

  expect(await answers()).toEqual(before);
  expect(await stateOf('fundings-counted')).toEqual({ state: 'done', sealed: 0, now: 1 });
  const { sinceSeal } = await books.read('P1');
  expect(sinceSeal?.open).toBe('P3');
  expect(sinceSeal?.orders).toBeGreaterThan(0);
});

test('accepts nothing in the checklist of a closed period', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  await books.accept('P1', 'cases-decided');
  await books.close('P1');
  expect(await books.accept('P1', 'cases-decided')).toMatchObject({ code: 'period-not-permitted' });
});

test('does not count a newly known lender of an order in transit as an adjustment', async () => {
  const books = await openBooks();
  books.order(2, 8);
  await books.sync();
  await books.close('P1');
  books.companion.records.push(wireRecord(2, at(4)));
  await books.sync();
  expect((await books.read('P2')).adjustments).toEqual([]);
  expect(await books.adjustments('P2')).toMatchObject({ adjustments: [], count: 0 });
  const closed = await books.close('P2');
  expect(closed.adjustments).toEqual([]);
  expect(closed.statements[0]?.opening).toBe(20_003);
});

test('seals adjustments with the period in which they count, once', async () => {
  const books = await openBooks();
  await books.close('P1');
  books.order(2, 8);
  await books.sync();
  books.companion.records.push(wireRecord(2, at(4)));
  await books.sync();
  const closed = await books.close('P2');
  expect(closed.adjustments).toEqual([{ belongsTo: 'P1', count: 1 }]);
  expect(await books.adjustments('P2')).toMatchObject({ isSealed: true, count: 1 });
  expect(await books.read('P3')).toMatchObject({ adjustments: [] });
  const [before] = closed.statements;
  const after = await statementOf(books, 'P3');
  expect(after?.opening).toBe(0 - (before?.awaiting ?? 0));
});

test('lists the orders of each amount of a statement, with a total that equals it', async () => {
  const books = await openBooks();
  const orders = async (id: string, step: WalkAmount, query = '') =>
    books.get<PeriodOrders>(`/periods/${id}/orders?step=${step}${query}`);
  const expectTotals = async (id: string) => {
    const { statements } = await books.read(id);
    for (const step of walkAmounts) {
      const { sums, count } = await orders(id, step);
      const amount = statements[0]?.[step] ?? 0;
      expect([step, sums]).toEqual([step, amount === 0 ? [] : [{ currency: 'USD', amount }]]);
      expect(count > 0).toBe(amount !== 0);
    }
    return statements;
  };
  await expectTotals('P1');
  expect(await books.close('P1')).toBeDefined();
  books.order(2, 8);
  await books.sync();
  const [sealed] = await expectTotals('P1');
  expect(sealed?.discount).toBe(-150);
  await expectTotals('P2');
  expect(await orders('P1', 'awaiting')).toMatchObject({
    isSealed: true,
    step: 'awaiting',
    orders: [{ merchantOrderId: 'A-1', currency: 'USD', amount: -10_001 }],
    count: 1,
  });
  expect(await orders('P2', 'expected', '&currency=USD&limit=1')).toMatchObject({
    isSealed: false,
    orders: [{ merchantOrderId: 'A-2', amount: 10_002 }],
  });
  expect(await orders('P2', 'expected', '&currency=EUR')).toMatchObject({ orders: [], sums: [] });
  const walk = await books.get<Walk>('/walk?period=P2');
  expect(walk.book).toEqual({ period: 'P2', isSealed: false, adjustments: 1 });
  const sealedWalk = await books.get<Walk>('/walk?period=P1');
  expect(sealedWalk).toMatchObject({
    asOf: (await books.read('P1')).period.seal?.at,
    complete: true,
    unprovenDays: 0,
    book: { period: 'P1', isSealed: true, adjustments: 0 },
  });
});

test('exports adjustments and the orders of a step', async () => {
  const books = await openBooks();
  await books.close('P1');
  books.order(2, 8);
  await books.sync();
  const file = async (path: string) =>
    (await (await books.program.app.request(`/periods/${path}`, { headers: anna })).text())
      .trim()
      .split('\r\n');
  const [head, ...rows] = await file('P2/adjustments?format=csv');
  expect(head).toMatch(
    /^period,sealed,belongs_to,order,order_key,currency,lender,reason,in_transit,/,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('P2,no,P1,A-2,order:A-2,USD,,ledger-changed,100.02,100.02,0.00');
  expect(await file('P1/orders?step=discount&format=csv')).toEqual([
    'period,sealed,step,order,order_key,currency,lender,amount',
    expect.stringMatching(/^P1,yes,discount,A-0,order:A-0,USD,[^,]+,-1\.50$/),
  ]);
});

test('states before an import how many lines belong to closed periods', async () => {
  const books = await openBooks();
  await books.close('P1');
  const line = (order: string, daysAgo: number) =>
    JSON.stringify({
      merchantOrderId: order,
      type: 'Settle',
      amount: 500,
      currency: 'USD',
      date: at(daysAgo),
      transactionId: `t-${order}`,
    });
  const response = await books.program.app.request('/ledger?options={"dryRun":true}', {
    method: 'POST',
    headers: { ...anna, 'content-type': 'application/x-ndjson' },
    body: [line('N-1', 12), line('N-2', 8), line('N-3', 4)].join('\n'),
  });
  expect(await response.json()).toMatchObject({
    errorCount: 0,
    closed: [{ period: 'P1', lines: 2 }],
  });
});

test('cancels a preparation when the statement changes, and refuses an incomplete one', async () => {
  const books = await openBooks();
  await books.act('P1', 'preparation', anna);
  books.order(2, 9, 8);
  await books.sync();
  expect(await books.act('P1', 'close', ben)).toMatchObject({ code: 'period-changed' });
  expect((await books.read('P1')).period.state).toBe('open');

  books.companion.records.push(wireRecord(3, at(8)));
  books.companion.operations.push(unclearOperation);
  await books.sync();
  expect(await blocked(books, 'P1')).toEqual(['cases-decided', 'operations-clear']);
  const refused = await books.act('P1', 'preparation', anna);
  expect(refused).toMatchObject({ code: 'period-not-ready' });
  expect(refused.detail).toContain('operations-clear (1)');
  books.companion.operations.length = 0;

  expect(await books.accept('P1', 'cases-decided')).toMatchObject({ status: 200 });
  expect(await blocked(books, 'P1')).toEqual([]);
  // A new case: the acceptance covered only the earlier finding.
  books.companion.records.push(wireRecord(4, at(8)));
  await books.sync();
  expect(await blocked(books, 'P1')).toEqual(['cases-decided']);
});

test('reports a code while the companion does not respond', async () => {
  const books = await openBooks();
  const ctx = books.program.engine.periods();
  const unclearOperations = () => Promise.reject(new CompanionError('no answer within 10 s'));
  const { checks } = await describePeriod({ ...ctx, unclearOperations }, 'P1');
  expect(checks.find(({ check }) => check === 'operations-clear')).toMatchObject({
    state: 'blocked',
    count: 1,
    examples: [],
    failure: {
      code: 'companion-unavailable',
      message: 'The request to the companion failed: no answer within 10 s.',
    },
  });
});

test('requires a merged case to be decided, and keeps an acceptance when cases are merged', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)), wireRecord(4, at(8)));
  await books.sync();
  expect(await books.accept('P1', 'cases-decided')).toMatchObject({ status: 200 });
  const { app, post } = books.program;
  const answer = await app.request('/cases?state=open', { headers: anna });
  const { cases } = (await answer.json()) as { cases: CaseRecord[] };
  const [one, main] = cases.map(({ id }) => id);
  const act = async (id: string | undefined, verb: string, body: object) => {
    const headers = { ...anna, 'idempotency-key': verb };
    expect(await post(`/cases/${id}/${verb}`, body, headers)).toMatchObject({ status: 200 });
  };
  await act(one, 'merge', { into: main });
  const found = async () =>
    (await books.read('P1')).checks.find(({ check }) => check === 'cases-decided');
  expect(await found()).toMatchObject({ state: 'accepted', count: 2 });
  await act(main, 'resolve', { reason: 'paid' });
  expect(await found()).toMatchObject({ state: 'done', count: 0 });
});

test('keeps closed periods unchanged when the calendar changes', async () => {
  const books = await openBooks();
  await books.close('P1');
  const { engine } = books.program;
  const ctx = engine.periods();
  const weeks = [{ id: 'N1', from: dayBefore(20), to: dayBefore(4) }];
  const changed = await listPeriods({ ...ctx, policy: { ...ctx.policy, periods: weeks } });
  expect(changed.periods.map(({ id, from, to, state }) => [id, from, to, state])).toEqual([
    ['N1', dayBefore(6), dayBefore(4), 'open'],
    ['P1', dayBefore(10), dayBefore(7), 'closed'],
  ]);
  expect(changed.open).toBe('N1');
});

test('reopens the last closed period with two people, and keeps its seal readable', async () => {
  const books = await openBooks();
  await books.close('P1');
  await books.close('P2');
  const reason = { reason: 'the statement of the bank differs' };
  expect(await books.act('P1', 'reopening', anna, reason)).toMatchObject({
    code: 'period-not-permitted',
  });
  expect(await books.act('P2', 'reopening', anna)).toMatchObject({ code: 'invalid-request' });
  expect(await books.act('P2', 'reopening', anna, reason)).toMatchObject({ status: 200 });
  expect((await books.read('P2')).period).toMatchObject({ state: 'closed', reopening: reason });
  expect(await books.act('P2', 'reopening', anna)).toMatchObject({
    code: 'second-person-required',
  });
  expect(await books.act('P2', 'reopening', ben)).toMatchObject({ status: 200 });
  expect((await books.read('P2')).period).toMatchObject({
    state: 'open',
    seal: { seq: 2, reopened: { by: 'anna', approvedBy: 'ben', ...reason } },
  });
  await books.close('P2');
  expect(await books.verify()).toMatchObject({
    isIntact: true,
    seals: [{ seq: 1 }, { seq: 2 }, { seq: 3, period: 'P2' }],
  });
});

test('detects each tampered seal, fact and statement, and names it', async () => {
  const books = await openBooks();
  await books.close('P1');
  expect(await books.verify()).toMatchObject({ isIntact: true });
  const day = '(select day from sealed_days order by day limit 1)';
  const tampered: [statement: string, problem: object][] = [
    [
      `update seals set body = replace(body, '20001', '20002')`,
      { code: 'statements-altered', message: 'its SHA-256 is not the one that the trail states' },
    ],
    ['update seals set seq = 2', { code: 'not-in-trail' }],
    [`update seal_flows set content = x'00'`, { code: 'flows-altered' }],
    [
      `update day_contents set content = x'00' where day = ${day}`,
      { code: 'day-altered', subject: dayBefore(11) },
    ],
    [
      `update day_contents set checksum = 'x' where day = ${day}`,
      {
        code: 'day-missing',
        message: `the content of ${dayBefore(11)} is missing, or was altered`,
      },
    ],
    ['delete from seals', { code: 'seal-missing' }],
  ];
  for (const [index, [statement, problem]] of tampered.entries()) {
    const file = join(temporaryFolder(), `copy-${index}.db`);
    await backUpFacts(books.store, file);
    const database = new DatabaseSync(file);
    database.exec(statement);
    database.close();
    const facts = await openFacts(file);
    onTestFinished(() => facts.close());
    const { isIntact, seals } = await verifySeals(facts);
    expect(isIntact).toBe(false);
    expect(seals[0]?.problems[0]).toMatchObject(problem);
  }
});

test('keeps a sealed content when a sync replaces it', async () => {
  const books = await openBooks();
  await books.close('P1');
  books.companion.records[0] = wireRecord(0, at(9), { lenderName: 'Southway Credit' });
  await books.sync();
  expect(await books.verify()).toMatchObject({ isIntact: true });
  const [seal] = await books.program.engine.facts.seals();
  expect(seal?.body).not.toContain('Quill');
});
