/* The flood benchmark covers each route of the companion's storefront, and the sign-in of the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consoleFloods } from '../../bench/flood/console.ts';
import { floods } from '../../bench/flood/routes.ts';
import { root } from './tree.ts';

/** Returns the routes of a listener in docs/routes.md, which is compared with the code. */
function routesOf(listener: string): string[] {
  const text = readFileSync(join(root, 'docs/routes.md'), 'utf8');
  const place = `<!-- routes: ${listener} -->`;
  const from = text.indexOf(place);
  const table = text.slice(from, text.indexOf('<!-- end -->', from));
  return Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, route = '']) => route);
}

test('the benchmark floods each public route, and links and a repeated ticket separately', () => {
  const routes = routesOf('storefront');
  expect(routes.length).toBeGreaterThan(7);
  const flooded = floods.map(({ route }) => route);
  expect(routes.filter((route) => !flooded.includes(route))).toEqual([]);
  const ofLinks = flooded.filter((route) => / (?:via|of a) link$/.test(route));
  expect(ofLinks).toHaveLength(3);
  const others = flooded.filter((route) => !routes.includes(route));
  const repeated = 'POST /checkout/start with one ticket';
  expect(new Set(others)).toEqual(new Set([repeated, ...ofLinks]));
});

test('the benchmark floods each route of the console that needs no session', () => {
  const routes = routesOf('reconciliation').filter((route) => route.includes('/console/sign-in'));
  expect(routes).toHaveLength(4);
  const flooded = consoleFloods.map(({ route }) => route);
  const expected = [...routes, 'POST /console/session', 'GET /console/session'];
  expect(expected.filter((route) => !flooded.includes(route))).toEqual([]);
});
