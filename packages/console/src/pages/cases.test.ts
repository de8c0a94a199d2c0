import { permittedVerbs } from '@financing-checkout/contract/plain';
import { expect, it, onTestFinished, vi } from 'vitest';
import { currentSession } from '../api/session.ts';
import { NAVIGATED, navigate } from '../parts/navigation.ts';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { useStyles } from '../styles.fixture.ts';
import { leaveCase, placeOf } from './cases/queue.ts';
import './cases.ts';

useStyles(base, parts);

const caseOf = (number: number, more: object = {}) => ({
  id: `case_${number}`,
  revision: number,
  orderKey: `order:A-${number}`,
  merchantOrderId: `A-${number}`,
  currency: 'USD',
  code: 'AMOUNT_MISMATCH',
  state: 'open',
  amount: -100 * number,
  count: 1,
  since: '2026-03-01T00:00:00.000Z',
  ageDays: number,
  dueAt: '2026-03-06T00:00:00.000Z',
  openedAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.000Z',
  can: permittedVerbs({
    state: 'open',
    isMerged: 'mergedInto' in more,
    isSnoozed: false,
    isMain: 'together' in more,
    ...more,
  }),
  ...more,
});

const answers: Readonly<Record<string, object>> = {
  '/cases': { cases: [caseOf(1), caseOf(2), caseOf(3)] },
  '/cases/aging': { asOf: '2026-03-02T00:00:00.000Z', assumedCurrency: 0, cells: [] },
  '/cases/people': { people: ['anna', 'ben'] },
  '/cases/summary': { count: 3, assumedCurrency: 0, countedWithOthers: 0, amounts: [] },
  '/cases/counts': { counts: [3, 3, 3, 3, 3, 3, 3, 3] },
  '/radar': { rows: [{ lender: 'Northway Credit' }, { lender: 'Meadow Credit' }] },
};

/** Opens the queue, and returns the addresses of its requests for cases. */
function mounted(search = '', more: Readonly<Record<string, object>> = {}) {
  history.replaceState(history.state, '', `/console/cases${search}`);
  const asked: string[] = [];
  const requested: URL[] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => {
      const url = new URL(address, location.href);
      const { pathname } = url;
      requested.push(url);
      if (pathname === '/cases') asked.push(address);
      const answer = more[address] ?? more[pathname] ?? answers[pathname];
      return Promise.resolve(
        answer === undefined ? new Response('', { status: 404 }) : Response.json(answer),
      );
    }),
  );
  const page = document.createElement('console-cases');
  Object.assign(page, { search, session: { name: 'anna', scopes: ['read', 'cases'] } });
  const follow = () => Object.assign(page, { search: location.search });
  addEventListener(NAVIGATED, follow);
  onTestFinished(() => removeEventListener(NAVIGATED, follow));
  document.body.append(page);
  const head = (name: string) =>
    [...page.querySelectorAll('thead th')].find(({ textContent }) => textContent.trim() === name);
  return { page, asked, requested, head };
}

it('sorts on the server by the column whose head is pressed, and in the other direction by the next press', async () => {
  const { asked, head } = mounted();
  await expect.poll(() => head('Amount')?.getAttribute('aria-sort')).toBe('descending');
  const press = (name: string) => head(name)?.querySelector('button')?.click();
  press('Age');
  await expect.poll(() => head('Age')?.getAttribute('aria-sort')).toBe('descending');
  expect(head('Amount')?.getAttribute('aria-sort')).toBe('none');
  press('Age');
  await expect.poll(() => head('Age')?.getAttribute('aria-sort')).toBe('ascending');
  expect(location.search).toBe('?sort=age&direction=asc');
  press('Amount');
  await expect.poll(() => head('Amount')?.getAttribute('aria-sort')).toBe('descending');
  expect(location.search).toBe('');
  expect(asked).toEqual([
    '/cases?state=open&snoozed=false&merged=false',
    '/cases?state=open&snoozed=false&merged=false&sort=age',
    '/cases?state=open&snoozed=false&merged=false&sort=age&direction=asc',
    '/cases?state=open&snoozed=false&merged=false',
  ]);
});

