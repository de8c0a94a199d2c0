import { expect, test } from 'vitest';
import { daysBetween } from './days.ts';

test('lists days, both ends inclusive', () => {
  expect(daysBetween('2024-02-28', '2024-03-01')).toEqual([
    '2024-02-28',
    '2024-02-29',
    '2024-03-01',
  ]);
});
