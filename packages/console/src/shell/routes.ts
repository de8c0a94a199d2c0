/** Names of the pages, which are also the keys of their titles. */
type PageName =
  | ('today' | 'orders' | 'cases' | 'money' | 'close' | 'journals')
  | ('imports' | 'sync' | 'actions' | 'help');

interface Route {
  name: PageName;
  /** Pattern of the path below `/console`. Its capture group is the page's parameter. */
  path: RegExp;
  tag: string;
  load: () => Promise<unknown>;
}

const route = (name: PageName, path: RegExp, tag: string, load: Route['load']): Route => ({
  name,
  path,
  tag: `console-${tag}`,
  load,
});

/** The pages, each loaded on demand. */
export const routes: readonly Route[] = [
  route('today', /^\/?$/, 'today', () => import('../pages/today.ts')),
  route('orders', /^\/orders$/, 'orders', () => import('../pages/orders.ts')),
  route('orders', /^\/orders\/([^/]+)$/, 'order', () => import('../pages/order.ts')),
  route('cases', /^\/cases$/, 'cases', () => import('../pages/cases.ts')),
  route('cases', /^\/cases\/([^/]+)$/, 'case', () => import('../pages/case.ts')),
  route('money', /^\/money$/, 'money', () => import('../pages/money.ts')),
  route('close', /^\/close$/, 'close', () => import('../pages/close.ts')),
  route('journals', /^\/journals$/, 'journals', () => import('../pages/journals.ts')),
  route('imports', /^\/imports$/, 'imports', () => import('../pages/imports.ts')),
  route('sync', /^\/sync$/, 'sync', () => import('../pages/sync.ts')),
  route('actions', /^\/actions$/, 'actions', () => import('../pages/actions.ts')),
  route('help', /^\/help$/, 'help', () => import('../pages/help.ts')),
];

/** Returns the route for a path, with its parameter. */
export function routeOf(path: string): { route: Route; parameter: string } | undefined {
  if (!path.startsWith('/console')) return undefined;
  for (const one of routes) {
    const match = one.path.exec(path.slice('/console'.length));
    if (match === null) continue;
    try {
      return { route: one, parameter: decodeURIComponent(match[1] ?? '') };
    } catch {
      // A path with an invalid percent-encoding matches no route.
      return undefined;
    }
  }
  return undefined;
}
