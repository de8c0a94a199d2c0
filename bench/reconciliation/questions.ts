import { request } from 'undici';
import { type BenchHistory, orderId } from './history.ts';
import { patient } from './processes.ts';

export const questions = [
  ...(['orders', 'order', 'exceptions', 'walk', 'discounts', 'radar', 'aging'] as const),
];
export type Question = (typeof questions)[number];

/** An answered query: its start by `performance.now`, and its duration. */
interface Answered {
  question: Question;
  at: number;
  milliseconds: number;
}

const CLIENTS = 5;

/** Five clients, each sending a query as soon as the previous one is answered. */
export class Clients {
  readonly #url: string;
  readonly #history: BenchHistory;
  readonly #answered: Answered[] = [];
  readonly #clients: Promise<void>[];
  #isOver = false;

  constructor(url: string, history: BenchHistory) {
    this.#url = url;
    this.#history = history;
    this.#clients = Array.from({ length: CLIENTS }, (_, index) => this.#ask(index));
    // `end` throws the error.
    for (const client of this.#clients) client.catch(() => undefined);
  }

  async #ask(client: number): Promise<void> {
    // Each client begins with a different query and cycles through all.
    for (let turn = client; !this.#isOver; turn++) {
      const question = questions[turn % questions.length] ?? 'orders';
      const path = pathOf(question, turn * CLIENTS + client, this.#history);
      const at = performance.now();
      const { statusCode, body } = await request(this.#url + path, { dispatcher: patient });
      const text = await body.text();
      // Some orders were never settled and are unknown.
      if (statusCode !== 200 && statusCode !== 404)
        throw new Error(`${path} was answered ${statusCode}: ${text}`);
      this.#answered.push({ question, at, milliseconds: performance.now() - at });
    }
  }

  /** Ends the queries. @param counts whether to include a query with this start and end */
  async end(counts: (from: number, to: number) => boolean = () => true): Promise<Answers> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    return answersOf(
      this.#answered.filter(({ at, milliseconds }) => counts(at, at + milliseconds)),
    );
  }
}

export interface Answers {
  count: number;
  p95Ms: Record<Question, number>;
}

function answersOf(answered: readonly Answered[]): Answers {
  const p95Ms = Object.fromEntries(
    questions.map((question) => {
      const times = answered
        .filter((one) => one.question === question)
        .map(({ milliseconds }) => milliseconds)
        .sort((a, b) => a - b);
      return [question, Math.round(times[Math.ceil(times.length * 0.95) - 1] ?? 0)];
    }),
  ) as Record<Question, number>;
  return { count: answered.length, p95Ms };
}

/** Spreads consecutive numbers over all orders. */
const STRIDE = 7_919;

function pathOf(question: Question, turn: number, history: BenchHistory): string {
  const id = orderId(history, ((turn * STRIDE) % history.summary.orders) + 1);
  switch (question) {
    case 'orders': {
      const pages = ['', '?headline=FUNDED', '?exception=OVER_FUNDED', `?merchantOrderId=${id}`];
      return `/orders${pages[turn % pages.length] ?? ''}`;
    }
    case 'order':
      return `/orders/${encodeURIComponent(`order:${id}`)}`;
    case 'exceptions':
      return `/exceptions${turn % 2 === 0 ? '' : '?currency=USD'}`;
    case 'walk':
      return `/walk${turn % 2 === 0 ? '' : '?from=2026-02-01&to=2026-03-01'}`;
    case 'aging':
      return '/cases/aging';
    case 'discounts':
    case 'radar':
      return `/${question}`;
  }
}
