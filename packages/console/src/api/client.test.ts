import { expect, it, vi } from 'vitest';
import { call, get, onConnection, sessionStarted } from './client.ts';

it('says why a session has ended', async () => {
  const reasons: string[] = [];
  const stop = onConnection((_, reason) => void reasons.push(reason));
  for (const [code, detail] of [
    ['session-ended', 'The OpenID provider has ended your session.'],
    ['session-ended', undefined],
    ['token-invalid', 'Sign in first.'],
  ]) {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(
      Response.json({ code, detail }, { status: 401 }),
    );
    await expect(get('/cases')).rejects.toMatchObject({ code });
  }
  stop();
  expect(reasons).toEqual(['', 'The OpenID provider has ended your session.', '', '', '', '']);
});

it.each([
  ['ends the session', false, ['online', 'session-ended']],
  [
    'of a request before the sign-in does not end the new session',
    true,
    ['session-started', 'online'],
  ],
])('an answer 401 %s', async (_, signsIn, expected) => {
  const answer = Promise.withResolvers<Response>();
  vi.spyOn(globalThis, 'fetch').mockReturnValue(answer.promise);
  const events: string[] = [];
  const stop = onConnection((event) => void events.push(event));
  const request = get('/cases');
  if (signsIn) sessionStarted();
  answer.resolve(Response.json({ code: 'token-invalid' }, { status: 401 }));
  await expect(request).rejects.toMatchObject({ status: 401 });
  stop();
  expect(events).toEqual(expected);
});

it('calls a declared operation with the parameters, query, body and key of the input', async () => {
  const requests: Request[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    requests.push(new Request(url, init));
    return Promise.resolve(Response.json({ adjustments: [], count: 0 }));
  });
  const query = { limit: '3', after: undefined };
  const answer = await call('get /periods/:period/adjustments', { period: '2026/10', query });
  expect(answer.count).toBe(0);
  await call('post /cases/:caseId/resolve', { caseId: 'c 1', body: { reason: 'x' }, key: 'k' });
  const [read, change] = requests;
  const { origin } = location;
  expect(read?.url).toBe(`${origin}/periods/2026%2F10/adjustments?limit=3`);
  expect(change?.url).toBe(`${origin}/cases/c%201/resolve`);
  expect([read?.method, change?.method]).toEqual(['GET', 'POST']);
  expect(change?.headers.get('idempotency-key')).toBe('k');
  expect(await change?.json()).toEqual({ reason: 'x' });
});

it('does not compile with another name, parameter, query, body or field of the answer', () => {
  const wrong = () => [
    // @ts-expect-error a path that is not declared
    call('get /periods/:period/adjustment', { period: '2026-10' }),
    // @ts-expect-error without the parameter of the path
    call('post /periods/:period/reopening', { body: { reason: 'x' } }),
    // @ts-expect-error a parameter of another path
    call('get /periods/:period', { period: '2026-10', caseId: 'c' }),
    // @ts-expect-error without a required value of the query
    call('get /periods/:period/orders', { period: '2026-10', query: {} }),
    // @ts-expect-error a query that the operation does not have
    call('get /periods', { query: { since: '2026-10-01' } }),
    // @ts-expect-error a body with another field
    call('post /periods/:period/reopening', { period: '2026-10', body: { reasons: 'x' } }),
    // @ts-expect-error without a body
    call('post /cases/:caseId/wake', { caseId: 'c' }),
    // @ts-expect-error an answer without this field
    call('get /periods', {}).then((answer) => void answer.orders),
  ];
  expect(wrong).toBeTypeOf('function');
});
