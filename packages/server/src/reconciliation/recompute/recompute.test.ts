import { expect, test } from 'vitest';
import { defaultPolicy } from '../policy.ts';
import type { PassRequest } from './engine.ts';
import { createRecompute } from './recompute.ts';

/**
 * A recompute whose passes take as long as said, while a sync is under way.
 * @param onAsked hears that it asks whether one is
 */
function timed(onAsked?: () => void, signal?: AbortSignal) {
  const passes: PassRequest['kind'][] = [];
  const at = { now: 0, passMs: 0 };
  const recompute = createRecompute({
    environment: 'sandbox',
    store: {
      projectLedger: () => Promise.reject(new Error('not asked')),
      bulk: {
        kind: 'sqlite',
        rows() {
          onAsked?.();
          return Promise.resolve(onAsked ? [] : [['a sync']]);
        },
        write: () => Promise.reject(new Error('not asked')),
      },
    },
    worker: {
      run: ({ kind }: PassRequest) => {
        passes.push(kind);
        at.now += at.passMs;
        const none = { judged: 0, changed: 0, unexplained: 0, untold: 0, failed: 0 };
        return Promise.resolve({ state: 'done', full: false, ...none });
      },
      close: () => Promise.resolve(),
    },
    policy: defaultPolicy,
    policyHash: 'one',
    isComplete: () => Promise.resolve(true),
    clock: { now: () => at.now, after: () => () => undefined },
    logger: { log: () => undefined },
    counters: { increment: () => undefined },
    ...(signal ? { signal } : {}),
  });
  return { at, passes, recompute };
}

test('the first pass does not wait for a sync, the next ones do for a minute', async () => {
  const { at, passes, recompute } = timed();
  expect(await recompute.dirty()).toMatchObject({ state: 'done' });
  at.now = 59_999;
  expect(await recompute.dirty()).toMatchObject({ state: 'busy', changed: 0 });
  expect(passes).toHaveLength(1);
  at.now = 60_000;
  expect(await recompute.dirty()).toMatchObject({ state: 'done' });
  expect(passes).toHaveLength(2);
});

test('after a long pass the next ones wait ten times as long', async () => {
  const { at, passes, recompute } = timed();
  at.passMs = 30_000;
  await recompute.dirty();
  at.now = 30_000 + 299_999;
  expect(await recompute.dirty()).toMatchObject({ state: 'busy' });
  expect(passes).toHaveLength(1);
});

test('who asks for a full pass has it at once', async () => {
  const { passes, recompute } = timed();
  await recompute.dirty();
  await recompute.full();
  expect(passes).toEqual(['due', 'full']);
});

test('no pass begins after the end, whatever it was about to ask', async () => {
  const ending = new AbortController();
  const { passes, recompute } = timed(() => ending.abort(), ending.signal);
  await recompute.dirty();
  expect(await recompute.dirty()).toMatchObject({ state: 'stopped', changed: 0 });
  expect(passes).toHaveLength(1);
});
