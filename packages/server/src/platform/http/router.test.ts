import { TrieRouter } from 'hono/router/trie-router';
import { expect, test } from 'vitest';
import { FixedPathRouter } from './router.ts';

const routes: [string, string, string][] = [
  ['ALL', '/*', 'first'],
  ['POST', '/checkout/prime', 'prime'],
  ['GET', '/checkout/:id', 'read'],
  ['ALL', '/checkout/prime', 'refuse'],
  ['ALL', '/*', 'last'],
];
const asked: [string, string][] = [
  ['POST', '/checkout/prime'],
  ['GET', '/checkout/prime'],
  ['PROPFIND', '/checkout/prime'],
  ['GET', '/checkout/chk_1'],
  ['POST', '/checkout/chk_1'],
  ['GET', '/'],
];

test("matches a path like Hono's router, first and cached", () => {
  const [ours, theirs] = [new FixedPathRouter<string>(), new TrieRouter<string>()];
  for (const route of routes) {
    ours.add(...route);
    theirs.add(...route);
  }
  for (const [method, path] of [...asked, ...asked]) {
    expect(ours.match(method, path)).toEqual(theirs.match(method, path));
  }
});

test('matches a route that is added later', () => {
  const router = new FixedPathRouter<string>();
  router.add('POST', '/checkout/prime', 'prime');
  const handlers = () => router.match('POST', '/checkout/prime')[0].map(([handler]) => handler);
  expect(handlers()).toEqual(['prime']);
  router.add('ALL', '*', 'later');
  expect(handlers()).toEqual(['prime', 'later']);
});

test('answers unknown methods and caches a bounded number of them', () => {
  const router = new FixedPathRouter<string>();
  router.add('ALL', '/checkout/prime', 'refuse');
  const kept = Array.from({ length: 100 }, (_, index) => {
    const match = () => router.match(`M${index}`, '/checkout/prime');
    expect(match()[0]).toHaveLength(1);
    return match() === match();
  });
  expect(kept.filter(Boolean)).toHaveLength(16);
});
