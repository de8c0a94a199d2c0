import { describe, expect, it, vi } from 'vitest';
import type { Walk, WalkMonths } from '@financing-checkout/contract/reconciliation';
import { setZone } from '../../locale/locale.ts';
import { measureOf, monthsOf, percentOf, stepChanges } from './changes.ts';
import base from '../../styles/base.css?inline';
import parts from '../../styles/parts.css?inline';
import { useStyles } from '../../styles.fixture.ts';
import './months.ts';
import { comparisons } from './period.ts';

useStyles(base, parts);

const reliable = { asOf: '2026-11-27T12:00:00.000Z', complete: true, unprovenDays: 0 };
const leftOut = { quarantined: 0, withoutCurrency: 0, assumedCurrency: 0 };
const zeros = {
  ...{ expected: 0, over: 0, refunds: 0, chargebacks: 0, reversals: 0 },
  ...{ duplicates: 0, other: 0, discount: 0, net: 0 },
};
const months: WalkMonths = {
  ...reliable,
  ...leftOut,
  from: '2026-08',
  to: '2026-11',
  zone: 'UTC',
  months: [
    { ...zeros, month: '2026-09', currency: 'USD', net: 100_00, refunds: -5 },
    { ...zeros, month: '2026-11', currency: 'USD', net: 125_00 },
    { ...zeros, month: '2026-11', currency: 'EUR', net: 7 },
  ],
};
const walk = (statements: Partial<Walk['statements'][number]>[]): Walk => ({
  ...reliable,
  ...leftOut,
  zone: 'UTC',
  statements: statements.map((one) => ({
    ...zeros,
    ...{ opening: 0, awaiting: 0, short: 0, accepted: 0, unexplained: 0, currency: 'USD' },
    ...one,
  })),
});

describe('a change', () => {
  it.each([
    [150, 100, '+50%'],
    [100, 150, '-33.3%'],
    [100, 100, '0%'],
    [-150, -100, '-50%'],
    [0, 0, '0%'],
    [5, 0, '—'],
  ])('from %2$i to %1$i is %s', (amount, before, text) => {
    expect(percentOf({ amount, before })).toBe(text);
  });
});

it('sets each month beside the month before, and months without a row are zero', () => {
  const found = monthsOf(months, 'net');
  expect([...found.keys()]).toEqual(['EUR', 'USD']);
  expect(found.get('USD')).toEqual([
    { month: '2026-09', amount: 10_000, before: 0 },
    { month: '2026-10', amount: 0, before: 10_000 },
    { month: '2026-11', amount: 12_500, before: 0 },
  ]);
  const refunds = monthsOf(months, 'refunds');
  expect([...refunds.keys()]).toEqual(['USD']);
  expect(refunds.get('USD')?.[0]).toMatchObject({ amount: -5 });
  expect(monthsOf(months, 'net').get('EUR')).toEqual([{ month: '2026-11', amount: 7, before: 0 }]);
});

it('compares the steps of two walks per currency, without those that are zero in both', () => {
  const later = walk([{ expected: 300, net: 200 }]);
  const earlier = walk([
    { expected: 100, refunds: -50 },
    { currency: 'EUR', net: 9 },
  ]);
  const changes = stepChanges(later, earlier);
  expect(changes.get('EUR')).toEqual([{ step: 'net', amount: 0, before: 9 }]);
  expect(changes.get('USD')).toEqual([
    { step: 'expected', amount: 300, before: 100 },
    { step: 'refunds', amount: 0, before: -50 },
    { step: 'net', amount: 200, before: 0 },
  ]);
});

it.each([
  ['month', ['2026-02-01', '2026-02-28'], ['2026-01-01', '2026-01-31']],
  ['lastMonth', ['2026-01-01', '2026-01-31'], ['2025-12-01', '2025-12-31']],
  ['monthOfLastYear', ['2026-02-01', '2026-02-28'], ['2025-02-01', '2025-02-28']],
  ['quarter', ['2026-01-01', '2026-03-31'], ['2025-10-01', '2025-12-31']],
  ['quarterOfLastYear', ['2026-01-01', '2026-03-31'], ['2025-01-01', '2025-03-31']],
  ['year', ['2026-01-01', '2026-12-31'], ['2025-01-01', '2025-12-31']],
] as const)('compares %s', (name, ...spans) => {
  const found = comparisons[name]('2026-02-10');
  expect(found.map(({ from, to }) => [from, to])).toEqual(spans);
});

it('knows the amounts that can be shown, and shows the net amount by default', () => {
  expect(measureOf('refunds')).toBe('refunds');
  expect(measureOf('awaiting')).toBe('net');
  expect(measureOf(undefined)).toBe('net');
});

describe('the page', () => {
  async function shown(search: string) {
    setZone('UTC');
    vi.useFakeTimers({ now: new Date('2026-11-27T12:00:00Z'), toFake: ['Date'] });
    history.replaceState(null, '', `/console/money${search}`);
    const asked: string[] = [];
    vi.stubGlobal('fetch', (address: string) => {
      asked.push(address);
      const isLater = address.includes('from=2026-11-01');
      const answer = address.startsWith('/walk/months')
        ? months
        : walk([{ net: isLater ? 125_00 : 100_00 }]);
      return Promise.resolve(Response.json(answer));
    });
    const tab = document.createElement('money-months');
    const names = { lenders: ['Quillmoor Finance', 'Halden'], currencies: ['USD'] };
    Object.assign(tab, { search: location.search, names });
    document.body.append(tab);
    await expect.poll(() => tab.querySelectorAll('table.changes').length).toBe(3);
    return { asked, tab };
  }

  const cellsOf = (row: Element | null | undefined) =>
    [...(row?.children ?? [])].map((cell) => cell.textContent.trim());

  it('shows amount, month before, difference and percent, and links to the orders', async () => {
    const { tab } = await shown('?tab=months');
    const [, dollars] = tab.querySelectorAll('table.changes');
    expect(cellsOf(dollars?.querySelector('tbody tr'))).toEqual([
      ...['November 2026', '$125.00', '$0.00', '$125.00', '—'],
    ]);
    expect(dollars?.querySelector('tbody a')?.getAttribute('href')).toBe(
      '/console/orders?step=net&from=2026-11-01&to=2026-11-30&currency=USD',
    );
  });

  it('compares two periods, each of which opens its orders', async () => {
    const { asked, tab } = await shown('?tab=months&lender=Halden');
    expect(asked).toContain('/walk?from=2026-10-01&to=2026-10-31&lender=Halden');
    const compared = [...tab.querySelectorAll('table.changes')].at(-1);
    expect(cellsOf(compared?.querySelector('tbody tr'))).toEqual([
      ...['Net posted by lenders', '$125.00', '$100.00', '$25.00', '+25%'],
    ]);
    const links = [...(compared?.querySelectorAll('tbody a') ?? [])];
    expect(
      links.map((link) => new URLSearchParams(link.getAttribute('href') ?? '').get('from')),
    ).toEqual(['2026-11-01', '2026-10-01']);
    expect(tab.textContent).toContain('ends on Nov 30, 2026');
  });

  it('completes a fragment of a lender’s name in any letter case', async () => {
    const { tab } = await shown('?tab=months');
    const field = tab.querySelector<HTMLInputElement>('input[list="lenders"]');
    if (field === null) throw new Error('There is no field for a lender.');
    field.value = 'QUILL';
    field.dispatchEvent(new Event('change'));
    expect(field.value).toBe('Quillmoor Finance');
    expect(new URLSearchParams(location.search).get('lender')).toBe('Quillmoor Finance');
  });
});
