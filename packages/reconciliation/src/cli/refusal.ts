import { problemSchema, type Problem } from '@financing-checkout/contract';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { failureCode, isNotSent } from './failure-code.ts';
import type { Api } from './reach.ts';

/**
 * Returns the failure of a rejected request, or of a response from another version.
 * @param key the Idempotency-Key of a request that may have succeeded despite the error
 */
export function refusal(
  { url, token }: Pick<Api, 'url' | 'token'>,
  status: number,
  body: unknown,
  key?: string,
): CommandFailure {
  const hasToken = token !== undefined;
  const problem = problemSchema.safeParse(body).data;
  const mayBeDone = problem === undefined ? status < 300 || status >= 500 : lost.has(problem.code);
  const text =
    problem === undefined
      ? `The server at ${url} answered ${status}, but is not a program of this version. Check RECONCILIATION_URL.`
      : [problemText(problem), ...tokenHint(problem, url, hasToken)].join('\n');
  if (mayBeDone && key !== undefined) {
    return new CommandFailure(`${text}\n${hearLater(key)}`, exitCodes.unknown);
  }
  return new CommandFailure(text, problem === undefined ? exitCodes.failed : exitCodeOf(problem));
}

/** Names the variable of the command's token. */
function tokenHint({ code }: Problem, url: string, hasToken: boolean): string[] {
  if (code !== 'token-invalid') return [];
  const set = `Set RECONCILIATION_TOKEN to a token of the program at ${url}: one of its RECONCILIATION_TOKENS.`;
  return [hasToken ? `RECONCILIATION_TOKEN does not match. ${set}` : set];
}

const hearLater = (key: string) =>
  `The request may have taken effect: run the same command with --key ${key} for its result.`;

/** Codes of certificates with an unknown issuer. */
const untrusted = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED)/;

/**
 * Returns the failure of a request without a response.
 * @param key the Idempotency-Key of a request that may have succeeded
 * @param ifCut what a request without a key leaves if it was sent, as a phrase after a colon
 */
export function notAnswered(error: unknown, key?: string, ifCut?: string): CommandFailure {
  const code = failureCode(error);
  const why = code === undefined ? '' : ` (${code})`;
  if (!isNotSent(error) && key !== undefined) {
    return new CommandFailure(
      `The program did not answer${why}. ${hearLater(key)}`,
      exitCodes.unknown,
    );
  }
  if (!isNotSent(error) && ifCut !== undefined) {
    return new CommandFailure(`The program did not answer${why}: ${ifCut}.`, exitCodes.unavailable);
  }
  if (code !== undefined && untrusted.test(code)) {
    return new CommandFailure(
      `The certificate of RECONCILIATION_URL is not trusted${why}, and nothing was sent. If your own CA issued it, name the CA's file in NODE_EXTRA_CA_CERTS.`,
      exitCodes.unavailable,
    );
  }
  return new CommandFailure(
    `The program is unreachable${why}. Check that "financing-reconcile serve" runs at RECONCILIATION_URL.`,
    exitCodes.unavailable,
  );
}

const incomplete = new Set<Problem['code']>(['not-ready']);
const unavailable = new Set<Problem['code']>([
  'companion-unavailable',
  'overloaded',
  'rate-limited',
  'standby',
  'storage-full',
  'store-unavailable',
]);
/** Returns the failure of a program error, before or after the request took effect. */
const lost = new Set<Problem['code']>(['internal', 'store-unavailable']);
const denied = new Set<Problem['code']>([
  'origin-not-allowed',
  'token-invalid',
  'token-not-permitted',
]);

function exitCodeOf({ code }: Problem): ExitCode {
  if (incomplete.has(code)) return exitCodes.incomplete;
  if (unavailable.has(code)) return exitCodes.unavailable;
  if (denied.has(code)) return exitCodes.denied;
  return exitCodes.failed;
}

function problemText(problem: Problem): string {
  return [
    `${problem.title} (${problem.code}).`,
    ...(problem.detail === undefined ? [] : [problem.detail]),
    ...(problem.errors ?? []).map(({ path, message }) => `  ${path || '(body)'} ${message}`),
    `request ${problem.requestId}`,
  ].join('\n');
}
