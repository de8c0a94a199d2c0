import { readFileSync } from 'node:fs';
import { problemSchema, type Problem } from '@financing-checkout/contract';
import type { z } from 'zod';
import { readInsecure } from '../../config/back-office.ts';
import { EnvironmentReader } from '../../config/reader.ts';
import { isLoopback } from '@financing-checkout/kit';
import { isBearerValue } from '../../platform/http/origin.ts';
import { failureCode, isNotSent } from '../../service/transport.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import type { Shell } from './shell.ts';

export interface OfficeRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** Path below the back office's address, percent-encoded. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Idempotency-Key. */
  key?: string;
  schema: Schema;
}

/** Longer than the companion waits for the service. */
const DEADLINE_MS = 90_000;
const DEFAULT_URL = 'http://127.0.0.1:4001';

/**
 * Sends a request to the back office of a running companion, at COMPANION_BACK_OFFICE_URL with
 * COMPANION_BACK_OFFICE_TOKEN.
 * @throws {CommandFailure} with the exit code of the error
 */
export async function askOffice<Schema extends z.ZodType>(
  shell: Shell,
  request: OfficeRequest<Schema>,
): Promise<z.infer<Schema>> {
  const { url, token } = officeAddress(shell.env);
  const address = addressOf(url, request);
  let status: number;
  let text: string;
  try {
    const response = await shell.fetch(address.href, {
      method: request.method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
        ...(request.method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {}),
      signal: AbortSignal.timeout(DEADLINE_MS),
      // The token goes to this address and to no other.
      redirect: 'manual',
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw notAnswered(error, request.key);
  }
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    const parsed = request.schema.safeParse(body);
    if (parsed.success) return parsed.data;
  }
  throw refusal(url, status, body, request.key);
}

/** Maximum characters of a line. */
const MAX_LINE = 1_048_576;

/**
 * Yields the lines of a long JSON answer of the back office as they arrive. The answer may take any
 * time; a companion that sends nothing for five minutes times out (undici's default).
 * @throws {CommandFailure} also if the answer breaks off, which makes it incomplete
 */
export async function* readLines(
  shell: Shell,
  request: Pick<OfficeRequest<z.ZodType>, 'path' | 'query'>,
): AsyncGenerator<string> {
  const { url, token } = officeAddress(shell.env);
  let response: Response;
  let refused: string | undefined;
  try {
    response = await shell.fetch(addressOf(url, request).href, {
      method: 'GET',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: 'manual',
    });
    // Another program at this address may answer 200 too, with a page.
    const type = response.headers.get('content-type')?.split(';')[0];
    if (response.status !== 200 || type !== 'application/json') refused = await response.text();
  } catch (error) {
    throw notAnswered(error);
  }
  if (refused !== undefined || response.body === null) {
    throw refusal(url, response.status, parseJson(refused ?? ''));
  }
  const decoder = new TextDecoder();
  const bytes: AsyncIterable<Uint8Array> = response.body;
  let rest = '';
  try {
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) throw invalidAnswer();
      yield* lines;
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const code = failureCode(error);
    throw new CommandFailure(
      `The answer broke off${code === undefined ? '' : ` (${code})`} and is incomplete. See the log of the companion.`,
    );
  }
  yield rest;
}

/**
 * Parses a part of a long answer.
 * @throws {CommandFailure} whose message does not repeat it
 */
export function readPart<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw invalidAnswer();
}

/** Returns the failure for an invalid or incomplete answer. */
export function invalidAnswer(): CommandFailure {
  return new CommandFailure(
    'The answer is not from a companion of this version, or it broke off. Check COMPANION_BACK_OFFICE_URL.',
  );
}

/** Help text of `--by`. */
export const BY_HELP =
  'the person who decides; default COMPANION_USER; required only without a token, whose name is stored with it';

/**
 * Returns the person who decides, if one is named. A token names its owner to the back office, so a
 * person is required only without a token.
 * @param by the value of `--by`
 * @throws {CommandFailure} without a token and a person
 */
export function actingPerson({ env }: Shell, by: string | undefined): string | undefined {
  const { token } = officeAddress(env);
  // With a token, the login name would look like a statement of that person, so it is not used.
  const names = [by, env.COMPANION_USER, ...(token ? [] : [env.USER, env.LOGNAME])];
  const name = names.find((one) => one !== undefined && one.trim() !== '');
  if (name !== undefined || token !== undefined) return name;
  throw new CommandFailure('Name the person who decides: --by, or COMPANION_USER.');
}

