import { userEvent } from 'vitest/browser';
import { beforeEach, expect, it, vi } from 'vitest';
import base from '../styles/base.css?inline';
import frame from '../styles/frame.css?inline';
import { useStyles } from '../styles.fixture.ts';
import { commandsOf } from './search-items.ts';
import './search.ts';

useStyles(base, frame);

const hit = (kind: string, value: string, order: string, more = {}) => ({
  kind,
  value,
  orderKey: `order:${order}`,
  merchantOrderId: order,
  exact: false,
  ...more,
});
const groups = [
  { kind: 'order', count: 1, more: false, hits: [hit('order', 'A-1', 'A-1', { exact: true })] },
  { kind: 'charge', count: 100, more: true, hits: [hit('charge', 'ch_A-2', 'A-2')] },
  { kind: 'application', count: 1, more: false, hits: [hit('application', 'app_3', 'A/3')] },
];
const found = (more = {}) =>
  Response.json({ matches: [], groups, unsearched: [], unavailable: [], ...more });
const start = location.href;
const asked: string[] = [];
let answer: (address: string) => Response | Promise<Response>;
const actions = { signOut: vi.fn(), setTheme: vi.fn(), setLanguage: vi.fn() };

beforeEach(() => {
  asked.length = 0;
  answer = () => found();
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    asked.push(address as string);
    return Promise.resolve(answer(address as string));
  });
  const search = document.createElement('console-search');
  Object.assign(search, { actions });
  document.body.append(search);
});

const box = () => document.querySelector<HTMLInputElement>('console-search input');
const options = () => [...document.querySelectorAll('[role=option]')];
const note = () => document.querySelector('#search-note')?.textContent;
const headings = () =>
  [...document.querySelectorAll('[role=group]')].map((group) =>
    document
      .getElementById(group.getAttribute('aria-labelledby') ?? '')
      ?.textContent.replaceAll(/\s+/g, ' ')
      .trim(),
  );