it('loads the cases of the filters that were chosen after the session had ended, once it starts again', async () => {
  const { page } = mounted();
  const rows = () => page.querySelectorAll('tbody a.name');
  await expect.poll(rows).toHaveLength(3);
  const served = fetch;
  const refused = () => Promise.resolve(Response.json({ code: 'session-ended' }, { status: 401 }));
  vi.stubGlobal('fetch', vi.fn(refused));
  navigate('/console/cases?code=AMOUNT_MISMATCH');
  await expect.poll(() => textOf(page.querySelector('wa-callout'))).toContain('session has ended');
  const matching = { cases: [caseOf(2)] };
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => {
      if (address === '/console/session') return Promise.resolve(Response.json({ name: 'anna' }));
      return address.startsWith('/cases?') && address.includes('code=AMOUNT_MISMATCH')
        ? Promise.resolve(Response.json(matching))
        : served(address);
    }),
  );
  await currentSession();
  await expect.poll(rows).toHaveLength(1);
  expect(page.querySelector('wa-callout')).toBeNull();
});

it('offers to clear the filters beside the number of matching cases, where folded filters do not hide it', async () => {
  const { page } = mounted('?code=AMOUNT_MISMATCH&sort=age');
  const button = () =>
    [...page.querySelectorAll('button')].find((one) => textOf(one) === 'Clear filters');
  await expect.poll(button).toBeDefined();
  expect(button()?.closest('details')).toBeNull();
  button()?.click();
  expect(location.search).toBe('');
  await expect.poll(button).toBeUndefined();
});

it('exports the cases in the order of the queue', async () => {
  const { page, head } = mounted('?sort=assignee');
  await expect.poll(() => head('Assigned to')?.getAttribute('aria-sort')).toBe('ascending');
  const link = page.querySelector<HTMLAnchorElement>('.exports a');
  expect(new URL(link?.href ?? '').searchParams.get('sort')).toBe('assignee');
});

it('moves the focus between the links of rows with J, K and arrows, and remembers the queue', async () => {
  const { page } = mounted('?code=AMOUNT_MISMATCH');
  const links = () => [...page.querySelectorAll<HTMLElement>('tbody a.name')];
  await expect.poll(() => links().length).toBe(3);
  const press = (key: string) =>
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  const focused = () => links().findIndex((link) => link === document.activeElement);
  // Arrows scroll until a row has the focus.
  press('ArrowDown');
  expect(focused()).toBe(-1);
  press('j');
  expect(focused()).toBe(0);
  press('j');
  press('ArrowDown');
  expect(focused()).toBe(2);
  press('j');
  expect(focused()).toBe(2);
  press('k');
  expect(focused()).toBe(1);
  press('x');
  await expect
    .poll(() => page.querySelector('.bulk-bar')?.textContent)
    .toContain('1 case selected');
  const place = await placeOf('case_2', new AbortController().signal);
  expect(place).toEqual({
    search: '?code=AMOUNT_MISMATCH',
    position: 2,
    count: 3,
    hasMore: false,
    previous: 'case_1',
    next: 'case_3',
  });
});

