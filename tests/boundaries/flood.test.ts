/* The flood benchmark covers each route of the companion's storefront. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { floods } from '../../bench/flood/routes.ts';
import { root } from './tree.ts';

/** Returns the routes of the storefront in docs/routes.md, which is compared with the code. */
function storefrontRoutes(): string[] {
  const text = readFileSync(join(root, 'docs/routes.md'), 'utf8');
  const [, table = ''] = /<!-- routes: storefront -->([\s\S]*?)<!-- end -->/.exec(text) ?? [];
  return Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, route = '']) => route);
}

test('the benchmark floods each public route, and links and a repeated ticket separately', () => {
  const routes = storefrontRoutes();
  expect(routes.length).toBeGreaterThan(7);
  const flooded = floods.map(({ route }) => route);
  expect(routes.filter((route) => !flooded.includes(route))).toEqual([]);
  const ofLinks = flooded.filter((route) => / (?:via|of a) link$/.test(route));
  expect(ofLinks).toHaveLength(3);
  const others = flooded.filter((route) => !routes.includes(route));
  const repeated = 'POST /checkout/start with one ticket';
  expect(new Set(others)).toEqual(new Set([repeated, ...ofLinks]));
});
