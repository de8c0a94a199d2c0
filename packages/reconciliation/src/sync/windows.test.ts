import { expect, test } from 'vitest';
import { addDays } from '@financing-checkout/contract/money';
import { type ReadWindow, WindowError } from './window.ts';
import { WindowReader } from './windows.ts';

const day = '2026-03-10';
/** Newest first, in reading order. */
const days = Array.from({ length: 20 }, (_, ago) => addDays(day, -ago));

/** Windows that complete when the test releases them, in request order. */
function slowWindows(parallel: number) {
  const asked: string[] = [];
  const freed: string[] = [];
  const running: ((outcome: number | Error) => void)[] = [];
  const changed = new Set<string>();
  const read = (of: string) =>
    new Promise<ReadWindow>((resolve, reject) => {
      asked.push(of);
      running.push((outcome) => {
        if (outcome instanceof Error) reject(outcome);
        else {
          resolve({
            day: of,
            table: 'staged',
            count: outcome,
            passes: 2,
            pages: 1,
            overlaps: 0,
            proof: [],
          });
        }
      });
    });
  const isAsBefore = (before: { day: string }) => Promise.resolve(!changed.has(before.day));
  const free = (window: ReadWindow) => Promise.resolve(void freed.push(window.day));
  const reader = new WindowReader({ read, isAsBefore, free }, parallel);
  reader.plan(days);
  /** Completes the next windows with record counts, or errors. */
  async function come(...outcomes: (number | Error)[]) {
    for (const outcome of outcomes) running.shift()?.(outcome);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { asked, freed, changed, reader, come };
}

const failed = new WindowError('failed', 'connection-lost');
const unproven = new WindowError('unproven', 'no two passes agreed');

test('stops requesting after three consecutive failures', async () => {
  const { asked, reader, come } = slowWindows(1);
  const around = reader.around(day);
  await come(failed, failed);
  expect(reader.down).toBeUndefined();
  await come(failed);
  expect(reader.down).toBe('the service is unavailable: connection-lost');
  expect(await around).toEqual({ own: failed, before: failed, after: failed });
  const { before } = await reader.around(addDays(day, -1));
  expect(before).toMatchObject({ state: 'failed', reason: reader.down });
  expect(asked).toHaveLength(3);
});

test.each([
  ['others are read between them', [failed, failed, 1, failed, failed]],
  ['they cannot be proven', [unproven, unproven, unproven, unproven]],
])('continues after failed windows where %s', async (_, outcomes) => {
  const { asked, reader, come } = slowWindows(3);
  void reader.around(day);
  for (const outcome of outcomes) await come(outcome);
  expect(reader.down).toBeUndefined();
  expect(asked.length).toBeGreaterThan(outcomes.length);
});

test('passes an error only to the day that needs the window', async () => {
  const { reader, come } = slowWindows(2);
  const around = reader.around(day);
  await come(1, 1, 1);
  await around;
  const died = new Error('The database has ended.');
  await come(died, died);
  await expect(reader.around(addDays(day, -2))).rejects.toBe(died);
  reader.release([addDays(day, -2), addDays(day, -3)]);
  await come();
});

test('limits windows read concurrently and ahead', async () => {
  const { asked, reader, come } = slowWindows(2);
  void reader.around(day);
  expect(asked).toEqual([addDays(day, 1), day, addDays(day, -1)]);
  await come(1);
  expect(asked).toHaveLength(3);
  await come(1);
  expect(asked).toHaveLength(4);
  await come(1, 1, 1);
  expect(asked).toHaveLength(5);
});

test('does not prefetch a released window again', async () => {
  const { asked, reader, come } = slowWindows(2);
  const around = reader.around(day);
  await come(1, 1, 1);
  await around;
  reader.release([addDays(day, 1), day]);
  void reader.around(addDays(day, -2));
  await come(1, 1, 1);
  expect(new Set(asked).size).toBe(asked.length);
});

test('does not prefetch while pending windows would exceed the limit of records', async () => {
  const { asked, reader, come } = slowWindows(4);
  const around = reader.around(day);
  // Reads the concurrent windows first, and then those that fit.
  expect(asked).toHaveLength(4);
  await come(25_000, 25_000, 25_000, 25_000);
  await around;
  expect(asked).toHaveLength(4);
  reader.release([addDays(day, 1), day]);
  await new Promise((resolve) => setImmediate(resolve));
  void reader.around(addDays(day, -1));
  expect(asked).toHaveLength(6);
});

test('frees the memory of a window when it is released, and of all windows at the end', async () => {
  const { freed, reader, come } = slowWindows(1);
  const around = reader.around(day);
  await come(1, 1, 1);
  await around;
  reader.release([day, addDays(day, 1)]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(freed).toEqual([day, addDays(day, 1)]);
  const ended = reader.end();
  await come(1);
  await ended;
  expect(freed.toSorted()).toEqual([-2, -1, 0, 1].map((ahead) => addDays(day, ahead)));
});

test('reports days with changed pages, even after their windows were released', async () => {
  const { changed, reader, come } = slowWindows(1);
  const around = reader.around(day);
  await come(1, 1, 1);
  await around;
  reader.release([day]);
  changed.add(day).add('2020-01-01');
  expect(await reader.changedSince([addDays(day, 1), day, '2020-01-01'])).toEqual([day]);
});
