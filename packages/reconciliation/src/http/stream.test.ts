import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '@financing-checkout/kit';
import { until } from '../program.fixture.ts';
import type { Env } from './context.ts';
import { listen } from '@financing-checkout/kit/listen';
import { SlowClientError, streamOf } from './stream.ts';

/** A clock whose timers the test fires. */
function manualClock() {
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => 0,
    after(ms, callback) {
      timers.set(callback, ms);
      return () => timers.delete(callback);
    },
  };
  const elapse = (ms: number) => {
    for (const [callback, after] of timers) if (after <= ms) callback();
  };
  return { clock, timers, elapse };
}

/** Returns a body of endless chunks, and a record of its events. */
function endless(clock: Clock, longestMs?: number) {
  const seen = { hasEnded: 0, isSourceEnded: false, pieces: 0, errors: [] as unknown[] };
  async function* pieces() {
    try {
      for (;;) {
        seen.pieces += 1;
        yield await Promise.resolve(new Uint8Array(65_536));
      }
    } finally {
      seen.isSourceEnded = true;
    }
  }
  const body = streamOf(pieces(), {
    clock,
    longestMs,
    onFailure: (error) => seen.errors.push(error),
    onEnd: () => (seen.hasEnded += 1),
  });
  return { body, seen };
}

test('ends a body that the client does not read, along with its source', async () => {
  const { clock, timers, elapse } = manualClock();
  const { body, seen } = endless(clock);
  const reader = body.getReader();
  await until(() => timers.size === 1);
  elapse(29_999);
  expect(seen.hasEnded).toBe(0);
  elapse(30_000);
  await expect(reader.closed).rejects.toThrow(SlowClientError);
  await until(() => seen.isSourceEnded);
  expect(seen).toMatchObject({ hasEnded: 1, errors: [expect.any(SlowClientError)] });
  expect(timers.size).toBe(0);
});

test('ends a body that the client takes too long to read', async () => {
  const { clock, elapse } = manualClock();
  const { body, seen } = endless(clock, 60_000);
  const reader = body.getReader();
  for (let piece = 0; piece < 10; piece++) await reader.read();
  expect(seen.hasEnded).toBe(0);
  elapse(60_000);
  await expect(reader.closed).rejects.toThrow(SlowClientError);
  expect(seen.hasEnded).toBe(1);
});

test('produces no chunks ahead of a client that does not read', async () => {
  const { clock, timers } = manualClock();
  const { seen } = endless(clock);
  await until(() => timers.size === 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.pieces).toBe(1);
});

test('ends the source without a failure when the client cancels', async () => {
  const { clock, timers } = manualClock();
  const { body, seen } = endless(clock);
  await until(() => timers.size === 1);
  await body.cancel();
  expect(timers.size).toBe(0);
  expect(seen).toMatchObject({ hasEnded: 1, errors: [], isSourceEnded: true });
});

test('closes the connection of a client that does not read', async () => {
  // The adapter prints an error that truncates a body.
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const { clock, elapse } = manualClock();
  const { body, seen } = endless(clock);
  const app = new Hono<Env>().get('/', (c) => c.body(body));
  const listener = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listener.drain(0));
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1').pause();
  const closed = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  // Both buffers are full once no chunk follows in several turns.
  let before = -1;
  await until(() => {
    const isFull = seen.pieces > 1 && seen.pieces === before;
    before = seen.pieces;
    return isFull;
  });
  elapse(30_000);
  await until(() => seen.isSourceEnded);
  expect(seen.errors).toEqual([expect.any(SlowClientError)]);
  // The sent bytes arrive; then the connection closes before the end of the body.
  let last = '';
  socket.on('data', (piece) => (last = piece.toString('latin1').slice(-5)));
  socket.on('error', () => undefined);
  socket.resume();
  await closed;
  expect(last).not.toBe('0\r\n\r\n');
});