const active = () =>
  document.getElementById(box()?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '';

async function type(text: string): Promise<void> {
  await expect.poll(box).not.toBeNull();
  box()?.focus();
  await userEvent.keyboard(text);
}

/** Types a text without a pause, which the keys of a browser may make on a busy machine. */
async function typeAtOnce(text: string): Promise<void> {
  await expect.poll(box).not.toBeNull();
  const field = box();
  if (field === null) throw new Error('There is no field.');
  field.focus();
  for (const sign of text) {
    field.value += sign;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
}

it('searches once, after the user has paused, and shows the results by kind with their number', async () => {
  await typeAtOnce('A-1');
  await expect.poll(options).toHaveLength(3);
  expect(asked).toEqual(['/search?q=A-1']);
  expect(box()?.getAttribute('aria-expanded')).toBe('true');
  expect(headings()).toEqual(['Orders 1', 'Charges 100+', 'Applications 1']);
});

it('moves through the options with the arrow keys, and wraps around', async () => {
  await type('A-1');
  await expect.poll(options).toHaveLength(3);
  expect(active()).toContain('A-1');
  await userEvent.keyboard('{ArrowDown}');
  await expect.poll(active).toContain('ch_A-2');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  await expect.poll(active).toContain('A-1');
  await userEvent.keyboard('{ArrowUp}');
  await expect.poll(active).toContain('app_3');
  expect(options().filter((one) => one.getAttribute('aria-selected') === 'true')).toHaveLength(1);
});

it('opens the order of the active option with the enter key', async () => {
  await type('A-1');
  await expect.poll(options).toHaveLength(3);
  await userEvent.keyboard('{ArrowUp}');
  await expect.poll(active).toContain('app_3');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => location.pathname).toBe('/console/orders/order%3AA%2F3');
  await expect.poll(() => box()?.getAttribute('aria-expanded')).toBe('false');
  expect(box()?.value).toBe('');
});

it('opens the first result of the text when it arrives after the enter key', async () => {
  await type('A-1{Enter}');
  await expect.poll(() => location.pathname).toBe('/console/orders/order%3AA-1');
});

it('opens a result of a kind that the server did not search in time when it arrives after the enter key', async () => {
  const late = {
    kind: 'reference',
    count: 1,
    more: false,
    hits: [hit('reference', 'LR-9', 'A-9')],
  };
  answer = (address) =>
    address.includes('fragments=reference')
      ? found({ groups: [late] })
      : found({ groups: [], unsearched: ['order', 'reference', 'charge'] });
  await type('R-9{Enter}');
  await expect.poll(() => location.pathname).toBe('/console/orders/order%3AA-9');
});

it.each([
  ['case', { orderKey: 'order:A-1', code: 'SHORT_FUNDED', amount: 5 }, '/console/cases/X1'],
  ['lender', {}, '/console/orders?lender=X1'],
  ['person', {}, '/console/cases?assignee=X1'],
  ['import', { name: 'Shop' }, '/console/imports'],
  [
    'amount',
    { orderKey: 'order:A-1', amount: 855, currency: 'EUR', of: 'expected' },
    '/console/orders/order%3AA-1',
  ],
])('opens a %s', async (kind, more, path) => {
  const one = { kind, value: 'X1', exact: true, ...more };
  answer = () => found({ groups: [{ kind, count: 1, more: false, hits: [one] }] });
  await type('X1');
  await expect.poll(options).toHaveLength(1);
  if (kind === 'amount') expect(options()[0]?.textContent).toContain('€8.55');
  options()[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await expect.poll(() => location.pathname + location.search).toBe(path);
});

it('asks for the kinds that the server did not search in time, and adds their results', async () => {
  answer = (address) =>
    address.includes('fragments=transaction')
      ? found({
          groups: [
            {
              kind: 'transaction',
              count: 1,
              more: false,
              hits: [hit('transaction', 'txn-A-9', 'A-9')],
            },
          ],
        })
      : found({ unsearched: ['transaction'] });
  await typeAtOnce('A-1');
  await expect.poll(headings).toContain('Transactions 1');
  expect(asked).toEqual(['/search?q=A-1', '/search?q=A-1&fragments=transaction']);
});

it('opens with Ctrl-K and with a slash, and returns the focus with the escape key', async () => {
  const button = document.createElement('button');
  document.body.append(button);
  for (const keys of ['{Control>}k{/Control}', '/']) {
    button.focus();
    await userEvent.keyboard(keys);
    await expect.poll(() => document.activeElement).toBe(box());
    await expect.poll(() => box()?.getAttribute('aria-expanded')).toBe('true');
    expect(box()?.value).toBe('');
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => box()?.getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(button);
  }
  expect(location.href).toBe(start);
});

it('leaves a slash in a field to the field', async () => {
  const field = document.createElement('input');
  document.body.append(field);
  field.focus();
  await userEvent.keyboard('/');
  expect(field.value).toBe('/');
  expect(document.activeElement).toBe(field);
});

it('runs the commands whose words contain the text', async () => {
  answer = () => found({ groups: [] });
  await type('sign o');
  await expect.poll(options).toHaveLength(1);
  await userEvent.keyboard('{Enter}');
  expect(actions.signOut).toHaveBeenCalledOnce();
  await type('open money');
  await expect.poll(() => options()[0]?.textContent).toContain('Open Money');
  await userEvent.keyboard('{Enter}');
  expect(location.pathname).toBe('/console/money');
  await type('dark');
  await expect.poll(() => options()[0]?.textContent).toContain('Theme: Dark');
  await userEvent.keyboard('{Enter}');
  expect(actions.setTheme).toHaveBeenCalledWith('dark');
});

it('lists recently opened items first while the field is empty', async () => {
  await type('A-1{Enter}');
  await expect.poll(() => location.pathname).toBe('/console/orders/order%3AA-1');
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.poll(() => headings()[0]).toBe('Opened recently');
  expect(active()).toContain('A-1');
});

it('says that nothing was found, that the text is too short, or why the search failed', async () => {
  answer = () => found({ groups: [] });
  await type('zz');
  await expect.poll(note).toContain('at least three characters');
  await userEvent.keyboard('z');
  await expect.poll(note).toContain('No ID, name or amount');
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await userEvent.keyboard('x');
  await expect.poll(note).toContain('The server cannot be reached');
});

it('offers the entry of a journal by its id', () => {
  const [found] = commandsOf('fc3-17 ', undefined);
  expect(found?.items.map(({ text }) => text)).toEqual(['Journals: fc3-17']);
  found?.items[0]?.run();
  expect(location.pathname + location.search).toBe('/console/journals?export=3&entry=17');
});

it.each([{ isComposing: true }, { keyCode: 229 }])(
  'leaves the keys of an input method to it: %o',
  async (sign) => {
    await type('A-1');
    await expect.poll(options).toHaveLength(3);
    const press = (key: string) =>
      box()?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...sign }));
    press('Enter');
    press('Escape');
    expect([location.href, box()?.value]).toEqual([start, 'A-1']);
    expect(box()?.getAttribute('aria-expanded')).toBe('true');
    press('ArrowDown');
    expect(active()).toContain('A-1');
  },
);

it('states what a search has not searched, with results and without', async () => {
  const notSearched = [
    { gap: 'unproven-days', count: 2 },
    { gap: 'fragments', count: 1 },
  ];
  answer = () => found({ notSearched });
  await type('A-1');
  await expect.poll(() => options().length).toBeGreaterThan(0);
  await expect.poll(note).toBe('Not searched: 2 days that are not proven.');
  answer = () => found({ groups: [], notSearched });
  await type('7');
  await expect
    .poll(note)
    .toBe('No ID, name or amount contains this. Not searched: 2 days that are not proven.');
});
