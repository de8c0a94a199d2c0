import { beforeEach, expect, test, vi } from 'vitest';
import { isUnclear } from '../../api/client.ts';
import { type Move, pendingMove, pendingMoves, sendMove } from './pending-move.ts';

const move = (more: Partial<Move> = {}): Move => ({
  key: crypto.randomUUID(),
  kind: 'refund',
  chargeId: 'c1',
  orderKey: 'order:A',
  amount: 500,
  currency: 'USD',
  ...more,
});
const answers: (() => Response | Promise<Response>)[] = [];
const requests: { path: string; key: string | null; body: unknown }[] = [];
const json = (status: number, body: object) => () =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

beforeEach(() => {
  answers.length = 0;
  requests.length = 0;
  vi.stubGlobal('fetch', async (path: string, { headers, body }: RequestInit) => {
    const key = new Headers(headers).get('idempotency-key');
    requests.push({ path, key, body: JSON.parse(body as string) });
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError('no answer');
    return answer();
  });
});

test('forgets a move whose outcome is known', async () => {
  answers.push(json(201, { id: 'opr_1', state: 'accepted' }));
  const end = await sendMove('anna', move({ chargeId: 'c/1' }));

  expect(end.outcome).toBe('done');
  const body = { amount: 500, currency: 'USD' };
  expect(requests).toMatchObject([{ path: '/charges/c%2F1/refunds', body }]);
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test('retries an unclear move with the same key and body, whatever is requested next', async () => {
  answers.push(json(503, { code: 'companion-unavailable' }));
  const first = await sendMove('anna', move({ kind: 'settle', amount: 700 }));
  expect(first.outcome).toBe('unclear');
  expect(pendingMove('anna', 'c1')).toMatchObject({ kind: 'settle', amount: 700 });
  expect(pendingMove('ben', 'c1')).toBeUndefined();

  answers.push(json(201, { id: 'opr_1', state: 'accepted' }));
  const second = await sendMove('anna', move({ kind: 'settle', amount: 900 }));
  expect(second.outcome).toBe('done');
  expect(requests[1]).toEqual(requests[0]);
  expect(pendingMove('anna', 'c1')).toBeUndefined();
});

test('keeps a move without a response, and one that the companion is still looking up', async () => {
  const wanted = move();
  await expect(sendMove('anna', wanted)).resolves.toMatchObject({ outcome: 'unclear' });
  answers.push(json(201, { id: 'opr_1', state: 'unknown' }));
  await expect(sendMove('anna', wanted)).resolves.toMatchObject({ outcome: 'unclear' });
  expect(pendingMove('anna', 'c1')?.key).toBe(wanted.key);
});

test('keeps an unclear move when its retry fails on a missing permission', async () => {
  const wanted = move();
  await sendMove('anna', wanted);
  answers.push(json(403, { code: 'token-not-permitted' }));
  await expect(sendMove('anna', wanted)).resolves.toMatchObject({ outcome: 'unclear' });
  expect(pendingMove('anna', 'c1')?.key).toBe(wanted.key);
});

test('lists the unclear moves of one order and user', async () => {
  await sendMove('anna', move({ kind: 'void', chargeId: 'c1' }));
  await sendMove('anna', move({ chargeId: 'c2', orderKey: 'order:B' }));
  expect(pendingMoves('anna', 'order:A').map(({ chargeId }) => chargeId)).toEqual(['c1']);
  expect(pendingMoves('ann', 'order:A')).toEqual([]);
  expect(requests[0]).toMatchObject({ path: '/charges/c1/voids', body: {} });
});

test('forgets a refused move, so that the next move has its own key', async () => {
  answers.push(json(422, { code: 'amount-exceeds-charge', detail: 'Too much.' }));
  const end = await sendMove('anna', move());
  expect(end).toMatchObject({ outcome: 'refused', error: { detail: 'Too much.' } });
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test.each([
  [0, 'offline', true],
  [401, 'session-ended', true],
  [403, 'token-not-permitted', false],
  [409, 'idempotency-in-flight', true],
  [409, 'charge-busy', false],
  [422, 'amount-exceeds-charge', false],
  [429, 'too-many-requests', true],
  [502, 'service-rejected', false],
  [502, 'service-answer-invalid', true],
  [503, 'companion-unavailable', true],
  [504, 'outcome-unknown', true],
])('determines for status %i %s whether the outcome is unclear: %s', (status, code, expected) => {
  expect(isUnclear({ status, code })).toBe(expected);
});
