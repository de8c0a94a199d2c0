import { checkAnswer, describeProblem } from '../published/answer.ts';
import type { Answer, AnswerProblem } from '../published/answer.ts';
import { findOperation } from '../published/operations.ts';

/** The responses of one operation so far. */
interface SeenAnswers {
  /** Number of responses by status. */
  statuses: ReadonlyMap<number, number>;
  /** Descriptions of the differences from the published contract. */
  problems: readonly string[];
  /** Descriptions of additions to the published contract, which a service may make at any time. */
  notes: readonly string[];
}

/** Checks each response of the service against the published contract when it arrives. */
export class AnswerLog {
  readonly #secrets: readonly string[];
  readonly #unpublished: 'fail' | 'note';
  readonly #byOperation = new Map<
    string,
    { statuses: Map<number, number>; problems: Map<string, AnswerProblem> }
  >();

  /** @param secrets strings that no problem may contain, even as the name of a field */
  constructor(secrets: readonly string[], unpublished: 'fail' | 'note') {
    this.#secrets = secrets;
    this.#unpublished = unpublished;
  }

  add(answer: Answer): void {
    const operation = findOperation(answer.method, answer.path)?.name;
    if (operation === undefined) return;
    const seen = this.#byOperation.get(operation) ?? {
      statuses: new Map<number, number>(),
      problems: new Map<string, AnswerProblem>(),
    };
    this.#byOperation.set(operation, seen);
    seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1);
    for (const problem of checkAnswer(answer)) {
      const shown = this.#secrets.some((secret) => problem.path.includes(secret))
        ? { ...problem, path: '(a field with an odd name)' }
        : problem;
      seen.problems.set(`status ${answer.status}: ${describeProblem(shown)}`, shown);
    }
  }

  of(operation: string): SeenAnswers {
    const { statuses = new Map<number, number>(), problems } =
      this.#byOperation.get(operation) ?? {};
    const all = [...(problems ?? [])];
    const isNote = ({ unpublished }: AnswerProblem) => unpublished && this.#unpublished === 'note';
    return {
      statuses,
      problems: all.filter(([, problem]) => !isNote(problem)).map(([text]) => text),
      notes: all.filter(([, problem]) => isNote(problem)).map(([text]) => text),
    };
  }

  /** The additions to the published contract, of all operations. */
  get notes(): string[] {
    return [...this.#byOperation.keys()].flatMap((operation) => this.of(operation).notes);
  }
}
