import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));

/** A body of unknown length: fetch sends it with `transfer-encoding: chunked`. */
const chunked = (text: string): RequestInit & { duplex: 'half' } => ({
  body: new Blob([text]).stream(),
  duplex: 'half',
});

// The size limit of both listeners reads a body whose length it is not told, and puts another
// request in its place: that broke while the listener's requests were not the platform's own.
it('a DELETE without content-length reaches the control API', async () => {
  await test.call('GET', '/v2/post-sale/fundings/report');
  const answer = await fetch(`${test.sandbox.controlUrl}/calls`, { method: 'DELETE' });
  expect([answer.status, await answer.json()]).toEqual([200, { calls: [] }]);
  expect(test.sandbox.calls()).toEqual([]);
});

it('a chunked body reaches the control API', async () => {
  const answer = await fetch(`${test.sandbox.controlUrl}/clock`, {
    method: 'POST',
    ...chunked('{"advance": "1d"}'),
  });
  expect(answer.status).toBe(200);
});

it('a chunked form reaches the hosted page', async () => {
  const { visit } = await prime(test);
  const answer = await fetch(`${test.sandbox.hostedUrl}/checkout/cancel`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    ...chunked(new URLSearchParams(visit).toString()),
  });
  expect(await answer.json()).toEqual({ outcome: { type: 'ended', reason: 'cancelled' } });
});

it('a chunked body that is too large is refused', async () => {
  const answer = await fetch(`${test.sandbox.controlUrl}/clock`, {
    method: 'POST',
    ...chunked('x'.repeat(70_000)),
  });
  expect(answer.status).toBe(413);
});
