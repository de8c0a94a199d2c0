import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { answerJson } from './answers.ts';
import { type HttpEnv, ofHttp } from './env.ts';
import { ProblemError, type ProblemExtras } from './problem-error.ts';

/** A program's codes and texts for problems. */
export interface ProblemWords<Code extends string, Extras extends ProblemExtras> {
  table: Readonly<Record<Code, { status: number; title: string }>>;
  /** Returns the URI of a code (RFC 9457 3.1.1). */
  typeOf: (code: Code) => string;
  /** Returns the detail of the response. @default the detail of the problem */
  detailOf?: (extras: Extras) => string | undefined;
  /** Returns additional members of the response body. */
  membersOf?: (extras: Extras) => object;
}

/** Returns the body of a problem (RFC 9457 3.1). */
export function problemBody<Code extends string, Extras extends ProblemExtras>(
  words: ProblemWords<Code, Extras>,
  code: Code,
  extras: Extras,
  requestId: string,
) {
  const { status, title } = words.table[code];
  const { errors, retrySafe = false } = extras;
  return {
    type: words.typeOf(code),
    code,
    title,
    status,
    detail: words.detailOf ? words.detailOf(extras) : extras.detail,
    requestId,
    retrySafe,
    errors,
    ...words.membersOf?.(extras),
  };
}

export interface ProblemOptions<Code extends string, Extras extends ProblemExtras> {
  words: ProblemWords<Code, Extras>;
  /** Returns the problem for an expected error; undefined for any other error. */
  explain: (error: Error, c: Context<HttpEnv>) => ProblemError<Code, Extras> | undefined;
  /** Logs an unexpected error. */
  logUnexpected: (error: Error, requestId: string) => void;
  /** Returns additional response headers, with lowercase names. */
  headersOf?: (extras: Extras) => Record<string, string> | undefined;
}

/** Returns functions that turn every thrown error into a problem. */
export function createProblems<Code extends string, Extras extends ProblemExtras>({
  explain,
  headersOf,
  logUnexpected,
  words,
}: ProblemOptions<Code, Extras>) {
  type Problem = ProblemError<Code, Extras>;

  function problemOf(error: Error, c: Context<HttpEnv>): Problem {
    if (error instanceof ProblemError) return error as Problem;
    const isRefused = error instanceof HTTPException && error.status < 500;
    if (isRefused) return new ProblemError('invalid-request') as Problem;
    const expected = explain(error, c);
    if (expected !== undefined) return expected;
    logUnexpected(error, c.get('requestId'));
    return new ProblemError('internal', { detail: 'See the log for the request id.' }) as Problem;
  }

  /** Returns the problem for an error, and records it for the request's log line. */
  function noteProblem(error: Error, c: Context): Problem {
    const problem = problemOf(error, ofHttp(c));
    c.set('problem', problem);
    return problem;
  }

  function answerProblem(error: Error, c: Context): Response {
    const { code, extras } = noteProblem(error, c);
    const { allow, retryAfterSeconds } = extras;
    const body = problemBody(words, code, extras, ofHttp(c).get('requestId'));
    const headers: Record<string, string> = {
      'content-type': 'application/problem+json',
      ...headersOf?.(extras),
    };
    if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
    if (allow !== undefined) headers.allow = allow;
    return answerJson(c, body, body.status as 400, headers);
  }

  return { answerProblem, noteProblem };
}