it('has the focus on the row of the case from which the person comes, or on the one in its place', async () => {
  const focused = () => document.activeElement?.getAttribute('href');
  const { page } = mounted();
  await expect.poll(() => page.querySelectorAll('tbody a.name')).toHaveLength(3);
  expect(focused()).toBeFalsy();
  const leave = (id: string) => {
    navigate(`/console/cases/${id}`);
    navigate('/console/cases');
    leaveCase(id);
  };
  page.remove();
  leave('case_2');
  const { page: again } = mounted();
  await expect.poll(focused).toBe('/console/cases/case_2');
  again.remove();
  leave('case_2');
  const open = '/cases?state=open&snoozed=false&merged=false';
  const { page: resolved } = mounted('', { [open]: { cases: [caseOf(1), caseOf(3)] } });
  await expect.poll(focused).toBe('/console/cases/case_3');
  // The person looks at another page in between.
  resolved.remove();
  leave('case_1');
  navigate('/console/orders');
  const { page: last } = mounted();
  await expect.poll(() => last.querySelectorAll('tbody a.name')).toHaveLength(3);
  await new Promise(requestAnimationFrame);
  expect(focused()).toBeFalsy();
});

const textOf = (element: Element | null | undefined) =>
  element?.textContent.replaceAll(/\s+/g, ' ').trim();

it('links the views with their counts, and shows the money of all matching cases', async () => {
  const { page, requested } = mounted('?unassigned=true&sort=age', {
    '/cases/summary?state=open&unassigned=true&snoozed=false&merged=false': {
      count: 1_200,
      assumedCurrency: 1,
      countedWithOthers: 2,
      amounts: [{ currency: 'USD', count: 1_199, amount: 482_354 }],
    },
    '/cases/counts': { counts: [3, 7, 5, 1_200, 2, 3, 4, 6] },
  });
  const views = () => [...page.querySelectorAll('cases-views nav a')].map((one) => textOf(one));
  await expect
    .poll(views)
    .toEqual([
      'All open 3',
      'Mine 7',
      'Mentions me 5',
      'Not assigned 1,200',
      'Decision overdue 2',
      'Older than 7 days 3',
      'Snoozed 4',
      'Handled with another case 6',
    ]);
  const counted = requested.find(({ pathname }) => pathname === '/cases/counts');
  expect(counted?.searchParams.getAll('filter')).toEqual([
    'state=open&snoozed=false&merged=false',
    'state=open&assignee=anna&snoozed=false&merged=false',
    'state=open&mentioned=anna&snoozed=false&merged=false',
    'state=open&unassigned=true&snoozed=false&merged=false',
    'state=open&overdue=true&snoozed=false&merged=false',
    'state=open&days=7&snoozed=false&merged=false',
    'state=open&snoozed=true&merged=false',
    'state=open&snoozed=false&merged=true',
  ]);
  expect(textOf(page.querySelector('cases-views [aria-current=page]'))).toBe('Not assigned 1,200');
  const summary = textOf(page.querySelector('cases-views .matching'));
  expect(summary).toContain('1,200 cases $4,823.54');
  expect(summary).toContain('1 case with an assumed currency in no sum');
  expect(summary).toContain('2 cases whose money another case of the order counts');
});

it('shows when cases are due, which open ones are overdue, and sorts the next due first', async () => {
  const { page, asked, head } = mounted('', {
    '/cases?state=open&snoozed=false&merged=false': {
      cases: [
        caseOf(1, { dueAt: new Date(Date.now() - 2 * 86_400_000).toISOString() }),
        caseOf(2, { dueAt: new Date(Date.now() + 86_400_000).toISOString() }),
        caseOf(3, { state: 'resolved' }),
      ],
    },
  });
  const due = () => [...page.querySelectorAll('tbody .overdue')].map((one) => textOf(one));
  await expect.poll(due).toHaveLength(1);
  expect(due()[0]).toMatch(/ decision overdue$/);
  head('Decide by')?.querySelector('button')?.click();
  await expect.poll(() => head('Decide by')?.getAttribute('aria-sort')).toBe('ascending');
  expect(asked.at(-1)).toBe('/cases?state=open&snoozed=false&merged=false&sort=due');
});

