import { problems } from '@financing-checkout/contract/storefront';
import { type Route, routesOf } from '@financing-checkout/kit/http';
import { answerDifference, findRoute } from '@financing-checkout/kit/testing';
import type { Hono } from 'hono';
import type { Env } from './platform/http/requests.ts';

/** Headers of each response to an allowed page, which could not read the response without them. */
const ofPages = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
  'access-control-expose-headers': 'x-request-id, retry-after',
  'access-control-allow-credentials': null,
  'set-cookie': null,
};

/**
 * Notes the request of each response of both APIs, so that a read response can be compared with the
 * declaration of its route, from which clients are generated.
 */
export function noteAnswers(
  apps: Readonly<Record<'storefront' | 'backOffice', Hono<Env>>>,
  allowedOrigins: readonly string[],
) {
  const undeclared: string[] = [];
  const asked = new WeakMap<Response, { route: Route | undefined; origin: string | null }>();
  for (const [name, app] of Object.entries(apps)) {
    const { request } = app;
    const routes = routesOf(app);
    app.request = async (input, init, ...more) => {
      const response = await request(input, init, ...more);
      const { headers, method = 'GET' } = input instanceof Request ? input : (init ?? {});
      const url = input instanceof Request ? input.url : String(input);
      const origin = name === 'storefront' ? new Headers(headers).get('origin') : null;
      asked.set(response, { route: findRoute(routes, method, url), origin });
      return response;
    };
  }
  return {
    undeclared,
    /** Notes how a response differs from what its route declares. */
    check(response: Response, text: string) {
      const { origin = null, route } = asked.get(response) ?? {};
      const { headers, status } = response;
      if (route !== undefined) {
        const difference = answerDifference(route, problems, { status, headers, text });
        if (difference !== undefined) undeclared.push(difference);
      }
      // Any page may read `/programmes`, and caches keep it.
      if (origin === null || !allowedOrigins.includes(origin) || route?.path === '/programmes')
        return;
      const expected = { ...ofPages, 'access-control-allow-origin': origin };
      for (const [header, value] of Object.entries(expected)) {
        if (headers.get(header) === value) continue;
        undeclared.push(`${header} is ${headers.get(header)} for a page of ${origin}`);
      }
    },
  };
}
