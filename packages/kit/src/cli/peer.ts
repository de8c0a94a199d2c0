import { CommandFailure, exitCodes } from './exit.ts';
import { failureCode, isNotSent } from '../outbox/failure-code.ts';
import { check, type Schema } from './schema.ts';

/** An error response (RFC 9457) in the form that the programs send. */
export interface PeerProblem {
  code: string;
  title: string;
  detail?: string | undefined;
  requestId: string;
  /** Request id from the response of the service behind the peer. */
  serviceRequestId?: string | undefined;
  errors?: readonly { path: string; message: string }[] | undefined;
}

/** The running program that commands call, and how messages refer to it. */
export interface Peer {
  /** Name as the subject of a sentence: "The companion". */
  name: string;
  /** The command that runs it. */
  serve: string;
  /**
   * Variable that holds the peer's URL, and a description of that URL: "its back-office address".
   */
  urlVariable: string;
  address: string;
  tokenVariable: string;
  environmentVariable: string;
  problemSchema: Schema<PeerProblem>;
  /** Exit codes by problem code; all other problems exit with 1. */
  exits: Readonly<Record<string, number>>;
  /** Problem codes that leave it unknown whether the request took effect. */
  lost: readonly string[];
  /** Advice by problem code. */
  advice: Readonly<Record<string, string>>;
}

/** How to reach a peer. */
export interface Connection {
  peer: Peer;
  /** The peer's URL for messages. */
  url: string;
  token: string | undefined;
  /** Environment that the command's variables name. */
  environment: string | undefined;
  fetch: (path: string, init: RequestInit) => Promise<Response>;
}

const repeatAdvice = (key: string) =>
  `It may have been done: run the same command with --key ${key} to get its outcome.`;

/**
 * Returns the failure for a rejected request, or for a response that is not from this program.
 * @param key the Idempotency-Key of a request that may have succeeded despite the error
 */
export function refusal(
  { peer, token, url }: Pick<Connection, 'peer' | 'token' | 'url'>,
  status: number,
  body: unknown,
  key?: string,
): CommandFailure {
  const parsed = check(peer.problemSchema, body);
  const problem = parsed.issues === undefined ? parsed.value : undefined;
  const mayBeDone =
    problem === undefined ? status < 300 || status >= 500 : peer.lost.includes(problem.code);
  const text =
    problem === undefined
      ? `The server at ${url} answered ${status}, but not like ${lower(peer.name)} of this version. Check ${peer.urlVariable}.`
      : [
          `${problem.title} (${problem.code}).`,
          ...(problem.detail === undefined ? [] : [problem.detail]),
          ...(problem.errors ?? []).map(({ path, message }) => `  ${path || '(body)'} ${message}`),
          ...(peer.advice[problem.code] === undefined ? [] : [peer.advice[problem.code]]),
          ...(status === 401 ? [tokenAdvice(peer, url, token)] : []),
          `request ${problem.requestId}${problem.serviceRequestId === undefined ? '' : `, of the service ${problem.serviceRequestId}`}`,
        ].join('\n');
  if (mayBeDone && key !== undefined) {
    return new CommandFailure(`${text}\n${repeatAdvice(key)}`, exitCodes.unknown);
  }
  return new CommandFailure(
    text,
    problem === undefined ? exitCodes.failed : peer.exits[problem.code],
  );
}

function tokenAdvice({ tokenVariable }: Peer, url: string, token: string | undefined): string {
  const set = `Set ${tokenVariable} to a token of the program at ${url}: one of its ${tokenVariable}S.`;
  return token === undefined ? set : `${tokenVariable} does not match. ${set}`;
}

/** Error codes for certificates without a trusted issuer. */
const untrusted = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED)/;

/**
 * Returns the failure for a request without a response.
 * @param key the Idempotency-Key of a request that may have succeeded
 * @param ifCut the possible effect of a request without a key that may have been sent, as a phrase
 * after a colon
 */
export function notAnswered(
  peer: Peer,
  error: unknown,
  { key, ifCut }: { key?: string | undefined; ifCut?: string | undefined } = {},
): CommandFailure {
  const code = failureCode(error);
  const why = code === undefined ? '' : ` (${code})`;
  if (!isNotSent(error) && key !== undefined) {
    return new CommandFailure(
      `${peer.name} did not answer${why}. ${repeatAdvice(key)}`,
      exitCodes.unknown,
    );
  }
  // An error without a code is not a connection error; for example, fetch rejected the URL.
  if (ifCut !== undefined ? !isNotSent(error) : code !== undefined && !isNotSent(error)) {
    const text =
      ifCut === undefined
        ? `${peer.name} did not answer completely${why}. See its log, and run the command again.`
        : `${peer.name} did not answer${why}: ${ifCut}.`;
    return new CommandFailure(text, exitCodes.unavailable);
  }
  if (code !== undefined && untrusted.test(code)) {
    return new CommandFailure(
      `The certificate of ${peer.urlVariable} is not trusted${why}, and nothing was sent. If your own CA issued it, set NODE_EXTRA_CA_CERTS to the file of that CA.`,
      exitCodes.unavailable,
    );
  }
  return new CommandFailure(
    `${peer.name} cannot be reached${why}. Check that "${peer.serve}" runs, and that ${peer.urlVariable} is ${peer.address}.`,
    exitCodes.unavailable,
  );
}

/**
 * Compares the environment of an answer with the command's. A program refuses a request that names
 * another environment before the request has an effect. A proxy's answer states no environment.
 * @throws {CommandFailure} with both names
 */
export function requireEnvironmentOf(
  { environment, peer, url }: Connection,
  { headers }: Pick<Response, 'headers'>,
): void {
  const theirs = headers.get('financing-environment');
  if (environment === undefined || theirs === null || theirs === environment) return;
  throw new CommandFailure(
    `The program at ${url} uses the environment "${theirs}", and the command's ${peer.environmentVariable} is "${environment}". Nothing was changed. Set ${peer.urlVariable} to the address of the program that you mean, or run the command with the variables of the program at ${url}.`,
    exitCodes.configuration,
  );
}

/** Returns the failure for an invalid or truncated response. */
export function invalidAnswer({ name, urlVariable }: Peer): CommandFailure {
  return new CommandFailure(
    `The answer is not from ${lower(name)} of this version, or it broke off. Check ${urlVariable}.`,
  );
}

/** Returns a name for use inside a sentence: a leading article becomes lowercase. */
function lower(name: string): string {
  return name.replace(/^The /, 'the ');
}