it('filters by a lender that a fragment names', async () => {
  const { page, asked } = mounted();
  await expect.poll(() => page.querySelectorAll('#lenders option')).toHaveLength(2);
  const field = page.querySelector<HTMLInputElement>('input[list=lenders]');
  if (field === null) throw new Error('The page has no field for a lender.');
  field.value = 'MEAD';
  field.dispatchEvent(new Event('change'));
  await expect
    .poll(() => asked.at(-1))
    .toBe('/cases?state=open&lender=Meadow+Credit&snoozed=false&merged=false');
});

it('offers the people who exist, and a view is left when a person is chosen', async () => {
  const { page } = mounted('?unassigned=true');
  const people = () =>
    [...page.querySelectorAll<HTMLOptionElement>('#people option')].map(({ value }) => value);
  await expect.poll(people).toEqual(['anna', 'ben']);
  const field = page.querySelector<HTMLInputElement>('input[list=people]');
  if (field === null) throw new Error('The page has no field for a person.');
  field.value = 'ben';
  field.dispatchEvent(new Event('change'));
  expect(location.search).toBe('?assignee=ben');
});

it('shows the money at stake beside a larger amount, and sums only the money at stake', async () => {
  const { page } = mounted('', {
    '/cases': { cases: [caseOf(659, { atStake: 16_479 }), caseOf(494, { atStake: 0 })] },
  });
  const row = (index: number) => textOf(page.querySelector(`tbody tr:nth-child(${index})`));
  await expect.poll(() => row(1)).toContain('-$659.00 of which $164.79 at stake');
  expect(row(2)).toContain('-$494.00 of which $0.00 at stake');
  page.querySelector<HTMLElement>('thead .tick input')?.click();
  const button = (name: string) =>
    [...page.querySelectorAll<HTMLElement>('button, wa-button')].find(
      (one) => textOf(one) === name,
    );
  await expect.poll(() => button('Resolve')).toBeDefined();
  button('Resolve')?.click();
  await expect.poll(() => textOf(page.querySelector('dialog'))).toContain('2 cases $164.79');
});

it('links each sum of the open cases to the cases that it adds up', async () => {
  const { page } = mounted('?code=NET_MISMATCH', {
    '/cases/aging': {
      asOf: '2026-03-02T00:00:00.000Z',
      assumedCurrency: 0,
      cells: [
        { currency: 'USD', days: '1–3 days', money: '10–100', count: 1, amount: 2_000 },
        { currency: 'USD', days: '7–30 days', money: '10–100', count: 1, amount: 3_000 },
      ],
    },
  });
  const links = () =>
    [...page.querySelectorAll('.aging-grid .figures a')].map((one) => [
      textOf(one),
      one.getAttribute('href'),
    ]);
  const known = 'currency=USD&currencyAssumed=false';
  await expect.poll(links).toEqual([
    ['$50.00', `/console/cases?${known}`],
    ['$30.00', `/console/cases?days=7&${known}`],
  ]);
});

it('selects all matching cases, those that are not loaded included, and says what will change', async () => {
  const { page } = mounted('?state=all', {
    '/cases': { cases: [caseOf(1), caseOf(2)], next: 'more' },
    '/cases?after=more': { cases: [], next: 'more' },
    '/cases?limit=1000': {
      cases: [caseOf(1), caseOf(2)],
      next: 'more',
    },
    '/cases?limit=1000&after=more': {
      cases: [caseOf(3, { state: 'ignored' }), caseOf(4, { currency: 'EUR' })],
    },
    '/cases/summary': { count: 4, assumedCurrency: 0, countedWithOthers: 0, amounts: [] },
  });
  const button = (name: string) =>
    [...page.querySelectorAll<HTMLElement>('button')].find((one) => textOf(one) === name);
  await expect.poll(() => textOf(page.querySelector('.matching'))).toContain('4 cases');
  expect(button('Select 4 matching cases')).toBeUndefined();
  page.querySelector<HTMLElement>('thead .tick input')?.click();
  await expect.poll(() => button('Select 4 matching cases')).toBeDefined();
  button('Select 4 matching cases')?.click();
  await expect.poll(() => textOf(page.querySelector('.bulk-bar'))).toContain('4 cases selected');
  expect(button('Select 4 matching cases')).toBeUndefined();
  button('Resolve')?.click();
  await expect.poll(() => textOf(page.querySelector('dialog'))).toContain('4 cases $6.00 €4.00');
  expect(textOf(page.querySelector('dialog'))).toContain(
    '1 case is in a state that does not permit this, and will be refused.',
  );
});

