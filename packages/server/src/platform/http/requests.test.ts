import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { expect, test, vi } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { type Meter, silentMeter } from '../meter.ts';
import { silentLogger } from '../logger.ts';
import { refuseNul } from '@financing-checkout/kit/http';
import { type Env, problemAnswers, requestLog } from './requests.ts';

function application() {
  const request = vi.fn<Meter['request']>();
  const app = new Hono<Env>();
  const meter = { ...silentMeter, request };
  app.use(
    requestLog({ logger: silentLogger, clock: new TestClock(), meter, listener: 'storefront' }),
  );
  app.use(refuseNul);
  const log = vi.fn();
  app.onError(problemAnswers({ log }).answerProblem);
  return { app, request, log };
}

test('cancels the body that a HEAD response omits', async () => {
  const cancel = vi.fn();
  const { app } = application();
  app.get('/stream', (c) => c.body(new ReadableStream({ cancel })));
  await app.request('/stream');
  expect(cancel).not.toHaveBeenCalled();
  await app.request('/stream', { method: 'HEAD' });
  expect(cancel).toHaveBeenCalledOnce();
});

test('counts an unknown method as "other"', async () => {
  const { app, request } = application();
  await app.request('/', { method: 'BREW' });
  expect(request.mock.lastCall?.[0].method).toBe('other');
});

test('refuses a URL that contains NUL', async () => {
  const { app } = application();
  app.get('/orders/:id', (c) => c.text(''));
  expect((await app.request('/orders/a%00b')).status).toBe(400);
});

test.each([
  ['a refusal by the router', new HTTPException(400), 'invalid-request'],
  ['a failure of the router', new HTTPException(500), 'internal'],
  [
    'a string that PostgreSQL cannot store',
    Object.assign(new Error('invalid byte sequence'), { code: '22021' }),
    'invalid-request',
  ],
])('answers %s with the matching problem', async (_, error, code) => {
  const { app, log } = application();
  app.get('/', () => {
    throw error;
  });
  expect(await (await app.request('/')).json()).toMatchObject({ code });
  expect(log).toHaveBeenCalledTimes(code === 'internal' ? 1 : 0);
});