/** @throws {CommandFailure} for an id that cannot be part of an address */
function addressOf(url: string, { path, query }: Pick<OfficeRequest<z.ZodType>, 'path' | 'query'>) {
  // Dot segments change the path, in any encoding (RFC 3986 5.2.4).
  if (/\/\.{0,2}(?:\/|$)/.test(path)) {
    throw new CommandFailure('"", "." and ".." are not valid ids.', exitCodes.usage);
  }
  const address = new URL(`${url.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, value);
  return address;
}

/** @param key the Idempotency-Key of a request that may have succeeded in spite of the error */
function refusal(url: string, status: number, body: unknown, key?: string): CommandFailure {
  const problem = problemSchema.safeParse(body).data;
  const mayBeDone = problem === undefined ? status < 300 || status >= 500 : lost.has(problem.code);
  const text =
    problem === undefined
      ? `${url} answered ${status}, but not like a companion of this version. Check COMPANION_BACK_OFFICE_URL.`
      : problemText(problem);
  if (mayBeDone && key !== undefined) {
    return new CommandFailure(`${text}\n${adviseRepeat(key)}`, exitCodes.unknown);
  }
  return new CommandFailure(text, problem === undefined ? exitCodes.failed : exitCodeOf(problem));
}

const adviseRepeat = (key: string) =>
  `It may have been done: run the same command with --key ${key} to get its outcome.`;

function officeAddress(env: Shell['env']): { url: string; token: string | undefined } {
  const reader = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'));
  const url = reader.text(
    'COMPANION_BACK_OFFICE_URL',
    isOfficeAddress,
    'must be an http(s) address without user, query or fragment',
  );
  const token = reader.secret('COMPANION_BACK_OFFICE_TOKEN');
  if (token !== undefined && !isBearerValue(token)) {
    reader.problem(
      'COMPANION_BACK_OFFICE_TOKEN',
      'must be visible ASCII characters without spaces',
    );
  }
  if (token !== undefined && isOpen(url ?? DEFAULT_URL) && !readInsecure(reader)) {
    reader.problem(
      'COMPANION_BACK_OFFICE_URL',
      'is plain http to another machine, so the token could be read on the way: use https, or set COMPANION_BACK_OFFICE_INSECURE=true if something else encrypts that network',
    );
  }
  if (reader.problems.length > 0) {
    const lines = reader.problems.map(({ variable, message }) => `${variable} ${message}`);
    throw new CommandFailure(lines.join('\n'), exitCodes.configuration);
  }
  return { url: url ?? DEFAULT_URL, token };
}

function isOfficeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && search === '' && hash === '';
}

/** Returns whether requests to an address cross a network unencrypted. */
function isOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Error codes of a certificate without a trusted issuer. */
const untrusted = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED)/;

function notAnswered(error: unknown, key?: string): CommandFailure {
  const code = failureCode(error);
  const why = code === undefined ? '' : ` (${code})`;
  if (!isNotSent(error) && key !== undefined) {
    return new CommandFailure(
      `The companion did not answer${why}. ${adviseRepeat(key)}`,
      exitCodes.unknown,
    );
  }
  if (code !== undefined && untrusted.test(code)) {
    return new CommandFailure(
      `The certificate of COMPANION_BACK_OFFICE_URL is not trusted${why}, and nothing was sent. If your own CA has signed it, set NODE_EXTRA_CA_CERTS to the file of that CA.`,
      exitCodes.unavailable,
    );
  }
  return new CommandFailure(
    `The companion cannot be reached${why}. Is it running, and is COMPANION_BACK_OFFICE_URL its back-office address?`,
    exitCodes.unavailable,
  );
}

const unavailable = new Set<Problem['code']>([
  'service-unavailable',
  'service-key-rejected',
  'store-unavailable',
  'overloaded',
  'rate-limited',
]);
/** Problems of a companion that failed before or after it called the service. */
const lost = new Set<Problem['code']>(['internal', 'store-unavailable']);
/** Problems of the storefront listener for requests without a public key or an origin. */
const storefrontProblems = new Set<Problem['code']>(['public-key-invalid', 'origin-not-allowed']);
const denied = new Set<Problem['code']>([
  'token-invalid',
  'token-not-permitted',
  'origin-not-allowed',
]);
const unknown = new Set<Problem['code']>([
  'outcome-unknown',
  'idempotency-in-flight',
  'charge-busy',
]);

function exitCodeOf({ code }: Problem): ExitCode {
  if (unknown.has(code)) return exitCodes.unknown;
  if (unavailable.has(code)) return exitCodes.unavailable;
  if (denied.has(code)) return exitCodes.denied;
  return exitCodes.failed;
}

function problemText(problem: Problem): string {
  return [
    `${problem.title} (${problem.code}).`,
    ...(problem.detail === undefined ? [] : [problem.detail]),
    ...(storefrontProblems.has(problem.code)
      ? ['Is COMPANION_BACK_OFFICE_URL the back-office address, and not the storefront address?']
      : []),
    `request ${problem.requestId}${problem.serviceRequestId === undefined ? '' : `, of the service ${problem.serviceRequestId}`}`,
  ].join('\n');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