it('merges the selected cases into one of them, and names the consequences and the result', async () => {
  const posted: [string, unknown][] = [];
  const { page } = mounted('', {
    '/cases': {
      cases: [
        caseOf(1),
        caseOf(2, { together: { count: 1, assumedCurrency: 0, amount: 500 } }),
        caseOf(3, { currency: 'EUR' }),
        caseOf(4),
      ],
    },
  });
  await expect.poll(() => page.querySelectorAll('tbody a.name')).toHaveLength(4);
  expect(textOf(page.querySelector('tbody tr:nth-child(2)'))).toContain(
    '-$2.00 with 1 case, $5.00',
  );
  const button = (name: string) =>
    [...page.querySelectorAll<HTMLElement>('button, wa-button')].find(
      (one) => textOf(one) === name,
    );
  const tick = (index: number) =>
    page.querySelectorAll<HTMLElement>('tbody .tick input')[index]?.click();
  tick(0);
  await expect.poll(() => button('Resolve')).toBeDefined();
  // One case alone cannot be merged, and none of them is merged.
  expect([button('Merge'), button('Split')]).toEqual([undefined, undefined]);
  for (const index of [1, 2, 3]) tick(index);
  await expect.poll(() => button('Merge')).toBeDefined();
  button('Merge')?.click();
  const dialog = () => page.querySelector('dialog');
  await expect.poll(() => textOf(dialog())).toContain('Merge 3 cases');
  const choice = page.querySelector('dialog select');
  if (!(choice instanceof HTMLSelectElement))
    throw new Error('The dialog has no choice of a case.');
  expect([...choice.options].map(({ value }) => value)).toEqual(
    [1, 2, 3, 4].map((n) => `case_${n}`),
  );
  expect(textOf(dialog())).toContain('2 cases are in a state that does not permit this');
  choice.value = 'case_2';
  choice.dispatchEvent(new Event('change'));
  await expect.poll(() => textOf(dialog())).toContain('1 case is in a state');
  expect(textOf(dialog())).toContain('4 cases $10.00 €3.00');
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string, { body = '', method }: { body?: string; method?: string } = {}) => {
      const { pathname } = new URL(address, location.href);
      if (method !== 'POST') return Promise.resolve(Response.json(answers[pathname] ?? {}));
      posted.push([pathname, JSON.parse(body)]);
      const detail = 'It has another currency.';
      const problem = { code: 'case-not-permitted', status: 409, title: 'Refused', detail };
      const results = [{ caseId: 'case_1' }, { caseId: 'case_3', problem }, { caseId: 'case_4' }];
      return Promise.resolve(Response.json({ results }));
    }),
  );
  dialog()?.querySelector('form')?.requestSubmit();
  await expect.poll(() => textOf(page.querySelector('.bulk-job'))).toContain('1 case not changed');
  expect(textOf(page.querySelector('.bulk-job'))).toContain('2 of 3 done');
  expect(textOf(page.querySelector('.failures'))).toContain('It has another currency.');
  const operation = { verb: 'merge', into: 'case_2' };
  expect(posted).toEqual([
    [
      '/cases/operations',
      {
        operations: [1, 3, 4].map((number) => ({
          ...operation,
          caseId: `case_${number}`,
          ifRevision: number,
        })),
      },
    ],
  ]);
});

