import { expect, it } from 'vitest';
import { minorOf, queryOf } from './filters.ts';

it.each([
  ['10', 2, 1000],
  ['10.5', 2, 1050],
  ['0,05', 2, 5],
  ['12', 0, 12],
  ['1.5', 0, undefined],
  ['1.005', 2, undefined],
  ['-3', 2, undefined],
  ['abc', 2, undefined],
  ['', 2, undefined],
])('reads the amount %j with %i decimals as %s', (text, decimals, minor) => {
  expect(minorOf(text, decimals)).toBe(minor);
});

it('shows open cases unless a state is chosen', () => {
  expect(queryOf({}).state).toBe('open');
  expect(queryOf({ state: 'ignored' }).state).toBe('ignored');
  expect(queryOf({ state: 'all', unknown: 'x' })).toEqual({
    ...{ state: undefined, code: undefined, currency: undefined },
    ...{ assignee: undefined, least: undefined, days: undefined },
  });
});
