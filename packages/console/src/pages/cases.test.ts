import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { NAVIGATED } from '../parts/navigation.ts';
import '../styles/base.css';
import '../styles/parts.css';
import { placeOf } from './cases/queue.ts';
import './cases.ts';

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
  openedAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.000Z',
  ...more,
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
});

/** Opens the queue, and returns the addresses of its requests for cases. */
function mounted(search = '') {
  history.replaceState(null, '', `/console/cases${search}`);
  const asked: string[] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn((address: string) => {
      if (address.startsWith('/cases/ageing')) {
        return Promise.resolve(
          Response.json({ asOf: '2026-03-02T00:00:00.000Z', assumedCurrency: 0, cells: [] }),
        );
      }
      asked.push(address);
      return Promise.resolve(Response.json({ cases: [caseOf(1), caseOf(2), caseOf(3)] }));
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
  return { page, asked, head };
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
    '/cases?state=open',
    '/cases?state=open&sort=age',
    '/cases?state=open&sort=age&direction=asc',
    '/cases?state=open',
  ]);
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
