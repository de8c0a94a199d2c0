import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routesOf, withBudgetTable, withRouteTable } from '@financing-checkout/kit/http';
import { expect, test } from 'vitest';
import type { TestCompanion } from '../companion/companion.fixture.ts';
import { createProgram } from '../program.ts';
import { configure } from '../program.fixture.ts';
import { budgets } from './operation.ts';
import { operations } from './operations.ts';

const path = join(import.meta.dirname, '../../../../docs/routes.md');
const HOW =
  'docs/routes.md differs from the code. Check that each new term is as narrow as the route permits, then write them: UPDATE_ROUTES=1 npx vitest run --project @financing-checkout/reconciliation routes.test';
const createApp = () =>
  createProgram(configure({ url: 'http://127.0.0.1:9' } as TestCompanion)).app;

test('docs/routes.md lists the routes of reconciliation with their terms', () => {
  const document = readFileSync(path, 'utf8');
  const routes = routesOf(createApp());
  const withRoutes = withRouteTable(document, 'reconciliation', routes);
  const current = withBudgetTable(withRoutes, 'reconciliation', budgets);
  if (process.env.UPDATE_ROUTES === '1') writeFileSync(path, current);
  else expect(document, HOW).toBe(current);
});

test('refuses to build an app with a route without terms', () => {
  const app = createApp();
  app.post('/planted', (c) => c.text(''));
  expect(() => routesOf(app)).toThrow(/^POST \/planted states no terms/);
});

test('serves every operation of the table, and the document describes each', () => {
  const ids = (routes: readonly { id: string }[]) => routes.map(({ id }) => id).toSorted();
  expect(ids(routesOf(createApp()))).toEqual(ids(operations));
});
