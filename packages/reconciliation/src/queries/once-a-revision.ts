import type { RevisedDatabase } from '../analytics/database.ts';

/**
 * Keeps the last result of a query: the same query is answered from memory until the next write
 * begins or ends.
 * @param find depends only on the database, the policy and the arguments
 */
export function onceARevision<
  Context extends { database: Pick<RevisedDatabase, 'revision'> },
  Args extends readonly (string | number | undefined)[],
  Result,
>(
  find: (ctx: Context, ...args: Args) => Promise<Result>,
): (ctx: Context, ...args: Args) => Promise<Result> {
  const last = new WeakMap<object, { revision: number; question: string; result: Result }>();
  return async (ctx, ...args) => {
    const { database } = ctx;
    const revision = database.revision();
    const question = JSON.stringify(args);
    const known = last.get(database);
    if (known?.revision === revision && known.question === question) return known.result;
    const result = await find(ctx, ...args);
    if (database.revision() === revision) last.set(database, { revision, question, result });
    return result;
  };
}
