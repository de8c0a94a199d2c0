import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { Exchange } from './exchange.ts';

/** A connection that records the calls it gets. */
class Connection implements Dispatcher.DispatchController {
  readonly rawHeaders = null;
  readonly rawTrailers = null;
  paused = false;
  aborted = false;
  reason: Error | null = null;

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }
}

function begun(signal = new AbortController().signal) {
  const connection = new Connection();
  const exchange = new Exchange(signal);
  exchange.onRequestStart(connection);
  return { connection, exchange };
}

test('an unread response applies back pressure and continues once it is read', async () => {
  const { connection, exchange } = begun();
  const body = exchange[Symbol.asyncIterator]();
  exchange.onResponseStart(connection, 200, {});
  exchange.onResponseData(connection, new Uint8Array(65_536));
  expect(connection.paused).toBe(false);
  exchange.onResponseData(connection, new Uint8Array(1));
  expect(connection.paused).toBe(true);
  await body.next();
  expect(connection.paused).toBe(false);
  await body.next();
  // Data that was read does not count any more.
  exchange.onResponseData(connection, new Uint8Array(65_536));
  expect(connection.paused).toBe(false);
});

test('finds a header in any letter case with all its values', async () => {
  const { connection, exchange } = begun();
  exchange.onResponseStart(connection, 429, { 'retry-after': '7', vary: ['origin', 'accept'] });
  const { headers } = await exchange.answer;
  expect(headers.get('Retry-After')).toBe('7');
  expect(headers.get('vary')).toBe('origin, accept');
  expect(headers.get('etag')).toBeNull();
});

test('does not start a request that was aborted before', () => {
  expect(begun(AbortSignal.abort()).connection.aborted).toBe(true);
  expect(begun().connection.aborted).toBe(false);
});

test.each(['ends', 'fails'])('an abort after it %s does not affect the connection', (how) => {
  const giveUp = new AbortController();
  const { connection, exchange } = begun(giveUp.signal);
  exchange.answer.catch(() => undefined);
  if (how === 'ends') exchange.onResponseEnd();
  else exchange.onResponseError(connection, new Error('reset'));
  giveUp.abort();
  expect(connection.aborted).toBe(false);
});
