/** Names of the pages, which are also keys of their titles. */
export type PageName =
  'today' | 'orders' | 'cases' | 'money' | 'imports' | 'sync' | 'actions' | 'help';

export interface Route {
  name: PageName;
  /** Pattern of the path; a group is the page's parameter. */
  path: RegExp;
  tag: string;
  load: () => Promise<unknown>;
}

/** The pages, each loaded on demand. */
export const routes: readonly Route[] = [
  {
    name: 'today',
    path: /^\/console\/?$/,
    tag: 'console-today',
    load: () => import('../pages/today.ts'),
  },
  {
    name: 'orders',
    path: /^\/console\/orders$/,
    tag: 'console-orders',
    load: () => import('../pages/orders.ts'),
  },
  {
    name: 'orders',
    path: /^\/console\/orders\/([^/]+)$/,
    tag: 'console-order',
    load: () => import('../pages/order.ts'),
  },
  {
    name: 'cases',
    path: /^\/console\/cases$/,
    tag: 'console-cases',
    load: () => import('../pages/cases.ts'),
  },
  {
    name: 'cases',
    path: /^\/console\/cases\/([^/]+)$/,
    tag: 'console-case',
    load: () => import('../pages/case.ts'),
  },
  {
    name: 'money',
    path: /^\/console\/money$/,
    tag: 'console-money',
    load: () => import('../pages/money.ts'),
  },
  {
    name: 'imports',
    path: /^\/console\/imports$/,
    tag: 'console-imports',
    load: () => import('../pages/imports.ts'),
  },
  {
    name: 'sync',
    path: /^\/console\/sync$/,
    tag: 'console-sync',
    load: () => import('../pages/sync.ts'),
  },
  {
    name: 'actions',
    path: /^\/console\/actions$/,
    tag: 'console-actions',
    load: () => import('../pages/actions.ts'),
  },
  {
    name: 'help',
    path: /^\/console\/help$/,
    tag: 'console-help',
    load: () => import('../pages/help.ts'),
  },
];

/** Returns the page of a path, with its parameter. */
export function routeOf(path: string): { route: Route; parameter: string } | undefined {
  for (const route of routes) {
    const match = route.path.exec(path);
    if (match === null) continue;
    try {
      return { route, parameter: decodeURIComponent(match[1] ?? '') };
    } catch {
      // A path that is no valid encoding leads nowhere.
      return undefined;
    }
  }
  return undefined;
}
