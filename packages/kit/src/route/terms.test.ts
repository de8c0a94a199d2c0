import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { type RouteTerms, statedRoutes } from './terms.ts';

const terms: RouteTerms = {
  scope: 'read',
  priorities: [],
  budgets: { none: 'a test' },
  maxBodyBytes: 0,
};
const stated = new WeakSet<object>();

function appWith(...withTerms: string[]): Hono {
  const app = new Hono();
  app.use((_, next) => next());
  for (const path of ['/a', '/b']) {
    if (withTerms.includes(path)) {
      const middleware = (_: unknown, next: () => Promise<void>) => next();
      stated.add(middleware);
      app.get(path, middleware);
    }
    app.get(path, (c) => c.text(''));
    app.all(path, (c) => c.text('', 405));
  }
  return app;
}
const list = (app: Hono) =>
  statedRoutes(app.routes, ({ handler }) => (stated.has(handler) ? terms : undefined));

test('lists each route once, with its terms', () => {
  expect(list(appWith('/a', '/b'))).toEqual([
    { method: 'GET', path: '/a', terms },
    { method: 'GET', path: '/b', terms },
  ]);
});

test('fails for a route without terms, and names it', () => {
  expect(() => list(appWith('/a'))).toThrow(/^GET \/b states no terms\..*maxBodyBytes/);
});
