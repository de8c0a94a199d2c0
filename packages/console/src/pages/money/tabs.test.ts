import { expect, test, vi } from 'vitest';
import base from '../../styles/base.css?inline';
import parts from '../../styles/parts.css?inline';
import { useStyles } from '../../styles.fixture.ts';
import { setLanguage, setZone } from '../../locale/locale.ts';
import './discounts.ts';
import './radar.ts';
import './walk.ts';

useStyles(base, parts);

const reliability = {
  asOf: '2026-03-01T00:00:00.000Z',
  complete: true,
  unprovenDays: 0,
  quarantined: 0,
  withoutCurrency: 0,
  assumedCurrency: 0,
};

const zeros = {
  opening: 0,
  expected: 0,
  awaiting: 0,
  short: 0,
  accepted: 0,
  over: 0,
  refunds: 0,
  chargebacks: 0,
  reversals: 0,
  duplicates: 0,
  other: 0,
  discount: 0,
  net: 0,
  unexplained: 0,
};

test('the cash walk has CSV and Excel export links for the chosen period and language', async () => {
  await setLanguage('de');
  setZone('America/New_York');
  history.replaceState(null, '', '/console/money?from=2026-02-01&to=2026-02-28&lender=Quillmoor');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ ...reliability, statements: [] })));
  const tab = document.createElement('money-walk');
  Object.assign(tab, { search: location.search, names: { lenders: [], currencies: [] } });
  document.body.append(tab);
  await expect.poll(() => tab.querySelectorAll('.exports a').length).toBe(2);
  const links = [...tab.querySelectorAll('.exports a')].map((link) => link.getAttribute('href'));
  const of = 'from=2026-02-01&to=2026-02-28&lender=Quillmoor';
  expect(links).toEqual([
    `/walk?${of}&format=csv&bom=true&decimal=comma&zone=America%2FNew_York`,
    `/walk?${of}&format=xlsx&zone=America%2FNew_York`,
  ]);
});

test('each bar of the radar, but no empty part, opens the orders of the fundings that it counts', async () => {
  const search = '?from=2026-02-01&to=2026-02-28';
  history.replaceState(null, '', `/console/money${search}`);
  const row = { currency: 'USD', lender: 'Quillmoor', status: 'RECONCILED' };
  const rows = [
    { ...row, all: { count: 5, amount: 500 }, wrong: { count: 2, amount: 200 } },
    { ...row, status: 'PENDING', all: { count: 3, amount: 300 }, wrong: { count: 0, amount: 0 } },
  ];
  vi.stubGlobal('fetch', (address: string) =>
    address.startsWith('/radar')
      ? Promise.resolve(Response.json({ ...reliability, rows }))
      : Promise.resolve(Response.json({}, { status: 404 })),
  );
  const tab = document.createElement('money-radar');
  Object.assign(tab, { search, names: { lenders: [], currencies: [] } });
  document.body.append(tab);
  const bars = () =>
    [...tab.querySelectorAll('.bars [data-index]')].map((bar) => [
      bar.getAttribute('aria-label'),
      bar.getAttribute('href'),
    ]);
  const of = 'lender=Quillmoor&currency=USD&from=2026-02-01&to=2026-02-28';
  await expect.poll(bars).toEqual([
    ['Quillmoor, RECONCILED, Right: 3', `/console/orders?claim=RECONCILED&verdict=right&${of}`],
    ['Quillmoor, RECONCILED, Wrong: 2', `/console/orders?claim=RECONCILED&verdict=wrong&${of}`],
    ['Quillmoor, PENDING, Right: 3', `/console/orders?claim=PENDING&verdict=right&${of}`],
  ]);
});

test('each bar of the discounts leads to the orders of its settles', async () => {
  const search = '?from=2026-02-01&to=2026-02-28&lender=Quillmoor';
  history.replaceState(null, '', `/console/money${search}`);
  const none = { count: 0, amount: 0, returned: 0, variance: 0, kept: 0 };
  const settles = { count: 2, amount: 200, discount: 6, variance: 0 };
  const row = { currency: 'USD', lender: 'Quillmoor', effectiveBasisPoints: 300, refunds: none };
  const agreed = { agreedBasisPoints: 300, agreedFrom: '2026-01-01T00:00:00.000Z' };
  const rows = [
    { ...row, ...agreed, productType: 'Lease', settles },
    { ...row, settles },
    { ...row, productType: 'Loan', settles: { ...settles, count: 0, amount: 0, discount: 0 } },
  ];
  vi.stubGlobal('fetch', (address: string) =>
    address.startsWith('/discounts')
      ? Promise.resolve(Response.json({ ...reliability, rows }))
      : Promise.resolve(Response.json({}, { status: 404 })),
  );
  const tab = document.createElement('money-discounts');
  Object.assign(tab, { search, names: { lenders: [], currencies: [] } });
  document.body.append(tab);
  const addresses = () =>
    [...tab.querySelectorAll('.bars a[data-index]')].map((bar) => bar.getAttribute('href'));
  const of = 'lender=Quillmoor&currency=USD&from=2026-02-01&to=2026-02-28';
  const ofLease = `productType=Lease&agreedFrom=${encodeURIComponent(agreed.agreedFrom)}&${of}`;
  await expect
    .poll(addresses)
    .toEqual([
      `/console/orders?discount=settles&${ofLease}`,
      `/console/orders?discount=settles&${ofLease}`,
      `/console/orders?discount=settles&${of}`,
    ]);
});

