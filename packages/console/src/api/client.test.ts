import { expect, it, vi } from 'vitest';
import { get, onConnection, sessionStarted } from './client.ts';

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
  ['of a request before the sign-in does not end the new session', true, ['online']],
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
