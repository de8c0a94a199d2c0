import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { createPageReads, PAGE_READ_MS } from './page-reads.ts';
import { type CallResult, notSent } from './result.ts';

const never = () => Promise.reject(new Error('is not read'));

/** Creates shared reads of links whose responses a test supplies one by one. */
function createSubject() {
  const clock = new TestClock();
  const calls: { name: string; answer: (result: CallResult<never>) => void }[] = [];
  const reads = createPageReads(
    {
      application: never,
      applicationToken: never,
      applied: never,
      link: (id, { priority }) =>
        new Promise((resolve) => calls.push({ name: `${priority} ${id}`, answer: resolve })),
    },
    clock,
  );
  return { calls, clock, read: (id = 'link-1') => reads.link(id, { priority: 'page' }), reads };
}

const rejected: CallResult<never> = {
  kind: 'rejected',
  status: 400,
  codes: [],
  fields: [],
  serviceRequestId: undefined,
};

test('shares the call in flight, and its response until it is two seconds old', async () => {
  const { calls, clock, read } = createSubject();
  const both = [read(), read()];
  clock.advance(60_000);
  const late = read();
  calls[0]?.answer(rejected);
  expect(await Promise.all([...both, late])).toEqual([rejected, rejected, rejected]);
  clock.advance(PAGE_READ_MS - 1);
  expect(await read()).toBe(rejected);
  expect(calls).toHaveLength(1);
  clock.advance(1);
  void read();
  expect(calls).toHaveLength(2);
});

test('reads again immediately after a failure', async () => {
  const { calls, read } = createSubject();
  const failed = read();
  calls[0]?.answer(notSent('overloaded', 2_000));
  await failed;
  void read();
  expect(calls).toHaveLength(2);
});

test('reads again immediately after the clock was set back', async () => {
  const { calls, clock, read } = createSubject();
  const first = read();
  calls[0]?.answer(rejected);
  await first;
  clock.set(-3_600_000);
  void read();
  expect(calls).toHaveLength(2);
});

test('shares nothing between ids or between priorities', () => {
  const { calls, read, reads } = createSubject();
  void read();
  void read('link-2');
  void reads.link('link-1', { priority: 'checkout' });
  expect(calls.map(({ name }) => name)).toEqual(['page link-1', 'page link-2', 'checkout link-1']);
});
