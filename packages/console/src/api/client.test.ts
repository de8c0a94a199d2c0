import { expect, it, vi } from 'vitest';
import { get, onConnection, sessionStarted } from './client.ts';

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
