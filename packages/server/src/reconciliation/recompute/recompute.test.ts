import { expect, test } from 'vitest';
import { defaultPolicy } from '../policy.ts';
import type { PassRequest } from './engine.ts';
import { createRecompute } from './recompute.ts';

/** A recompute whose passes take as long as said. @returns it, and whether each pass was to wait */
function timed() {
  const patient: boolean[] = [];
  const at = { now: 0, passMs: 0 };
  const recompute = createRecompute({
    environment: 'sandbox',
    store: { projectLedger: () => Promise.reject(new Error('not asked')) },
    worker: {
      run: (request: PassRequest) => {
        patient.push(request.patient);
        at.now += at.passMs;
        const none = { judged: 0, changed: 0, unexplained: 0, failed: 0 };
        return Promise.resolve({ state: 'done', full: false, ...none });
      },
      close: () => Promise.resolve(),
    },
    policy: defaultPolicy,
    policyHash: 'one',
    isComplete: () => Promise.resolve(true),
    clock: { now: () => at.now, after: () => () => undefined },
    logger: { log: () => undefined },
  });
  return { at, patient, recompute };
}

test('the first pass does not wait for a sync, the next ones do for a minute', async () => {
  const { at, patient, recompute } = timed();
  await recompute.dirty();
  at.now = 59_999;
  await recompute.dirty();
  at.now = 59_999 + 60_000;
  await recompute.dirty();
  expect(patient).toEqual([false, true, false]);
});

test('after a long pass the next ones wait ten times as long', async () => {
  const { at, patient, recompute } = timed();
  at.passMs = 30_000;
  await recompute.dirty();
  at.now = 30_000 + 299_999;
  await recompute.dirty();
  expect(patient).toEqual([false, true]);
});

test('who asks for a full pass has it at once', async () => {
  const { patient, recompute } = timed();
  await recompute.dirty();
  await recompute.full();
  expect(patient).toEqual([false, false]);
});
