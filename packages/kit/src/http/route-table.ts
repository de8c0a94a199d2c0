import type { Route } from './route.ts';

/**
 * Returns a Markdown document with a listener's route table regenerated between the comments `<!--
 * routes: <listener> -->` and `<!-- end -->`. A test compares the result with the document, so that
 * a change of a route's terms is reviewed.
 * @throws {TypeError} if the document has no such comments
 */
export function withRouteTable(
  document: string,
  listener: string,
  routes: readonly Route[],
): string {
  const begin = `<!-- routes: ${listener} -->\n\n`;
  const from = document.indexOf(begin);
  const to = document.indexOf('\n\n<!-- end -->', from);
  if (from < 0 || to < 0) throw new TypeError(`The document has no place "${begin.trim()}".`);
  const table = ['<!-- oxfmt-ignore -->', ...tableOf(routes)].join('\n');
  return document.slice(0, from + begin.length) + table + document.slice(to);
}

function tableOf(routes: readonly Route[]): string[] {
  const rows = routes.map(({ budgets, maxBodyBytes, method, path, priorities, scope }) => [
    `\`${method.toUpperCase()} ${path}\``,
    scope,
    priorities.join(', ') || 'none',
    'none' in budgets ? `none: ${budgets.none}` : budgets.join(', '),
    typeof maxBodyBytes === 'number' ? String(maxBodyBytes) : `\`${maxBodyBytes.setting}\``,
  ]);
  const head = ['route', 'scope', 'priorities', 'budgets', 'body'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
