import { afterEach, expect, test, vi } from 'vitest';
import { setLanguage, setZone } from '../../locale/locale.ts';
import './discounts.ts';
import './radar.ts';
import './walk.ts';

afterEach(async () => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  history.replaceState(null, '', '/');
  await setLanguage('en');
});

const reliability = {
  asOf: '2026-03-01T00:00:00.000Z',
  complete: true,
  unprovenDays: 0,
  quarantined: 0,
  withoutCurrency: 0,
  assumedCurrency: 0,
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
  expect(asked).toEqual([expect.stringContaining(`${path}${search}`)]);
  const inputs = [...tab.querySelectorAll<HTMLInputElement>('.period input')];
  expect(inputs.map(({ value }) => value)).toEqual(['2026-02-01', '2026-02-28']);
});
