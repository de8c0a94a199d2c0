import type { Hono } from 'hono';
import { routesOf } from '@financing-checkout/kit/http';
import type { Env } from './platform/http/requests.ts';
import type { ServiceClient } from './service/client.ts';

/** A call to the service on behalf of a request. */
export interface PrioritizedCall {
  requestId: string;
  priority: string;
}

/** Wraps the client so that it records the priority of each call with the id of its request. */
export function notePriorities(service: ServiceClient, calls: PrioritizedCall[]): ServiceClient {
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const context = args.at(-1);
        if (isCall(context)) calls.push(context);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

function isCall(context: unknown): context is PrioritizedCall {
  return (
    typeof context === 'object' &&
    context !== null &&
    'priority' in context &&
    'requestId' in context &&
    typeof context.requestId === 'string'
  );
}

/** Lists the calls with a priority that the route of their request does not declare. */
export function unstatedPriorities(
  apps: readonly Hono<Env>[],
  log: readonly object[],
  calls: readonly PrioritizedCall[],
): string[] {
  const stated = apps.flatMap((app) => routesOf(app));
  const found = log.flatMap((line) => {
    if (!('event' in line && line.event === 'request' && 'requestId' in line)) return [];
    const { requestId, method, route } = { method: '', route: '', ...line };
    const permitted = stated.find(
      (one) =>
        one.method === (method === 'HEAD' ? 'get' : method.toLowerCase()) && isAt(route, one.path),
    )?.priorities;
    return calls
      .filter((call) => call.requestId === requestId)
      .filter(({ priority }) => !permitted?.some((one) => one === priority))
      .map(
        ({ priority }) => `${method} ${route} calls the service with the priority "${priority}"`,
      );
  });
  return [...new Set(found)];
}

/** The app may be mounted in another app under a path prefix. */
function isAt(route: string, path: string): boolean {
  return route === path || route === `/financing${path}`;
}
