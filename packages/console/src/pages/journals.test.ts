import { expect, onTestFinished, test, vi } from 'vitest';
import { setLanguage } from '../locale/locale.ts';
import { NAVIGATED } from '../parts/navigation.ts';
import base from '../styles/base.css?inline';
import { useStyles } from '../styles.fixture.ts';
import './journals.ts';

useStyles(base);

const days = { from: '2026-10-01', to: '2026-10-31' };
const periods = {
  zone: 'UTC',
  open: '2026-11',
  periods: [
    { id: '2026-12', from: '2026-12-01', to: '2026-12-31', state: 'future' },
    { id: '2026-11', from: '2026-11-01', to: '2026-11-30', state: 'open' },
    { id: '2026-10', ...days, state: 'closed' },
  ],
};
const receivable = { number: '1210', name: 'Receivable', type: 'asset' };
const sales = { number: '4090', name: 'Sales', type: 'income' };
const entry = {
  id: 'FC3-1',
  date: '2026-10-31',
  kind: 'sales',
  period: '2026-10',
  belongsTo: '2026-09',
  currency: 'USD',
  lines: [
    { account: receivable, amount: 12_345, lender: 'tamberley' },
    { account: sales, amount: -12_345, lender: 'tamberley' },
  ],
};
const balances = [
  { account: receivable, currency: 'USD', debit: 12_345, credit: 0 },
  { account: sales, currency: 'USD', debit: 0, credit: 12_345 },
];
const preview = {
  period: '2026-10',
  isSealed: true,
  format: 'csv',
  detail: 'summary',
  entries: [entry],
  count: 1,
  lines: 2,
  balances,
  refusals: [],
  files: [{ name: 'journal.csv', rows: 2, bytes: 100, sha256: 'ab' }],
};
const exported = {
  ...preview,
  seq: 3,
  seal: { seq: 1, hash: 'cd' },
  at: '2026-11-03T09:00:00.000Z',
  by: 'anna',
  entries: 1,
  isCorrection: false,
  chartHash: 'ef',
  sha256: 'ab'.repeat(32),
};
const chart = {
  hash: 'ef',
  isDefault: true,
  accounts: [{ for: 'receivable', ...receivable }],
  rules: [{ for: 'discount', number: '6511', name: 'Fee', type: 'expense', lender: 'tamberley' }],
};
const pathOf = (period: string, query = 'format=csv&detail=summary&limit=50') =>
  `/periods/${period}/journal?${query}`;
const answers: Record<string, object> = {
  '/periods': periods,
  '/journals': { exports: [exported] },
  '/journals/chart': chart,
  [pathOf('2026-10')]: preview,
};

/** Opens the page. A POST is answered by the export. */
function mounted(own: Record<string, object> = {}, { scopes = ['periods'], search = '' } = {}) {
  history.replaceState(null, '', `/console/journals${search}`);
  const sent: [string, unknown][] = [];
  vi.stubGlobal('fetch', (path: string, { method, body }: RequestInit) => {
    if (method === 'POST') {
      sent.push([path, JSON.parse(typeof body === 'string' ? body : '{}')]);
      return Promise.resolve(Response.json(exported, { status: 201 }));
    }
    const answer = { ...answers, ...own }[path];
    return Promise.resolve(
      answer === undefined ? new Response('', { status: 404 }) : Response.json(answer),
    );
  });
  const page = document.createElement('console-journals');
  Object.assign(page, { search, session: { name: 'anna', scopes } });
  const follow = () => Object.assign(page, { search: location.search });
  addEventListener(NAVIGATED, follow);
  onTestFinished(() => removeEventListener(NAVIGATED, follow));
  document.body.append(page);
  const text = (selector: string) =>
    page.querySelector(selector)?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
  return { page, sent, text };
}

