import { expect, it } from 'vitest';
import { queryOf } from './filters.ts';

it('shows open cases that are neither snoozed nor merged unless a state is chosen', () => {
  expect(queryOf({}).state).toBe('open');
  expect(queryOf({ state: 'ignored' }).state).toBe('ignored');
  expect(queryOf({}).snoozed).toBe('false');
  expect(queryOf({ snoozed: 'true' }).snoozed).toBe('true');
  expect(queryOf({}).merged).toBe('false');
  expect(queryOf({ merged: 'true' }).merged).toBe('true');
  expect(queryOf({ mergedInto: 'case_1' }).merged).toBeUndefined();
  expect(queryOf({ state: 'all', unknown: 'x' })).toEqual({
    state: undefined,
    code: undefined,
    currency: undefined,
    assignee: undefined,
    unassigned: undefined,
    mentioned: undefined,
    least: undefined,
    days: undefined,
    overdue: undefined,
    lender: undefined,
    under: undefined,
    daysUnder: undefined,
    currencyAssumed: undefined,
    snoozed: undefined,
    merged: undefined,
    mergedInto: undefined,
    sort: undefined,
    direction: undefined,
  });
});

it('lists snoozed and merged cases, too, among those that a close requires decided', () => {
  expect(queryOf({ begunTo: '2026-10-31', code: 'NOT_IN_LEDGER' })).toMatchObject({
    state: 'open',
    code: 'NOT_IN_LEDGER',
    begunTo: '2026-10-31',
    snoozed: undefined,
    merged: undefined,
  });
  const from = '2026-11-03T09:00:00.000Z';
  expect(queryOf({ state: 'all', from })).toMatchObject({ state: undefined, from });
});
