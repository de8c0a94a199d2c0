import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { HttpEnv } from './env.ts';
import { ProblemError } from './problem-error.ts';
import { type Route, route, routeFor, routesOf } from './route.ts';
import { createServing } from './serving.ts';

const { serve } = createServing<HttpEnv>((schema, value) => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed;
  return { success: false, errors: [{ path: '', message: 'is wrong' }] };
});

const read = (path: string) =>
  route({
    method: 'get',
    path,
    summary: 'A test',
    scope: 'read',
    priorities: [],
    budgets: { none: 'a test' },
    maxBodyBytes: 0,
    answers: {},
  });

function appWith(...routes: Route[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use((_, next) => next());
  for (const one of routes) {
    app.get(one.path, (_, next) => next());
    serve(app, one, (c) => c.text(''));
    app.all(one.path, (c) => c.text('', 405));
  }
  return app;
}

test('lists each route exactly once, with its terms', () => {
  const routes = [read('/a'), read('/b')];
  expect(routesOf(appWith(...routes))).toEqual(routes);
  expect(routesOf(new Hono().route('/', appWith(...routes)))).toEqual(routes);
});

test('fails for a handler without a route, and names it', () => {
  const app = appWith(read('/a'));
  app.get('/b', (c) => c.text(''));
  expect(() => routesOf(app)).toThrow(/^GET \/b states no terms\..*maxBodyBytes/);
});

test('finds the route of a request, but none for another method or path', async () => {
  const found: unknown[] = [];
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    found.push(routeFor(c)?.id);
    await next();
  });
  app.route('/', appWith(read('/a/:id')));
  for (const [path, method] of [['/a/1'], ['/a/1', 'HEAD'], ['/a/1', 'POST'], ['/none']]) {
    await app.request(path ?? '', { method: method ?? 'GET' });
  }
  expect(found).toEqual(['getAId', 'getAId', undefined, undefined]);
});

test('parses the query and the body when the handler asks for them', async () => {
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    c.set('body', await c.req.text());
    await next();
  });
  const post = route({
    ...read('/a'),
    method: 'post',
    query: z.strictObject({ count: z.string().transform(Number).optional() }),
    body: { schema: z.strictObject({ name: z.string() }) },
  });
  serve(app, post, (c, input) => c.json([input.query().count, input.body().name]));
  serve(app, route({ ...post, path: '/raw' }), (c) => c.text(c.get('body')));
  app.onError((error, c) => c.json(error instanceof ProblemError ? error.code : 'failed', 400));
  const ask = async (path: string, body: string, type = 'application/json; charset=utf-8') => {
    const headers = { 'content-type': type };
    return (await app.request(path, { method: 'POST', headers, body })).text();
  };
  expect(await ask('/a?count=2', '{"name":"x"}')).toBe('[2,"x"]');
  expect(await ask('/a?count=2&count=3', '{"name":"x"}')).toBe('"invalid-request"');
  expect(await ask('/a', '{"name":1}')).toBe('"invalid-request"');
  expect(await ask('/a', '{"name"')).toBe('"invalid-request"');
  expect(await ask('/a', '{"name":"x"}', 'text/plain')).toBe('"media-type-unsupported"');
  expect(await ask('/raw?x=1', 'not JSON', 'text/plain')).toBe('not JSON');
});
