/* Compares docs/service-coverage.md with the calls of the service in the sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

interface Row {
  method: string;
  path: string;
  calledIn: string;
}

/** Returns the rows of the document's tables whose first cell is an operation. */
function operationRows(): Row[] {
  const text = readFileSync(join(root, 'docs/service-coverage.md'), 'utf8');
  return Array.from(
    text.matchAll(/^\| (GET|POST|PATCH) (\S+) +\| ([^|]+?) +\|/gm),
    ([, method = '', path = '', calledIn = '']) => ({ method, path, calledIn }),
  );
}

/** Returns the routes in a source file, with their parameters as {}. */
function callsOf(file: string): string[] {
  const text = readFileSync(join(root, 'packages', file), 'utf8');
  const routes = text.matchAll(/'(\/v\d\/[^']*)'|`(\/v\d\/[^`]*)`/g);
  return Array.from(routes, ([, plain, template]) => normal(plain ?? template ?? ''));
}

/** Normalizes the parameters of a path, and expands "…", with which the document shortens a charge's path. */
const normal = (path: string) =>
  path.replace(/^…(\/\{chargeid\})?/, '/v2/post-sale/charges/{}').replaceAll(/\$?\{[^}]*\}/g, '{}');

const sources = globSync('packages/{server,widget}/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  .map((file) => file.replace(/^packages\//, ''));

test('the table of operations names the caller of each operation, and no caller of an unused one', () => {
  const rows = operationRows();
  expect(rows.length).toBeGreaterThan(15);
  const called = new Map(sources.map((file) => [file, callsOf(file)]));
  for (const { method, path, calledIn } of rows) {
    const wanted = normal(path);
    const files = sources.filter((file) => called.get(file)?.includes(wanted));
    const isShared = method === 'PATCH';
    if (calledIn !== 'no') expect(files, `${method} ${path}`).toContain(calledIn);
    else if (!isShared) expect(files, `${method} ${path}`).toEqual([]);
  }
});

test('the table contains every operation that the companion calls', () => {
  const known = operationRows().map(({ path }) => normal(path));
  const called = callsOf('server/src/service/client.ts');
  expect(called.length).toBeGreaterThan(5);
  for (const path of called) expect(known).toContain(path);
});
