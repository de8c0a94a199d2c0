import { expect, it, vi } from 'vitest';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { useStyles } from '../styles.fixture.ts';
import './orders.ts';

useStyles(base, parts);

function mounted(search: string, answer: object): HTMLElement {
  history.replaceState(null, '', `/console/orders${search}`);
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json(answer))),
  );
  const page = document.createElement('console-orders');
  Object.assign(page, { search });
  document.body.append(page);
  return page;
}

const order = {
  orderKey: 'order:A',
  merchantOrderId: 'A',
  currency: 'USD',
  headline: 'FUNDED',
  funding: 'FUNDED',
  returns: 'NONE',
  expected: { settle: 10_000, refund: 0 },
  funded: { settle: 10_000, refund: 0, chargeback: 0, reversal: 0 },
  discount: 290,
  net: 9_710,
  awaiting: 0,
  exceptions: [],
  reasons: [],
  computedAt: '2026-03-01T00:00:00.000Z',
  changedAt: '2026-03-01T00:00:00.000Z',
};
const text = (element: Element | null) => element?.textContent.replaceAll(/\s+/g, ' ').trim();

it('shows the share of each order in a step of the cash walk, and the sum over all pages', async () => {
  const page = mounted('?step=net', {
    orders: [{ ...order, share: 9_710 }],
    shares: [
      { currency: 'EUR', amount: 123_456, count: 7 },
      { currency: 'USD', amount: 1_009_710, count: 900 },
    ],
    next: 'more',
  });
  await expect.poll(() => text(page.querySelector('tbody tr:not(.gap)'))).toContain('$97.10');
  expect(text(page.querySelector('thead'))).toContain('Share of the step');
  const foot = text(page.querySelector('tfoot'));
  expect(foot).toContain('€1,234.56');
  expect(foot).toContain('$10,097.10');
});

it('shows no shares without a step', async () => {
  const page = mounted('', { orders: [order] });
  await expect.poll(() => text(page.querySelector('tbody tr:not(.gap)'))).toContain('A');
  expect(text(page.querySelector('thead'))).not.toContain('Share');
  expect(page.querySelector('tfoot')).toBeNull();
});
