import { afterEach, expect, test, vi } from 'vitest';
import { randomId } from './id.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('ids sort by creation, even within one millisecond, past the range of the counter and after the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const names: string[] = [];
  const make = (count: number) => {
    for (let index = 0; index < count; index++) names.push(randomId('att'));
  };
  make(10_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  make(100);
  vi.setSystemTime(Date.now() + 7_200_000);
  make(100);
  expect([...names].sort()).toEqual(names);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(names.map((name) => name.length))).toEqual(new Set([41]));
});

test('the random part of an id never repeats and uses all 64 characters', () => {
  const random = (name: string) => name.slice(-22);
  const names = Array.from({ length: 1_000 }, () => random(randomId('chk')));
  expect(new Set(names).size).toBe(1_000);
  // All 64 characters occur: the probability that 22 000 draws miss one is below 1e-148.
  expect(new Set(names.join('')).size).toBe(64);
});
