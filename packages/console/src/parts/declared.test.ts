import type { Table } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { render } from 'lit';
import { expect, it } from 'vitest';
import { formats } from '../locale/locale.ts';
import { declaredColumns } from './declared.ts';
import { tableView } from './table.ts';

/** Shows rows in the columns of a declaration. Returns the cells of each line, the headings first. */
function shown(columns: ReturnType<typeof declaredColumns<object>>, rows: readonly object[]) {
  const place = document.createElement('div');
  render(tableView({ label: 'Rows', columns, rows }), place);
  return [...place.querySelectorAll('tr')].map((row) =>
    [...row.cells].map(({ textContent }) => textContent.trim()),
  );
}

it('shows the columns that the declaration shows, with values by their kinds', () => {
  const table: Table = {
    rows: 'rows',
    columns: {
      order: ['merchantOrderId', 'text'],
      order_key: 'text',
      currency: 'text',
      amount: 'amount',
      count: ['all.count', 'count'],
      wrong_percent: ['wrongBasisPoints', 'percent'],
      seen_at: 'moment',
      day: 'day',
      withdrawn: ['isWithdrawn', 'yesNo'],
      reason: 'text',
    },
    shown: [
      ...['order|order_key', 'amount', 'count', 'wrong_percent', 'seen_at', 'day', 'withdrawn'],
      'reason',
    ],
    empty: '',
  };
  const seenAt = '2026-11-27T10:00:00.000Z';
  const row = {
    orderKey: 'order:A-1',
    merchantOrderId: 'A-1',
    currency: 'USD',
    amount: 123_456,
    all: { count: 1_234 },
    wrongBasisPoints: 1_250,
    seenAt,
    day: '2026-11-27',
    isWithdrawn: true,
  };
  expect(shown(declaredColumns(table), [row])).toEqual([
    ['Order', 'Amount', 'Count', 'Share wrong', 'Seen', 'Day', 'Withdrawn', 'Reason'],
    ['A-1', '$1,234.56', '1,234', '12.5%', formats().moment(seenAt), 'Nov 27, 2026', '✓', ''],
  ]);
});

it('replaces or omits the columns that a page names', () => {
  const columns = declaredColumns<{ day?: string }>(tables.unprovenDays, {
    own: { day: { head: 'Date' }, reason: null },
    narrow: ['day'],
  });
  expect(columns.map(({ head, class: name, isName }) => [head, name, isName])).toEqual([
    ['Date', '', true],
    ['State', 'minor', false],
  ]);
});
