import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routesOf, withBudgetTable, withRouteTable } from '@financing-checkout/kit/http';
import { expect, test } from 'vitest';
import { createCompanion as createApis } from './companion.ts';
import type { CompanionOptions } from './options.ts';
import { createCompanion } from './companion.fixture.ts';
import { budgets } from './platform/http/route.ts';

const path = join(import.meta.dirname, '../../../docs/routes.md');
const HOW =
  'docs/routes.md differs from the code. Check that each new term is as narrow as the route permits, then write them: UPDATE_ROUTES=1 npx vitest run --project @financing-checkout/server routes.test';

test.each([
  ['storefront', (options: CompanionOptions) => createApis(options).storefront],
  ['back office', (options: CompanionOptions) => createApis(options).backOffice],
] as const)(
  'docs/routes.md has the routes of the %s with their terms',
  async (listener, create) => {
    const { options } = await createCompanion({
      metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
    });
    const document = readFileSync(path, 'utf8');
    const routes = routesOf(create(options));
    const withRoutes = withRouteTable(document, listener, routes);
    const current = withBudgetTable(withRoutes, 'companion', budgets);
    if (process.env.UPDATE_ROUTES === '1') writeFileSync(path, current);
    else expect(document, HOW).toBe(current);
  },
);
