import { beforeEach, expect, test, vi } from 'vitest';
import type { TrailEntry } from '@financing-checkout/contract/reconciliation';
import type { Session } from '../api/session.ts';
import { setZone } from '../locale/locale.ts';
import './actions.ts';

const entry = (changed: Partial<TrailEntry>): TrailEntry => ({
  seq: 1,
  numbers: [1],
  at: '2026-11-27T12:00:00.000Z',
  actor: 'anna',
  kind: 'sync',
  subject: 'funding-days',
  detail: {},
  outcome: 'done',
  hash: 'x',
  ...changed,
});
const entries = [
  entry({
    numbers: [17, 18, 20],
    kind: 'refund',
    subject: 'chg-1',
    orderKey: 'order:A-1',
    merchantOrderId: 'A-1',
    detail: { amount: 500, currency: 'USD' },
  }),
  entry({
    numbers: [4],
    kind: 'noted',
    subject: 'case_1',
    code: 'NET_MISMATCH',
    orderKey: 'order:A-2',
    merchantOrderId: 'A-2',
    currency: 'USD',
    outcome: undefined,
    detail: { note: 'asked the lender' },
  }),
];

let asked: string[] = [];
beforeEach(() => {
  asked = [];
  setZone('UTC');
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    const answer = address.startsWith('/cases/people') ? { people: ['anna'] } : { entries };
    return Promise.resolve(Response.json(answer));
  });
});

async function shown(search = ''): Promise<HTMLElement> {
  history.replaceState(null, '', `/console/actions${search}`);
  const page = document.createElement('console-actions');
  const session: Session = {
    name: 'anna',
    scopes: ['cases'],
    environment: 'sandbox',
    canMoveMoney: false,
    zone: 'UTC',
    endsAt: '2026-12-01T00:00:00.000Z',
    idleEndsAt: '2026-12-01T00:00:00.000Z',
  };
  Object.assign(page, { session, search });
  page.style.display = 'block';
  document.body.append(page);
  await expect.poll(() => page.querySelectorAll('tbody tr:not(.gap)').length).toBe(2);
  return page;
}

const cellsOf = (page: Element, row: number) =>
  [...(page.querySelectorAll('tbody tr:not(.gap)')[row]?.children ?? [])].map((cell) =>
    cell.textContent.trim().replaceAll(/\s+/g, ' '),
  );

test('states all numbers of an entry, its order, and the case of work on one', async () => {
  const page = await shown();
  expect(cellsOf(page, 0)).toEqual([
    '17–18, 20',
    expect.stringContaining('Nov 27, 2026'),
    ...['anna', 'Refund', 'A-1 chg-1', 'Done', 'Amount: $5.00'],
  ]);
  expect(cellsOf(page, 1).slice(2, 5)).toEqual([
    ...['anna', 'Note on a case', 'A-2 Net amount does not add up'],
  ]);
  const links = [...page.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual([
    ...['/console/orders/order%3AA-1', '/console/orders/order%3AA-2', '/console/cases/case_1'],
  ]);
  expect(page.textContent).toContain('one for each outcome');
});

test('requests and exports what the filters of the address say', async () => {
  const page = await shown('?actor=ann&kind=refund&from=2026-11-01');
  expect(asked).toContain('/trail?actor=ann&kind=refund&from=2026-11-01&by=people&zone=UTC');
  expect(page.querySelector('.exports a')?.getAttribute('href')).toContain(
    '/trail?actor=ann&kind=refund&from=2026-11-01&by=people&format=csv',
  );
  expect(page.textContent).toContain('belong to entries that the filters leave out');
});
