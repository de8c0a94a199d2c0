import { findOperation, type PublishedOperation } from './operations.ts';
import { problemsOf, type BodyProblem } from './problem.ts';

/** One response of the service, received or sent. */
export interface Answer {
  method: string;
  /** Path relative to the base URL, with or without a query. */
  path: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The body as a string; empty if there is none. */
  body: string;
}

/** One difference between a response and the published contract. It contains no value. */
export interface AnswerProblem extends BodyProblem {
  /** Name of the operation: "charges.create"; null for an unknown path. */
  operation: string | null;
}

/**
 * Generic HTTP statuses, before a call reaches an operation: wrong method, body too large, wrong
 * media type (RFC 9110 15.5.6, 15.5.14, 15.5.16). No operation lists them.
 */
const statusesOfHttp: readonly number[] = [405, 413, 415];

/**
 * Returns the differences between a response and the published contract for its operation:
 * status, presence of a body, media type, and each field of the body.
 *
 * @example
 * checkAnswer({
 *   method: 'GET',
 *   path: '/v2/post-sale/orders/A-1001',
 *   status: 200,
 *   headers: { 'content-type': 'application/json' },
 *   body: '"66a1b2c3d4e5f60718293a4b"',
 * }); // []
 */
export function checkAnswer(answer: Answer): AnswerProblem[] {
  const operation = findOperation(answer.method, answer.path);
  const problems = operation ? problemsAt(operation, answer) : problemsNowhere(answer);
  return problems.map((problem) => ({ operation: operation?.name ?? null, ...problem }));
}

/** Checks the error for a path without a published operation; its format is not documented. */
function problemsNowhere({ status }: Answer): BodyProblem[] {
  if (status === 400 || status === 401 || status === 404 || statusesOfHttp.includes(status)) {
    return [];
  }
  return [wrong(`status ${status} where no operation is published`)];
}

function problemsAt(operation: PublishedOperation, answer: Answer): BodyProblem[] {
  const { status, body } = answer;
  if (statusesOfHttp.includes(status)) return [];
  const published = operation.answers[status];
  if (published === undefined) return [wrong(`status ${status} is not published`)];
  if (published === null) {
    return body === '' ? [] : [extra(`status ${status} is published without a body`)];
  }
  if (body === '') return [wrong('there is no body')];
  const json = parse(body);
  if (json === undefined) return [wrong('the body is not JSON')];
  const checked = published.schema(json.value).safeParse(json.value);
  return [
    ...(published.mediaTypes.includes(mediaTypeOf(answer))
      ? []
      : [extra(`the media type is none of ${published.mediaTypes.join(', ')}`)]),
    ...(checked.success ? [] : problemsOf(checked.error, json.value)),
  ];
}

const wrong = (reason: string): BodyProblem => ({ path: '', reason, unpublished: false });
const extra = (reason: string): BodyProblem => ({ path: '', reason, unpublished: true });

function parse(body: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) as unknown };
  } catch {
    return undefined;
  }
}

function mediaTypeOf({ headers }: Answer): string {
  const [, value = ''] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return value.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Formats a problem as one line: `charges.get: state: the value is none of …`. */
export function describeProblem({ operation, path, reason }: AnswerProblem): string {
  return [operation ?? 'no operation', ...(path === '' ? [] : [path]), reason].join(': ');
}
