import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '@financing-checkout/kit';
import type { HeldJob } from './held-thread.fixture.ts';
import {
  mainBeside,
  Thread,
  ThreadBusyError,
  type ThreadOptions,
  ThreadTimeoutError,
} from './thread.ts';

function open(options: Partial<ThreadOptions> = {}): Thread<HeldJob, string> {
  const main = mainBeside('held-thread.fixture', import.meta.url);
  const thread = new Thread<HeldJob, string>({
    name: 'held',
    main,
    resourceLimits: {},
    ...options,
  });
  onTestFinished(() => thread.close());
  return thread;
}

const shared = () => new Int32Array(new SharedArrayBuffer(4));

/** Returns a job that blocks its thread, with functions to observe its start and to release it. */
function heldJob(name: string) {
  const [barrier, begun] = [shared(), shared()];
  return {
    job: { name, barrier, begun },
    /** Resolves when the thread is blocked, or is about to be. */
    async isHeld() {
      await Atomics.waitAsync(begun, 0, 0).value;
    },
    letGo() {
      Atomics.store(barrier, 0, 1);
      Atomics.notify(barrier, 0);
    },
  };
}

test('leaves the main thread free while a job blocks its own', async () => {
  const thread = open();
  const held = heldJob('held');
  const result = thread.run(held.job);
  await held.isHeld();
  // A timer and an event loop message arrive even though the worker is blocked.
  await new Promise((resolve) => setImmediate(resolve));
  held.letGo();
  expect(await result).toBe('held');
});

test('runs jobs in order, and refuses a job when the queue is full', async () => {
  const thread = open({ maxWaiting: 2 });
  const held = heldJob('first');
  const jobs = [held.job, { name: 'second' }, { name: 'third' }].map((job) => thread.run(job));
  await expect(thread.run({ name: 'fourth' })).rejects.toThrow(ThreadBusyError);
  held.letGo();
  expect(await Promise.all(jobs)).toEqual(['first', 'second', 'third']);
  expect(await thread.run({ name: 'fifth' })).toBe('fifth');
});

test('ends a blocked job whose client has disconnected, and runs the next one', async () => {
  const thread = open();
  const held = heldJob('held');
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = thread.run(held.job, running.signal);
  const second = thread.run({ name: 'second' }, waiting.signal);
  const third = thread.run({ name: 'third' });
  await held.isHeld();
  waiting.abort(new Error('The second left.'));
  await expect(second).rejects.toThrow('The second left.');
  running.abort(new Error('The first left.'));
  await expect(first).rejects.toThrow('The first left.');
  expect(await third).toBe('third');
});

test('runs all jobs in one thread', async () => {
  const started = vi.fn<() => void>();
  process.on('worker', started);
  onTestFinished(() => void process.off('worker', started));
  const thread = open();
  const jobs = ['first', 'second', 'third'].map((name) => thread.run({ name }));
  expect(await Promise.all(jobs)).toEqual(['first', 'second', 'third']);
  expect(started).toHaveBeenCalledTimes(1);
});

test('ends a job that takes too long, and runs the next one', async () => {
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => 0,
    after(_, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const thread = open({ limit: { ms: 1_000, clock } });
  const held = heldJob('held');
  const first = thread.run(held.job);
  const second = thread.run({ name: 'second' });
  await held.isHeld();
  for (const callback of timers) callback();
  await expect(first).rejects.toThrow(ThreadTimeoutError);
  expect(await second).toBe('second');
  expect(timers.size).toBe(0);
});

test('reports the error of a job, and restarts for the next one', async () => {
  const thread = open();
  await expect(thread.run({ name: 'first', fails: true })).rejects.toThrow('first failed');
  expect(await thread.run({ name: 'second' })).toBe('second');
});

test('fails a running job when the thread is closed', async () => {
  const thread = open();
  const held = heldJob('held');
  const result = thread.run(held.job);
  await held.isHeld();
  const failed = expect(result).rejects.toThrow('has ended');
  await thread.close();
  await failed;
});
