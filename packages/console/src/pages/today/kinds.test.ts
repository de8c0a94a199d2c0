import type { TodayItem } from '@financing-checkout/contract/reconciliation';
import { render } from 'lit';
import { expect, test, vi } from 'vitest';
import { setLanguage } from '../../locale/locale.ts';
import { filters } from '../../parts/navigation.ts';
import './action.ts';
import { itemsOf, placeOf, titleOf, urgencyOf } from './items.ts';
import { kindView, noneView, sumsOfKinds, sumsView } from './kinds.ts';

const item = (id: string, amount: number, currency: string, more: Partial<TodayItem> = {}) => ({
  kind: 'exception' as const,
  id,
  amount,
  currency,
  since: '2026-03-01T00:00:00.000Z',
  ...more,
});
const today = {
  amounts: {
    exception: [
      { currency: 'CAD', amount: 1_000 },
      { currency: 'USD', amount: 5_000 },
    ],
  },
  assumed: { exception: 1 },
  items: [
    item('case_1', 3_000, 'USD'),
    item('case_2', -2_000, 'USD'),
    item('case_3', 1_509, 'USD', { currencyAssumed: true }),
    item('case_4', 1_000, 'CAD'),
    item('charge-1', 700, 'USD', { kind: 'hold' }),
  ],
};

function shown(view: unknown): HTMLElement {
  const place = document.createElement('div');
  document.body.append(place);
  render(view, place);
  return place;
}
const textOf = (element: Element) => element.textContent.replaceAll(/\s+/g, ' ').trim();

test('shows the money of a kind by currency, and how many items of an assumed currency it lacks', () => {
  expect(textOf(shown(kindView('exception', 4)))).toBe('Exceptions 4');
  expect(
    textOf(
      shown(
        sumsOfKinds(
          [
            ['exception', 4],
            ['hold', 0],
          ],
          today,
        ),
      ),
    ),
  ).toBe('Money Exceptions CA$10.00$50.00 1 case with an assumed currency in no sum');
});

test('lists the kinds that have no work in a single line', () => {
  const kinds = [
    ['exception', 4],
    ['hold', 0],
    ['quarantine', 0],
    ['ledger-start', 0],
  ] as const;
  expect(textOf(shown(noneView(kinds)))).toBe('None: Holds that end soon and In quarantine.');
});

test('links each sum of a kind to the items that it adds up', () => {
  history.replaceState(history.state, '', '/console/?kind=exception');
  const links = [...shown(sumsView('exception', today)).querySelectorAll('a')];
  expect(links.map((link) => [textOf(link), link.getAttribute('href')])).toEqual([
    ['CA$10.00', '/console/?kind=exception&currency=CAD'],
    ['$50.00', '/console/?kind=exception&currency=USD'],
  ]);
  history.replaceState(history.state, '', links[1]?.href);
  expect(itemsOf(today, filters()).map(({ id }) => id)).toEqual(['case_1', 'case_2']);
});

test('asks in both languages about fundings from before the ledger, with a link to their orders', async () => {
  const asked = item('USD Quillmoor', 401_200, 'USD', {
    kind: 'ledger-start',
    code: 'lender',
    count: 40,
    lender: 'Quillmoor',
    day: '2026-10-03',
  });
  const ofCurrency = { ...asked, code: 'none', count: 1, day: undefined };
  expect([titleOf(asked), titleOf(ofCurrency)]).toEqual([
    '40 fundings of Quillmoor were posted before the first ledger line of the lender (Oct 3, 2026)',
    '1 funding of Quillmoor has a currency without any ledger line',
  ]);
  expect(placeOf(asked)).toBe(
    '/console/orders?headline=BEFORE_LEDGER&lender=Quillmoor&currency=USD',
  );
  await setLanguage('de');
  expect([titleOf(asked), titleOf(ofCurrency)]).toEqual([
    '40 Auszahlungen von Quillmoor wurden vor der ersten Zeile des Kreditgebers im Hauptbuch (03.10.2026) gebucht',
    '1 Auszahlung von Quillmoor hat eine Währung ohne Zeile im Hauptbuch',
  ]);
  await setLanguage('en');
});

test('says in both languages which request waits for a second person, with a link to its period', async () => {
  const approval = (code: string): TodayItem => ({
    kind: 'approval',
    id: '2026-10',
    code,
    since: '2026-11-03T09:00:00.000Z',
  });
  expect(['preparation', 'reopening'].map((code) => titleOf(approval(code)))).toEqual([
    '2026-10 is prepared and waits for approval',
    'The request to reopen 2026-10 waits for approval',
  ]);
  expect(placeOf(approval('preparation'))).toBe('/console/close?period=2026-10');
  await setLanguage('de');
  expect(titleOf(approval('preparation'))).toBe(
    '2026-10 ist vorbereitet und wartet auf die Freigabe',
  );
  await setLanguage('en');
});

test('shows the kind of that question only while there is one, or it is chosen', () => {
  const tiles = (count: number) => textOf(shown(kindView('ledger-start', count)));
  expect(tiles(0)).toBe('');
  expect(tiles(1)).toBe('Before the ledger 1');
  history.replaceState(history.state, '', '/console/?kind=ledger-start');
  expect(tiles(0)).toBe('Before the ledger 0');
});

test('shows an alarm in both languages, and acknowledges it with a reason', async () => {
  const alarm = {
    kind: 'alarm' as const,
    id: '812',
    code: 'trail-broken',
    since: '2026-11-03T09:00:00.000Z',
    reason: 'event 2 was changed',
  };
  expect([titleOf(alarm), placeOf(alarm), urgencyOf(alarm)]).toEqual([
    'The trail is not the one that was written',
    '/console/actions?kind=alarm',
    'urgent',
  ]);
  await setLanguage('de');
  expect(titleOf(alarm)).toBe('Das Protokoll ist nicht das, das geschrieben wurde');
  await setLanguage('en');
  expect(textOf(shown(noneView([['alarm', 0]])))).toBe('');

  const sent: unknown[] = [];
  vi.stubGlobal('fetch', (path: string, { body }: RequestInit) => {
    sent.push([path, body]);
    return Promise.resolve(Response.json({ alarm: 812 }));
  });
  const action = document.createElement('today-action');
  Object.assign(action, { item: alarm, session: { name: 'ada', scopes: ['cases'] } });
  document.body.append(action);
  await expect.poll(() => action.querySelector('wa-button')).not.toBeNull();
  action.querySelector<HTMLElement>('wa-button')?.click();
  const form = action.querySelector('form');
  const submit = () => form?.dispatchEvent(new SubmitEvent('submit', { cancelable: true }));
  expect(textOf(action)).toContain('compare the record store with a backup');
  submit();
  await expect.poll(() => textOf(action)).toContain('Write what was done about it.');
  const note = action.querySelector('textarea');
  if (note !== null) note.value = 'restored from the backup';
  submit();
  await expect
    .poll(() => sent)
    .toEqual([
      ['/alarms/812/acknowledgement', JSON.stringify({ reason: 'restored from the backup' })],
    ]);
});
