import type { RevisedDatabase } from '../../analytics/database.ts';

/** Maximum number of arguments of one query whose results are cached. */
const MAX_KNOWN = 16;

/**
 * Caches the last results of a query: the same query is answered from memory until the next write
 * ends. Calls that arrive while the same query is running share its result.
 * @param find depends only on the database, the policy and the arguments
 */
export function onceARevision<
  Context extends { database: Pick<RevisedDatabase, 'revision'> },
  Args extends readonly (string | number | undefined)[],
  Result,
>(
  find: (ctx: Context, ...args: Args) => Promise<Result>,
): (ctx: Context, ...args: Args) => Promise<Result> {
  const known = new WeakMap<object, AnswersOnce<Result>>();
  return (ctx, ...args) => {
    const { database } = ctx;
    const answers = known.get(database) ?? new AnswersOnce<Result>(MAX_KNOWN);
    known.set(database, answers);
    return answers.answer(JSON.stringify(args), String(database.revision()), () =>
      find(ctx, ...args),
    );
  };
}

/** Caches answers to questions, each valid for one state of the data. */
export class AnswersOnce<Result> {
  readonly #known = new Map<string, { state: string; result: Promise<Result> }>();
  readonly #most: number;

  /** @param most maximum number of questions with cached answers */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the answer to the question in this state of the data.
   * @param find finds the answer, unless it is known or is being found
   */
  async answer(question: string, state: string, find: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const known = this.#known.get(question);
      if (known?.state !== state) break;
      this.#keep(question, known);
      // The client of the first question may have disconnected, which interrupted its query.
      const shared = await known.result.then(
        (result) => ({ result }),
        () => undefined,
      );
      if (shared !== undefined) return shared.result;
      if (this.#known.get(question) === known) this.#known.delete(question);
    }
    const result = find();
    this.#keep(question, { state, result });
    try {
      return await result;
    } catch (error) {
      if (this.#known.get(question)?.result === result) this.#known.delete(question);
      throw error;
    }
  }

  #keep(question: string, answer: { state: string; result: Promise<Result> }): void {
    this.#known.delete(question);
    // Evicts the least recently used question.
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size === this.#most) this.#known.delete(oldest);
    this.#known.set(question, answer);
  }
}
