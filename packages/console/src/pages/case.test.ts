import type {
  CaseEventRecord,
  CaseRecord,
  CaseState,
} from '@financing-checkout/contract/reconciliation';
import { permittedVerbs } from '@financing-checkout/contract/plain';
import type { LitElement } from 'lit';
import { expect, it, vi } from 'vitest';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { useStyles } from '../styles.fixture.ts';
import { keepQueue, placeOf } from './cases/queue.ts';
import './case.ts';

useStyles(base, parts);

const TIME = '2026-03-01T00:00:00.000Z';

interface Sent {
  verb: string;
  body: Record<string, unknown>;
}

/** Holds one case as the server does, and refuses requests with a stale revision. */
class CaseServer {
  state: CaseState = 'open';
  assignee: string | undefined;
  snoozedUntil: string | undefined;
  mergedInto: string | undefined;
  together: CaseRecord['together'];
  atStake: CaseRecord['atStake'];
  readonly events: CaseEventRecord[] = [];
  readonly sent: Sent[] = [];

  constructor() {
    this.add('opened', 'reconciliation');
  }

  add(kind: CaseEventRecord['kind'], actor: string, detail: Record<string, string> = {}): void {
    const seq = this.events.length + 1;
    this.events.push({ seq, at: TIME, kind, actor, detail, hash: 'f'.repeat(64) });
    if (kind === 'resolved' || kind === 'ignored') this.state = kind;
    if (kind === 'reopened') this.state = 'open';
    if (kind === 'closed') this.state = 'closed';
    if (kind === 'assigned') this.assignee = detail.assignee;
    if (kind === 'snoozed') this.snoozedUntil = detail.until;
    if (kind === 'woken') this.snoozedUntil = undefined;
    if (kind === 'merged') this.mergedInto = detail.into;
    if (kind === 'split') this.mergedInto = undefined;
  }