test.each([
  ['money-walk', '/walk', { statements: [] }],
  ['money-discounts', '/discounts', { rows: [] }],
  ['money-radar', '/radar', { rows: [] }],
])('%s requests the chosen period, and shows it with its time zone', async (tag, path, sums) => {
  const search = '?from=2026-02-01&to=2026-02-28&lender=Quillmoor';
  history.replaceState(null, '', `/console/money${search}`);
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address);
    const period = { from: '2026-02-01', to: '2026-02-28', zone: 'America/New_York' };
    const answer = { ...reliability, ...period, ...sums };
    return Promise.resolve(Response.json(answer));
  });
  const tab = document.createElement(tag);
  Object.assign(tab, { search, names: { lenders: [], currencies: [] } });
  document.body.append(tab);
  await expect.poll(() => tab.textContent).toContain('Days in America/New_York');
  expect(asked.filter((address) => address !== '/periods')).toEqual([
    expect.stringContaining(`${path}${search}`),
  ]);
  const inputs = [...tab.querySelectorAll<HTMLInputElement>('.period input')];
  expect(inputs.map(({ value }) => value)).toEqual(['2026-02-01', '2026-02-28']);
});

const at = '2026-11-03T09:00:00.000Z';
const seal = { hash: 'ab'.repeat(32), at, approvedBy: 'ben' };
const periods = {
  zone: 'UTC',
  open: '2026-10',
  periods: [
    { id: '2026-11', from: '2026-11-01', to: '2026-11-30', state: 'future' },
    { id: '2026-10', from: '2026-10-01', to: '2026-10-31', state: 'open' },
    { id: '2026-09', from: '2026-09-01', to: '2026-09-30', state: 'closed', seal },
  ],
};

test.each([
  [
    'en',
    { period: '2026-09', isSealed: true, seal: seal.hash, adjustments: 0 },
    /^2026-09: as sealed on Nov 3, 2026.* by ben\. Hash \(SHA-256\) abababababab…$/,
  ],
  [
    'de',
    { period: '2026-09', isSealed: true, seal: seal.hash, adjustments: 2 },
    /^2026-09: wie versiegelt am 03\.11\.2026.* von ben\. .*… Mit 2 Nachträgen zu früheren Perioden\.$/,
  ],
  [
    'en',
    { period: '2026-10', isSealed: false, adjustments: 3 },
    /^2026-10: open, with 3 adjustments to closed periods\.$/,
  ],
  [
    'de',
    { period: '2026-10', isSealed: false, adjustments: 0 },
    /^2026-10: offen, ohne Nachträge\.$/,
  ],
])(
  'the cash walk of a period of the books says in %s how it stands: %o',
  async (name, book, says) => {
    await setLanguage(name);
    setZone('UTC');
    const search = `?period=${book.period}`;
    history.replaceState(null, '', `/console/money${search}`);
    const asked: string[] = [];
    vi.stubGlobal('fetch', (address: string) => {
      asked.push(address);
      const walk = { ...reliability, from: '2026-10-01', to: '2026-10-31', zone: 'UTC', book };
      const statements = [{ ...zeros, currency: 'USD', discount: -150 }];
      return Promise.resolve(
        Response.json(address === '/periods' ? periods : { ...walk, statements }),
      );
    });
    const tab = document.createElement('money-walk');
    Object.assign(tab, { search, names: { lenders: [], currencies: [] } });
    document.body.append(tab);
    const text = () => tab.querySelector('.book')?.textContent.replaceAll(/\s+/g, ' ').trim();
    await expect.poll(text).toMatch(says);
    expect(asked).toContain(`/walk${search}`);
    const options = [...(tab.querySelector('select')?.options ?? [])];
    expect(options.map(({ value }) => value)).toEqual(['', '2026-10', '2026-09']);
    expect(options.find(({ selected }) => selected)?.value).toBe(book.period);
    expect(tab.querySelector('.period')).toBeNull();
    expect(tab.querySelector('.walk-steps a')?.getAttribute('href')).toBe(
      `/console/close?period=${book.period}&step=discount&currency=USD`,
    );
  },
);
