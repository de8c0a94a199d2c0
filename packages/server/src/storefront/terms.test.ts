import { routesOf } from '@financing-checkout/kit/http';
import { describe, expect, test } from 'vitest';
import { createCompanion as createApis } from '../companion.ts';
import { createCompanion } from '../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import type { Budget } from '../platform/http/route.ts';
import { unstatedPriorities } from '../priorities.fixture.ts';

const AGREED = 'agreed-with-the-service-0123456789';
const { options } = await createCompanion();
const storefront = routesOf(createApis(options).storefront);

/** Options with which a second request exceeds a budget. */
const exhausted: Record<Exclude<Budget, 'order' | 'messages'>, object> = {
  address: { addressLimit: 1 },
  key: { keyLimit: 1 },
  starts: { startBudget: { perAddress: 1 } },
  applications: { prequalificationBudget: { total: 1 } },
};
const budgets = Object.keys(exhausted) as (keyof typeof exhausted)[];

describe.each(
  storefront.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const),
)('for %s, the storefront enforces', (name, terms) => {
  const [method = '', path = ''] = name.replaceAll(/:\w+/g, 'none').split(' ');
  const stated: readonly string[] = 'none' in terms.budgets ? [] : terms.budgets;

  test.each(budgets)('the budget "%s" only if declared', async (budget) => {
    const companion = await createCompanion({
      ...exhausted[budget],
      clientAddress: () => '192.0.2.7',
      notificationAuthorizations: [new Secret(AGREED)],
    });
    const { body, type } = path.endsWith('/start')
      ? {
          body: `publicKey=${companion.options.publicKey}&order=x&returnUrl=https://shop.example&environment=sandbox`,
          type: 'application/x-www-form-urlencoded',
        }
      : { body: '{}', type: 'application/json' };
    const headers = {
      ...companion.headers(),
      'content-type': type,
      ...(path === '/notifications' ? { authorization: AGREED } : {}),
    };
    const ask = () =>
      companion.storefront.request(path, {
        method,
        headers,
        ...(method === 'POST' ? { body } : {}),
      });
    expect((await ask()).status).not.toBe(429);
    expect((await ask()).status === 429).toBe(stated.includes(budget));
  });
});

test('control: detects a call with a priority that the route does not declare', async () => {
  const { storefront: app } = await createCompanion();
  const line = {
    event: 'request',
    requestId: 'req_1',
    method: 'GET',
    route: '/prequalifications/:id',
  };
  const found = (priority: string) =>
    unstatedPriorities([app], [line], [{ requestId: 'req_1', priority }]);
  expect(found('page')).toEqual([]);
  expect(found('checkout')).toEqual([
    'GET /prequalifications/:id calls the service with the priority "checkout"',
  ]);
  const unknown = { ...line, route: '/nothing' };
  expect(
    unstatedPriorities([app], [unknown], [{ requestId: 'req_1', priority: 'page' }]),
  ).toHaveLength(1);
});

test('an app with a route without declared terms cannot be created', () => {
  const app = createApis(options).storefront;
  app.post('/planted', (c) => c.text(''));
  expect(() => routesOf(app)).toThrow(/^POST \/planted states no terms/);
});