/** Opens the queue with cases of which all loaded ones are ignored, and answers with {@link answer}. */
async function ignoring(
  count: number,
  answer: (operations: { caseId: string; verb: string }[]) => object | Promise<object>,
) {
  const cases = Array.from({ length: count }, (_, index) => caseOf(index + 1));
  const { page } = mounted('', { '/cases': { cases } });
  const served = fetch;
  const posted: { caseId: string; verb: string }[][] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(
      async (address: string, { body = '', method }: { body?: string; method?: string } = {}) => {
        if (method !== 'POST') return served(address);
        const { operations } = JSON.parse(body) as {
          operations: { caseId: string; verb: string }[];
        };
        posted.push(operations);
        return Response.json(await answer(operations));
      },
    ),
  );
  await expect.poll(() => page.querySelectorAll('tbody a.name').length).toBeGreaterThan(0);
  const button = (name: string) =>
    [...page.querySelectorAll<HTMLElement>('button, wa-button')].find((one) =>
      textOf(one)?.startsWith(name),
    );
  page.querySelector<HTMLElement>('thead .tick input')?.click();
  await expect.poll(() => button('Ignore')).toBeDefined();
  button('Ignore')?.click();
  await expect.poll(() => page.querySelector('dialog[open] textarea')).not.toBeNull();
  const field = page.querySelector<HTMLTextAreaElement>('dialog textarea');
  if (field === null) throw new Error('The dialog has no field for the reason.');
  field.value = 'Rounding.';
  field.form?.requestSubmit();
  return { page, posted, button, job: () => textOf(page.querySelector('.bulk-job')) };
}

const pressKey = (key: string) =>
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  );

it('reopens ignored cases by one press, and says which of them a colleague has changed since', async () => {
  const parameters = { kind: 'noted', by: 'ben', at: '2026-03-02T12:00:00.000Z' };
  const problem = { code: 'case-changed', status: 409, title: 'Changed', detail: '', parameters };
  const { page, posted, button, job } = await ignoring(3, (operations) => ({
    results: operations.map(({ caseId, verb }) =>
      verb === 'reopen' && caseId === 'case_2' ? { caseId, problem } : { caseId, revision: 9 },
    ),
  }));
  await expect.poll(job).toContain('3 of 3 done');
  await expect.poll(() => button('Undo')).toBeDefined();
  pressKey('u');
  await expect.poll(job).toContain('1 case not changed');
  expect(job()).toContain('Reopen 3 cases');
  expect(job()).toContain('2 of 3 done');
  expect(textOf(page.querySelector('.failures'))).toMatch(
    /A-2 ben added a note, Mar 2, 2026, .*: look at the case, then decide again\.$/,
  );
  expect(job()).toContain('The next attempt decides over what was done since.');
  expect(posted).toHaveLength(2);
  expect(posted[1]).toEqual(
    [1, 2, 3].map((number) => ({
      caseId: `case_${number}`,
      verb: 'reopen',
      reason: 'undone',
      ifRevision: 9,
    })),
  );
  expect(button('Undo')).toBeUndefined();
});

it('stops with Escape after the request that is on its way, says how many are done, and undoes them', async () => {
  const first = Promise.withResolvers<undefined>();
  const { posted, button, job } = await ignoring(252, async (operations) => {
    await first.promise;
    return { results: operations.map(({ caseId }) => ({ caseId, revision: 9 })) };
  });
  await expect.poll(() => button('Stop')).toBeDefined();
  pressKey('Escape');
  await expect.poll(job).toContain('Stops after the cases that are on their way');
  first.resolve(undefined);
  await expect.poll(job).toContain('Stopped');
  expect(job()).toContain('250 of 252 done');
  expect(job()).toContain('2 cases are as before.');
  expect(posted).toHaveLength(1);
  button('Undo')?.click();
  await expect.poll(job).toContain('250 of 250 done');
  expect(posted[1]?.map(({ verb }) => verb)).toEqual(Array(250).fill('reopen'));
});