test('shows the last closed period with its trial balance and entries', async () => {
  const { page, text } = mounted();
  await expect.poll(() => text('journal-draft')).toContain('FC3-1');
  expect(text('journal-draft')).toContain('Belongs to 2026-09');
  expect(text('journal-draft')).toContain('1 entry, 2 lines.');
  expect(text('journal-draft')).toContain('journal.csv (2 rows)');
  const offered = [...(page.querySelector('select')?.options ?? [])].map(({ value }) => value);
  expect(offered).toEqual(['2026-11', '2026-10']);
  await expect.poll(() => text('journal-chart')).toContain('These are the default accounts.');
  expect(text('journal-chart')).toContain('tamberley');
});

test('exports with one click, and lists the export', async () => {
  const { page, sent, text } = mounted({ '/journals': { exports: [] } });
  await expect.poll(() => page.querySelector('journal-draft wa-button')).not.toBeNull();
  // Starting the download would leave the page.
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  page.querySelector<HTMLElement>('journal-draft wa-button')?.click();
  await expect.poll(() => text('journal-draft [role=status]')).toContain('Exported as FC3.');
  expect(sent).toEqual([['/periods/2026-10/journal', { format: 'csv', detail: 'summary' }]]);
});

test('names the refusals of the target, and offers no export', async () => {
  const refusal = {
    limit: 'account-number',
    message: 'The account has no number.',
    count: 2,
    examples: ['FC3-1', 'FC3-2'],
  };
  const { page, text } = mounted({ [pathOf('2026-10')]: { ...preview, refusals: [refusal] } });
  await expect
    .poll(() => text('journal-draft [role=alert]'))
    .toContain('The account has no number. (2 times: FC3-1, FC3-2)');
  expect(page.querySelector('journal-draft wa-button')).toBeNull();
});

test.each([
  ['a person without the right', {}, { scopes: [] }],
  [
    'an open period',
    { [pathOf('2026-11')]: { ...preview, isSealed: false } },
    { search: '?period=2026-11' },
  ],
  [
    'a period without anything new',
    { [pathOf('2026-10')]: { ...preview, since: 3, count: 0, entries: [] } },
    {},
  ],
])('offers no export for %s', async (_, own, options) => {
  const { page, text } = mounted(own, options);
  await expect.poll(() => text('journal-draft section')).not.toBe('');
  expect(page.querySelector('journal-draft wa-button')).toBeNull();
});

test.each([
  ['en', 'Export FC2 has entries of the same money in the other detail: import only one of both.'],
  ['de', 'Export FC2 hat Buchungen desselben Geldes in der anderen Genauigkeit'],
])('warns in %s of an export of the same money in the other detail', async (language, warning) => {
  await setLanguage(language);
  const query = 'format=csv&detail=orders&limit=50';
  const { text } = mounted(
    { [pathOf('2026-10', query)]: { ...preview, detail: 'orders', otherDetail: 2 } },
    { search: '?detail=orders' },
  );
  await expect.poll(() => text('journal-draft wa-callout')).toContain(warning);
});

test('leads from an entry of an export to its orders, in German too', async () => {
  await setLanguage('de');
  const trace = {
    export: exported,
    entry,
    orders: [
      {
        orderKey: 'order:A-1',
        merchantOrderId: 'A-1',
        currency: 'USD',
        lender: 'tamberley',
        account: 'receivable',
        amount: 12_345,
      },
    ],
    count: 1,
    totals: [{ account: 'receivable', currency: 'USD', amount: 12_345 }],
  };
  const { page, text } = mounted(
    { '/journals/3/orders?entry=1': trace },
    { search: '?export=3&entry=1' },
  );
  await expect.poll(() => text('journal-trace')).toContain('A-1');
  expect(text('journal-trace')).toContain('Bestellungen hinter FC3-1');
  expect(text('journal-trace ul')).toContain('Forderung an Kreditgeber: 123,45');
  expect(page.querySelector('journal-trace a')?.getAttribute('href')).toBe(
    '/console/orders/order%3AA-1',
  );
});
