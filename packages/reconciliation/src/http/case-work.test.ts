import type {
  CaseRecord,
  CaseSummary,
  DecidedCase,
  Today,
} from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { expect, test } from 'vitest';
import { dayBefore, shareProgram, shopDays, startShop } from '../program.fixture.ts';

const shared = shareProgram((atEnd) => startShop(1, atEnd));

let isSynced = false;
/** Returns the shop's only case. */
async function theCase(): Promise<CaseRecord> {
  const { program } = shared;
  if (!isSynced) await program.sync(shopDays());
  isSynced = true;
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
  const [one] = cases;
  if (one === undefined) throw new Error('The shop has no case.');
  return one;
}

async function act(verb: string, body: object = {}): Promise<{ status: number; body: unknown }> {
  const { id } = await theCase();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const response = await shared.program.post(`/cases/${id}/${verb}`, body, headers);
  return { status: response.status, body: await response.json() };
}

const countOf = async (query: string) =>
  (await shared.program.get<CaseSummary>(`/cases/summary?${query}`)).count;

test('removes a snoozed case from the open queue, the aging and Today until it wakes', async () => {
  const { program } = shared;
  await theCase();
  const counts = async () => {
    const { counts: work } = await program.get<Today>('/today');
    const { cells } = await program.get<{ cells: unknown[] }>('/cases/aging');
    return [
      await countOf('state=open&snoozed=false'),
      await countOf('snoozed=true'),
      work.exception,
      cells.length,
    ];
  };
  expect(await counts()).toEqual([1, 0, 1, 1]);
  const until = addDays(dayBefore(0), 3);
  expect(await act('snooze', { until })).toMatchObject({
    status: 200,
    body: {
      state: 'open',
      snoozedUntil: `${until}T00:00:00.000Z`,
      can: ['assign', 'resolve', 'ignore', 'snooze', 'wake', 'merge', 'note'],
    },
  });
  expect(await counts()).toEqual([0, 1, 0, 0]);
  const csv = await (await program.app.request('/exports/cases')).text();
  expect(csv).toContain(`${until}T00:00:00`);
  expect(await act('wake')).toMatchObject({
    status: 200,
    body: { state: 'open', can: ['assign', 'resolve', 'ignore', 'snooze', 'merge', 'note'] },
  });
  expect(await counts()).toEqual([1, 0, 1, 1]);
  expect(await act('wake')).toMatchObject({ status: 409, body: { code: 'case-not-permitted' } });
});

test('returns similar cases, and 404 for an unknown case', async () => {
  const { program } = shared;
  const { id } = await theCase();
  expect(await program.get(`/cases/${id}/similar`)).toEqual({
    lender: 'Northway Credit',
    count: 0,
    cases: [],
  });
  expect((await program.app.request('/cases/none/similar')).status).toBe(404);
});

test('keeps a mention of a person until that person acts on the case', async () => {
  await theCase();
  await act('assign', { assignee: 'Ada', by: 'Tomas' });
  const count = () => countOf('state=open&mentioned=Ada');
  expect(await count()).toBe(0);
  await act('note', { note: '@ada please ask the lender', by: 'Tomas' });
  expect(await count()).toBe(1);
  expect(await countOf('mentioned=Tomas')).toBe(0);
  await act('note', { note: 'I wait for @ada', by: 'Tomas' });
  expect(await count()).toBe(1);
  await act('note', { note: 'They pay on Friday.', by: 'Ada' });
  expect(await count()).toBe(0);
});

test('counts several filters at once, and rejects an unknown filter', async () => {
  const { program } = shared;
  await theCase();
  const ask = (...filter: string[]) =>
    program.app.request(
      `/cases/counts?${filter.map((one) => `filter=${encodeURIComponent(one)}`).join('&')}`,
    );
  expect(await (await ask('state=open', 'state=ignored', '')).json()).toEqual({
    counts: [1, 0, 1],
  });
  expect(await (await ask('state=open')).json()).toEqual({ counts: [1] });
  expect((await ask('state=open', 'state=shut')).status).toBe(400);
  expect((await ask('lender=Northway Credit')).status).toBe(400);
  expect((await ask()).status).toBe(400);
});

test('rejects a day that is not after today', async () => {
  for (const until of [dayBefore(0), dayBefore(1), 'soon']) {
    expect(await act('snooze', { until })).toMatchObject({ status: 400 });
  }
});

test('acts on several cases in one request, each with its answer, and once with its key', async () => {
  const { program } = shared;
  const { id, revision } = await theCase();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const note = { verb: 'note', note: 'I ask @ada.', by: 'Tomas' };
  const operations = [
    { ...note, caseId: id, ifRevision: revision },
    { ...note, caseId: 'case_none' },
  ];
  const operate = async (list: unknown[]) => {
    const response = await program.post('/cases/operations', { operations: list }, headers);
    return { status: response.status, body: await response.json() };
  };
  const first = await operate(operations);
  expect(first).toMatchObject({
    status: 200,
    body: {
      results: [
        { caseId: id, revision: revision + 1, case: { id, revision: revision + 1 } },
        { caseId: 'case_none', problem: { code: 'case-not-found', status: 404 } },
      ],
    },
  });
  expect(await countOf('mentioned=Ada')).toBe(1);
  expect(await operate(operations)).toEqual(first);
  expect(await operate(operations.slice(1))).toMatchObject({
    status: 422,
    body: { code: 'idempotency-key-reused' },
  });
  expect(await theCase()).toMatchObject({ revision: revision + 1 });
});

test.each([
  ['no operation', []],
  ['a case twice', [1, 2].map(() => ({ verb: 'wake', caseId: 'case_1' }))],
  ['an unknown verb', [{ verb: 'close', caseId: 'case_1' }]],
  ['an operation without its reason', [{ verb: 'ignore', caseId: 'case_1' }]],
  ['a day that is not after today', [{ verb: 'snooze', caseId: 'case_1', until: dayBefore(0) }]],
  [
    'more than 1,000 operations',
    Array.from({ length: 1_001 }, (_, at) => ({ verb: 'wake', caseId: `case_${at}` })),
  ],
])('refuses a request on many cases with %s as a whole', async (_title, operations) => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const response = await shared.program.post('/cases/operations', { operations }, headers);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: 'invalid-request' },
  ]);
});

test('answers a decision with all that the page of the case shows next', async () => {
  const { program } = shared;
  const one = await theCase();
  const list = 'state=open&sort=money';
  const decide = async (verb: string, shown: string) => {
    const { id, revision: ifRevision } = await theCase();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = verb === 'note' ? { note: 'seen', ifRevision } : { reason: 'seen', ifRevision };
    const path = `/cases/${id}/${verb}?${new URLSearchParams({ shown }).toString()}`;
    const response = await program.post(path, body, headers);
    return { status: response.status, ...((await response.json()) as DecidedCase) };
  };
  const { page, ...record } = await decide('resolve', list);
  expect(record).toMatchObject({ status: 200, id: one.id, state: 'resolved' });
  expect(page?.events).toMatchObject([{ kind: 'resolved', detail: { reason: 'seen' } }]);
  expect(page?.queue).toEqual({ position: 1, others: 0 });
  expect(page?.order).toMatchObject({ orderKey: one.orderKey, cases: [{ state: 'resolved' }] });
  expect(page?.order.timeline.at(-1)).toMatchObject({ source: 'case', id: one.id });
  expect(await decide('reopen', 'sort=none')).toMatchObject({ status: 400 });
  expect((await decide('reopen', list)).page?.queue).toEqual({ position: 1, others: 0 });
});
