import type { BudgetTerms, Route } from './route.ts';

/**
 * Returns a Markdown document with a listener's route table regenerated between the comments `<!--
 * routes: <listener> -->` and `<!-- end -->`. A test compares the result with the document, so that
 * a change to a route's terms is reviewed.
 * @throws {TypeError} if the document has no such comments
 */
export function withRouteTable(
  document: string,
  listener: string,
  routes: readonly Route[],
): string {
  const rows = routes.map(({ budgets, maxBodyBytes, method, path, priorities, scope }) => [
    `\`${method.toUpperCase()} ${path}\``,
    scope,
    priorities.join(', ') || 'none',
    'none' in budgets ? `none: ${budgets.none}` : budgets.join(', '),
    typeof maxBodyBytes === 'number' ? String(maxBodyBytes) : `\`${maxBodyBytes.setting}\``,
  ]);
  const head = ['route', 'scope', 'priorities', 'budgets', 'body'];
  return withTable(document, `routes: ${listener}`, [head, ...rows]);
}

/**
 * Returns a Markdown document with a program's budgets regenerated between the comments `<!--
 * budgets: <program> -->` and `<!-- end -->`.
 * @throws {TypeError} if the document has no such comments
 */
export function withBudgetTable(
  document: string,
  program: string,
  budgets: Readonly<Record<string, BudgetTerms>>,
): string {
  const rows = Object.entries(budgets).map(([name, { counts, neededBy, spentBy }]) => [
    name,
    counts,
    spentBy,
    neededBy,
  ]);
  const head = ['budget', 'counts', 'who can spend it', 'who needs it'];
  return withTable(document, `budgets: ${program}`, [head, ...rows]);
}

/** @param rows the header row first */
function withTable(document: string, place: string, rows: readonly string[][]): string {
  const begin = `<!-- ${place} -->\n\n`;
  const from = document.indexOf(begin);
  const to = document.indexOf('\n\n<!-- end -->', from);
  if (from < 0 || to < 0) throw new TypeError(`The document has no place "${begin.trim()}".`);
  const [head = [], ...others] = rows;
  const lines = [head, head.map(() => '---'), ...others].map((cells) => `| ${cells.join(' | ')} |`);
  const table = ['<!-- oxfmt-ignore -->', ...lines].join('\n');
  return document.slice(0, from + begin.length) + table + document.slice(to);
}