  fetch = (address: string, { method, body }: RequestInit): Promise<Response> => {
    this.requests.push(`${method ?? 'GET'} ${address}`);
    if (address.endsWith('/people'))
      return Promise.resolve(Response.json({ people: ['anna', 'Ben'] }));
    if (address.endsWith('/similar')) return Promise.resolve(Response.json(this.similar));
    if (address.startsWith('/cases?')) {
      this.asked.push(address);
      return Promise.resolve(Response.json({ cases: this.others }));
    }
    if (address.startsWith('/cases/case_new')) {
      const next = { ...this.others[0], id: 'case_new', merchantOrderId: 'A-7' };
      return Promise.resolve(Response.json({ case: next, events: [] }));
    }
    if (address.startsWith('/cases/case_8?')) {
      return Promise.resolve(Response.json({ case: this.others[0], events: [] }));
    }
    if (address.includes('/orders/')) {
      return Promise.resolve(Response.json(this.#order()));
    }
    const [path = ''] = address.split('?');
    return Promise.resolve(
      method === 'POST' ? this.#act(path.split('/').at(-1) ?? '', body) : this.#history(),
    );
  };

  #order() {
    const decided = this.events
      .filter(({ kind }) => kind === 'resolved')
      .map(({ at, kind }) => ({ at, source: 'case', what: kind, id: 'case_1' }));
    return { ...this.order, timeline: [...this.order.timeline, ...decided] };
  }

  readonly similar = {
    lender: 'Northway Credit',
    count: 7,
    cases: [
      { ...this.#record(), id: 'case_8', merchantOrderId: 'A-8' },
      {
        ...this.#record(),
        id: 'case_9',
        merchantOrderId: 'A-9',
        state: 'ignored',
        reason: 'Rounding of the lender.',
      },
    ],
  };

  /** The addresses of requests for lists of cases. */
  readonly asked: string[] = [];
  /** Cases into which this one can be merged, except for the last two. */
  readonly others = [
    { ...this.#record(), id: 'case_8', merchantOrderId: 'A-8' },
    { ...this.#record(), id: 'case_9', merchantOrderId: 'A-9', currency: 'EUR' },
    this.#record(),
  ];

  /** All requests, in their order. */
  readonly requests: string[] = [];
  readonly order = {
    orderKey: 'order:A-1',
    merchantOrderId: 'A-1',
    currencies: [
      {
        currency: 'USD',
        status: {
          headline: 'PARTIALLY_FUNDED',
          expected: { settle: 10_000, refund: 0 },
          funded: { settle: 8_500, refund: 0, chargeback: 0, reversal: 0 },
          discount: 300,
          net: 8_200,
          awaiting: 0,
          exceptions: [],
        },
        reasons: ['The lender posted less than was settled.'],
        ledger: [],
        fundings: [
          {
            id: 'f-1',
            status: 'RECONCILED',
            transactionType: 'Settle',
            lenderName: 'Northway Credit',
            transactionAmount: 8_500,
            discountAmount: 300,
            netAmount: 8_200,
            fundedAt: TIME,
            updatedAt: TIME,
            lenderReferenceId: 'LR-1',
          },
        ],
        discounts: [],
        suggestions: [],
      },
    ],
    cases: [
      { id: 'case_1', code: 'AMOUNT_MISMATCH', state: 'open' },
      { id: 'case_2', code: 'CHARGEBACK', state: 'open', amount: 2_000, currency: 'USD' },
      { id: 'case_3', code: 'CHARGEBACK', state: 'resolved' },
    ],
    timeline: [{ at: TIME, source: 'funding', what: 'Settle', amount: 8_500, currency: 'USD' }],
  };

  #record() {
    return {
      id: 'case_1',
      revision: this.events.length,
      orderKey: 'order:A-1',
      merchantOrderId: 'A-1',
      currency: 'USD',
      code: 'AMOUNT_MISMATCH',
      state: this.state,
      assignee: this.assignee,
      amount: -1_500,
      count: 1,
      since: TIME,
      ageDays: 3,
      dueAt: TIME,
      snoozedUntil: this.snoozedUntil,
      mergedInto: this.mergedInto,
      together: this.together,
      atStake: this.atStake,
      openedAt: TIME,
      updatedAt: TIME,
      can: permittedVerbs({
        state: this.state,
        isMerged: this.mergedInto !== undefined,
        isSnoozed: this.snoozedUntil !== undefined,
        isMain: this.together !== undefined,
      }),
    };
  }

  #history(): Response {
    return Response.json({ case: this.#record(), events: this.events });
  }

  #act(verb: string, text: unknown): Response {
    const body = JSON.parse(String(text)) as Record<string, unknown>;
    this.sent.push({ verb, body });
    if (body.ifRevision !== this.events.length) {
      return Response.json({ code: 'case-changed', detail: 'It changed.' }, { status: 409 });
    }
    const kinds = { resolve: 'resolved', ignore: 'ignored', reopen: 'reopened' } as const;
    if (verb === 'assign') this.add('assigned', 'anna', { assignee: String(body.assignee) });
    else if (verb === 'snooze')
      this.add('snoozed', 'anna', { until: `${String(body.until)}T00:00:00Z` });
    else if (verb === 'wake') this.add('woken', 'anna');
    else if (verb === 'merge') this.add('merged', 'anna', { into: String(body.into) });
    else if (verb === 'split') this.add('split', 'anna');
    else if (verb === 'note') this.add('noted', 'anna', { note: String(body.note) });
    else this.add(kinds[verb as 'resolve'], 'anna', { reason: String(body.reason) });
    const page = {
      events: this.events.slice(body.ifRevision),
      order: this.#order(),
      queue: { position: 2, others: 3, next: { ...this.#record(), id: 'case_new' } },
    };
    return Response.json({ ...this.#record(), page });
  }
}

function show(id: string): LitElement {
  const page = document.createElement('console-case') as LitElement;
  const session = { name: 'anna', scopes: ['read', 'cases'] };
  Object.assign(page, { parameter: id, search: '', session });
  document.body.append(page);
  return page;
}

async function mounted() {
  // A decision can be undone until a test moves the clock, however slow the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = new CaseServer();
  vi.stubGlobal('fetch', vi.fn(server.fetch));
  const page = show('case_1');
  const area = () => page.querySelector('textarea');
  await expect.poll(area).not.toBeNull();
  const button = (label: string) =>
    [...page.querySelectorAll<HTMLElement>('button, wa-button')].find(({ textContent }) =>
      textContent.trim().startsWith(label),
    );
  const write = (text: string) => {
    const field = area();
    if (field === null) throw new Error('The page has no text field.');
    field.value = text;
    field.dispatchEvent(new InputEvent('input'));
  };
  const text = () => page.textContent.replaceAll(/\s+/g, ' ');
  return { server, page, area, button, write, text };
}

it('sends the revision that it shows, and after a conflict what the person decides again', async () => {
  const { server, area, button, write, text } = await mounted();
  server.add('noted', 'ben', { note: 'They pay on Friday.' });
  write('Booked as a discount.');
  button('Resolve')?.click();
  await expect.poll(text).toContain('This case has changed since you opened it');
  expect(text()).toContain('ben added a note');
  expect(text()).toContain('They pay on Friday.');
  expect(area()?.value).toBe('Booked as a discount.');
  button('Resolve anyway')?.click();
  await expect.poll(() => server.state).toBe('resolved');
  expect(server.sent.map(({ body }) => body)).toEqual([
    { reason: 'Booked as a discount.', ifRevision: 1 },
    { reason: 'Booked as a discount.', ifRevision: 2 },
  ]);
  await expect.poll(() => area()?.value).toBe('');
  expect(text()).not.toContain('This case has changed since you opened it');
});

it('asks once for a decision, whose answer has the timeline and the next case of the queue', async () => {
  keepQueue({ search: '?sort=age', ids: ['case_0', 'case_1', 'case_2'] });
  const { server, page, button, write } = await mounted();
  const moments = () => page.querySelectorAll('ol.moments > li').length;
  await expect.poll(moments).toBeGreaterThan(0);
  const before = moments();
  const loaded = server.requests.length;
  write('Booked as a discount.');
  button('Resolve')?.click();
  await expect.poll(moments).toBe(before + 1);
  const next = () => page.querySelector('.outcome .next')?.getAttribute('href');
  await expect.poll(next).toBe('/console/cases/case_new');
  expect(server.requests.slice(loaded)).toEqual([
    expect.stringMatching(/^POST \/cases\/case_1\/resolve\?shown=.*sort%3Dage/),
  ]);
  expect(page.textContent).toContain('2 of 3');
});

it('offers no decision over that of a colleague before the case is reopened', async () => {
  const { server, area, button, write, text } = await mounted();
  server.add('ignored', 'ben', { reason: 'Rounding.' });
  write('Paid by check.');
  button('Resolve')?.click();
  await expect.poll(text).toContain('reopen the case first');
  expect(text()).toContain('ben ignored the case');
  expect(button('Resolve')).toBeUndefined();
  expect(area()?.value).toBe('Paid by check.');
  button('Reopen')?.click();
  await expect.poll(() => server.state).toBe('open');
});

it.each([
  ['closed', 'Reconciliation closed the case', 'there is nothing left to decide.'],
  ['resolved', 'ben resolved the case', 'the case is already as you wanted it.'],
] as const)(
  'says that nothing is left to do on a case that was %s since',
  async (kind, change, conclusion) => {
    const { server, button, write, text } = await mounted();
    server.add(kind, kind === 'closed' ? 'reconciliation' : 'ben');
    write('Paid by check.');
    button('Resolve')?.click();
    await expect.poll(text).toContain(conclusion);
    expect(text()).toContain(change);
    expect(text()).toContain('Your text is kept.');
    expect(text()).not.toContain('reopen the case first');
    expect(button('Resolve')).toBeUndefined();
  },
);

it('names no text that is kept after a conflict if there is none', async () => {
  const { server, text } = await mounted();
  server.add('noted', 'ben', { note: 'They pay on Friday.' });
  press('a');
  await expect.poll(text).toContain('Read what changed, and decide again.');
  expect(text()).not.toContain('Your text is kept');
});

const press = (key: string, more: KeyboardEventInit = {}) =>
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
  );

it('resolves by keyboard, says so, and offers the other open case of the order before the next one of the queue', async () => {
  keepQueue({ search: '?sort=age', ids: ['case_0', 'case_1', 'case_2'] });
  const { server, page, area, write, text } = await mounted();
  expect(text()).toContain('2 of 3');
  press('e');
  expect(document.activeElement).toBe(area());
  write('Booked.');
  press('Enter', { ctrlKey: true });
  await expect
    .poll(() => page.querySelector('.outcome [role=status]')?.textContent)
    .toContain('Case resolved.');
  expect(server.sent).toEqual([{ verb: 'resolve', body: { reason: 'Booked.', ifRevision: 1 } }]);
  await expect
    .poll(() => document.activeElement?.getAttribute('href'))
    .toBe('/console/cases/case_2');
  expect(text()).toContain('Other open cases of this order: CHARGEBACK $20.00');
  // The queue goes on after the other case of the order.
  expect(await placeOf('case_2', new AbortController().signal)).toMatchObject({
    previous: 'case_1',
    next: 'case_new',
  });
  press('j');
  expect(location.pathname).toBe('/console/cases/case_new');
  press('k');
  expect(location.pathname).toBe('/console/cases/case_0');
});

/** Resolves a case whose order has no other open one, which opens the next case of the queue. */
async function resolvedOnTheWay() {
  keepQueue({ search: '', ids: ['case_1', 'case_2'] });
  const { server, page, write } = await mounted();
  server.order.cases.splice(1, 1);
  write('Booked.');
  page.querySelector('textarea')?.focus();
  press('Enter', { ctrlKey: true });
  await expect.poll(() => location.pathname).toBe('/console/cases/case_new');
  page.remove();
  const next = show('case_new');
  const text = () => next.textContent.replaceAll(/\s+/g, ' ');
  await expect.poll(() => document.activeElement?.localName).toBe('h1');
  return { server, next, text };
}

it('opens the next case of the queue by itself with the focus on its title, announces both, and undoes the decision from there', async () => {
  const { server, next, text } = await resolvedOnTheWay();
  expect(text()).toContain('Case resolved. Wrong amount · A-1 Next case: Wrong amount · A-7');
  expect(next.querySelector('[role=status]')?.textContent).toContain('Next case');
  expect(next.querySelector('.outcome .next')).toBeNull();
  press('u');
  await expect.poll(() => server.state).toBe('open');
  expect(server.sent.at(-1)).toEqual({
    verb: 'reopen',
    body: { reason: 'undone', ifRevision: 2 },
  });
  await expect.poll(() => location.pathname).toBe('/console/cases/case_1');
  next.remove();
  const again = show('case_1');
  await expect
    .poll(() => again.querySelector('.outcome [role=status]')?.textContent)
    .toContain('Case reopened.');
  expect(again.textContent).not.toContain('Next case:');
});

it('undoes no decision that a colleague has changed since, and says so on the next case', async () => {
  const { server, text } = await resolvedOnTheWay();
  server.add('reopened', 'ben', { reason: 'Not booked yet.' });
  press('u');
  await expect.poll(text).toContain('It changed.');
  expect(server.events.at(-1)?.actor).toBe('ben');
  expect(location.pathname).toBe('/console/cases/case_new');
});

it('leads back to the queue after a decision on a case that the person did not open from it', async () => {
  const { server, page, write } = await mounted();
  server.order.cases.splice(1, 1);
  write('Booked.');
  page.querySelector('textarea')?.focus();
  press('Enter', { ctrlKey: true });
  await expect.poll(() => document.activeElement?.textContent.trim()).toBe('All cases');
  expect(location.pathname).toBe('/');
});

it('ignores by keyboard, and undoes the decision by one press within 10 seconds', async () => {
  const { server, button, write, text } = await mounted();
  press('i');
  write('Rounding.');
  press('Enter', { ctrlKey: true });
  await expect.poll(() => server.state).toBe('ignored');
  await expect.poll(() => button('Undo')).toBeDefined();
  press('u');
  await expect.poll(() => server.state).toBe('open');
  await expect.poll(text).toContain('Case reopened.');
  expect(button('Undo')).toBeUndefined();
  expect(server.sent.at(-1)).toEqual({
    verb: 'reopen',
    body: { reason: 'undone', ifRevision: 2 },
  });
});

it('offers no Undo after 10 seconds', async () => {
  const { server, page, button, write } = await mounted();
  write('Booked.');
  button('Resolve')?.click();
  await expect.poll(() => button('Undo')).toBeDefined();
  vi.advanceTimersByTime(9_000);
  await page.updateComplete;
  expect(button('Undo')).toBeDefined();
  vi.advanceTimersByTime(1_000);
  await expect.poll(() => button('Undo')).toBeUndefined();
  expect(server.state).toBe('resolved');
});

it('snoozes until a day, by keyboard, and undoes it by one press', async () => {
  const { server, page, text } = await mounted();
  press('s');
  const field = page.querySelector<HTMLInputElement>('[name=until]');
  expect(document.activeElement).toBe(field);
  if (field === null) throw new Error('The page has no field for a day.');
  field.value = '2099-02-01';
  field.form?.requestSubmit();
  await expect.poll(text).toContain('Case snoozed until Feb 1, 2099.');
  expect(text()).toContain('anna snoozed the case');
  expect(page.querySelector('h1')?.textContent).toContain('Snoozed until Feb 1, 2099');
  press('u');
  await expect.poll(() => server.snoozedUntil).toBeUndefined();
  await expect.poll(text).toContain('Case is back in the queue.');
  expect(server.sent).toEqual([
    { verb: 'snooze', body: { until: '2099-02-01', ifRevision: 1 } },
    { verb: 'wake', body: { ifRevision: 2 } },
  ]);
});

it('sends no day that is not after today', async () => {
  const { server, page } = await mounted();
  const field = page.querySelector<HTMLInputElement>('[name=until]');
  if (field === null) throw new Error('The page has no field for a day.');
  field.value = '2020-02-01';
  field.form?.requestSubmit();
  expect(field.validity.rangeUnderflow).toBe(true);
  expect(server.sent).toEqual([]);
});

it('merges the case into another one by keyboard, and undoes it by one press', async () => {
  keepQueue({ search: '', ids: ['case_1', 'case_2'] });
  const { server, page, area, write, text } = await mounted();
  write('One outage.');
  press('m');
  const field = page.querySelector<HTMLInputElement>('[name=into]');
  expect(document.activeElement).toBe(field);
  if (field === null) throw new Error('The page has no field for a case.');
  const offered = () =>
    [...page.querySelectorAll<HTMLOptionElement>('#mains option')].map(({ value }) => value);
  await expect.poll(offered).toEqual(['Wrong amount · A-8']);
  field.value = 'Wrong amount · A-8';
  field.form?.requestSubmit();
  await expect.poll(text).toContain('Case is handled with another one.');
  await expect
    .poll(() => document.activeElement?.getAttribute('href'))
    .toBe('/console/cases/case_2');
  expect(area()?.value).toBe('');
  press('u');
  await expect.poll(() => server.mergedInto).toBeUndefined();
  expect(server.sent).toEqual([
    { verb: 'merge', body: { into: 'case_8', note: 'One outage.', ifRevision: 1 } },
    { verb: 'split', body: { ifRevision: 2 } },
  ]);
});

it('says that a case which a colleague has merged is decided with the other one', async () => {
  const { server, button, write, text } = await mounted();
  server.add('merged', 'ben', { into: 'case_8' });
  write('Paid by check.');
  button('Resolve')?.click();
  await expect.poll(text).toContain('decide on the other case, or split this one');
  expect(text()).toContain('ben merged the case into another one (case_8)');
  expect(button('Split')).toBeDefined();
});

it('finds the other case by its order or its ID, and sends none that it does not find', async () => {
  const { server, page, text } = await mounted();
  const field = page.querySelector<HTMLInputElement>('[name=into]');
  if (field === null) throw new Error('The page has no field for a case.');
  const choose = (value: string) => {
    field.value = value;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    field.form?.requestSubmit();
  };
  const [one, ...rest] = server.others;
  server.others.splice(0, 3);
  choose('A-7');
  await expect.poll(text).toContain('Choose one of the cases, or enter the ID of a case.');
  expect(server.asked).toContain('/cases?merchantOrderId=A-7&state=open');
  expect(server.sent).toEqual([]);
  if (one !== undefined) server.others.push(one, ...rest);
  choose('A-8');
  await expect.poll(() => server.mergedInto).toBe('case_8');
});

it('names the case with which a merged one is handled, and splits it', async () => {
  const { server, page, button, text } = await mounted();
  server.add('merged', 'ben', { into: 'case_8' });
  button('Assign to me')?.click();
  const link = () => page.querySelector('.case-work a[href="/console/cases/case_8"]');
  await expect.poll(() => link()?.textContent).toBe('Wrong amount · A-8');
  expect(page.querySelector('h1')?.textContent).toContain('Merged');
  expect(text()).toContain('ben merged the case into another one case_8');
  expect([button('Resolve'), button('Ignore'), button('Snooze')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  button('Split')?.click();
  await expect.poll(text).toContain('Case is on its own again.');
  expect(button('Resolve')).toBeDefined();
  press('u');
  await expect.poll(() => server.mergedInto).toBe('case_8');
  expect(server.sent.slice(1)).toEqual([
    { verb: 'split', body: { ifRevision: 2 } },
    { verb: 'merge', body: { into: 'case_8', ifRevision: 3 } },
  ]);
});

it('lists the cases that are handled with a case, and their total at stake', async () => {
  const { server, button, page, text } = await mounted();
  server.together = { count: 2, assumedCurrency: 1, amount: 482_354 };
  button('Assign to me')?.click();
  await expect
    .poll(text)
    .toContain(
      '-$15.00 with 2 cases, $4,823.54 in total at stake, 1 case with an assumed currency in no sum',
    );
  await expect.poll(text).toContain('Handled with this case');
  expect(server.asked).toEqual(['/cases?mergedInto=case_1&limit=200']);
  expect(page.querySelectorAll('.similar li').length).toBeGreaterThan(2);
  // A case with which others are handled is not merged into another one.
  expect(page.querySelector('[name=into]')).toBeNull();
});

it('shows how much of the amount is at stake if other cases of the order count the rest', async () => {
  const { server, button, text } = await mounted();
  server.atStake = 0;
  button('Assign to me')?.click();
  await expect
    .poll(text)
    .toContain('-$15.00 of which $0.00 at stake: other cases of the order count the rest');
});

it('assigns the case to the person by one key, and only once', async () => {
  const { server, text } = await mounted();
  press('a');
  await expect.poll(text).toContain('Assigned to anna.');
  press('a');
  expect(server.sent).toEqual([{ verb: 'assign', body: { assignee: 'anna', ifRevision: 1 } }]);
});

it('leaves the text with Escape, so that keys act again, and keeps it', async () => {
  const { server, area, write } = await mounted();
  press('e');
  write('jei');
  press('a');
  expect(server.sent).toEqual([]);
  press('Escape');
  expect(document.activeElement).not.toBe(area());
  press('a');
  await expect.poll(() => server.assignee).toBe('anna');
  expect(area()?.value).toBe('jei');
});

it('shows the reasons of the case, the missing amount, and other open cases of the order', async () => {
  const { page, text } = await mounted();
  await expect.poll(text).toContain('The lender posted less than was settled.');
  expect(text()).toContain('What to do:');
  const cells = [...page.querySelectorAll('.comparison .settle td')].map(({ textContent }) =>
    textContent.trim(),
  );
  expect(cells.slice(-3)).toEqual(['$100.00', '$85.00', '-$15.00']);
  const others = [...page.querySelectorAll('a')].filter(({ href }) => href.endsWith('case_2'));
  expect(others).toHaveLength(1);
  expect(page.querySelector('a[href$="case_3"]')).toBeNull();
});

it('completes a mention with the people who exist', async () => {
  const { page, area, button, write } = await mounted();
  const offered = () =>
    [...page.querySelectorAll('.mentions button')].map(({ textContent }) => textContent);
  write('Please ask @');
  await expect.poll(offered).toEqual(['@anna', '@Ben']);
  write('Please ask @be');
  await expect.poll(offered).toEqual(['@Ben']);
  button('@Ben')?.click();
  expect(area()?.value).toBe('Please ask @Ben ');
  expect(document.activeElement).toBe(area());
  await expect.poll(offered).toEqual([]);
  write('ada@');
  expect(offered()).toEqual([]);
});

it('shows similar cases, how they were decided, and a link to all of them', async () => {
  const { page } = await mounted();
  const items = () =>
    [...page.querySelectorAll('.similar li')].map(({ textContent }) =>
      textContent.replaceAll(/\s+/g, ' ').trim(),
    );
  await expect
    .poll(items)
    .toEqual(['A-8 -$15.00 Open', 'A-9 -$15.00 Ignored Rounding of the lender.']);
  const all = [...page.querySelectorAll('a')].find(({ textContent }) =>
    textContent.includes('Show all 7'),
  );
  expect(new URL(all?.href ?? '').search).toBe(
    '?state=all&code=AMOUNT_MISMATCH&lender=Northway+Credit',
  );
});

it('copies a message to the lender with the sums and what the lender posted', async () => {
  const { button, text } = await mounted();
  const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await expect.poll(() => button('Copy a message to the lender')).toBeDefined();
  button('Copy a message to the lender')?.click();
  await expect.poll(() => written.mock.calls).toHaveLength(1);
  const [message] = written.mock.calls[0] ?? [];
  expect(message).toMatch(
    /^Order A-1: Wrong amount\n\nYou posted 15\.00 USD less than our transactions: you owe it to us\./,
  );
  expect(message).toMatch(/Difference +-15\.00 USD\n/);
  expect(message).toMatch(/Settle +85\.00 USD .* LR-1 +Northway Credit/);
  await expect.poll(text).toContain('Copied');
});
