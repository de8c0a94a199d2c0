import { expect, test } from 'vitest';
import type { Clock } from '@financing-checkout/kit';
import { ChildLimitError, type ChildLimits, runInChild } from './child.ts';
import type { FixtureJob } from './child.fixture.ts';

const main = new URL('./child.fixture.ts', import.meta.url);
const run = (takes: FixtureJob['takes'], limits?: ChildLimits) =>
  runInChild<{ pid: number }>(main, { takes }, limits);

/** A clock on which every timeout expires immediately. */
const hasty: Clock = {
  now: () => 0,
  after(_, callback) {
    queueMicrotask(callback);
    return () => undefined;
  },
};

test('answers from a separate process, within its limits', async () => {
  const answer = await run('nothing', { heapMb: 64, residentMb: 256 });
  expect(answer.pid).not.toBe(process.pid);
});

test('ends a job that exceeds its memory outside the heap', async () => {
  await expect(run('buffers', { residentMb: 128 })).rejects.toThrow(ChildLimitError);
});

test('ends a job that exceeds its heap', async () => {
  await expect(run('heap', { heapMb: 32 })).rejects.toThrow(ChildLimitError);
});

test('ends a job that takes too long', async () => {
  const limit = { ms: 1_000, clock: hasty };
  await expect(run('time', { limit })).rejects.toThrow(ChildLimitError);
});

test('ends a job when its client disconnects, and starts none for a disconnected client', async () => {
  const client = new AbortController();
  const job = run('time', { signal: client.signal });
  client.abort(new Error('The client left.'));
  await expect(job).rejects.toThrow('The client left.');
  await expect(run('nothing', { signal: client.signal })).rejects.toThrow('The client left.');
});
