import { readFileSync } from 'node:fs';
import { problemSchema, type Problem } from '@financing-checkout/contract';
import type { z } from 'zod';
import { readInsecure } from '../../config/back-office.ts';
import { EnvironmentReader } from '../../config/reader.ts';
import { isLoopback } from '../../platform/http/address.ts';
import { isBearerValue } from '../../platform/http/origin.ts';
import { failureCode, isNotSent } from '../../service/transport.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import type { Shell } from './shell.ts';
import { Silence } from './silence.ts';

export interface OfficeRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** Under the back office's address; parts of it are percent-encoded. */
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
 * Asks the back office of a running companion, at COMPANION_BACK_OFFICE_URL with
 * COMPANION_BACK_OFFICE_TOKEN.
 * @throws {CommandFailure} with the exit code that fits what went wrong
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

/** Milliseconds without a byte after which a long answer is given up. */
const SILENCE_MS = 300_000;
const notWhole = 'what came before is not the whole answer';

/**
 * Reads a long answer of the back office, JSON in pieces of text as they come. However long all of it
 * takes, a companion that hangs is not waited for.
 * @throws {CommandFailure} also when the answer is cut off: what came before is not all of it
 */
export async function* readOffice(
  shell: Shell,
  request: Pick<OfficeRequest<z.ZodType>, 'path' | 'query'>,
): AsyncGenerator<string> {
  const { url, token } = officeAddress(shell.env);
  const silence = new Silence(SILENCE_MS);
  silence.begin();
  try {
    let response: Response;
    let refused: string | undefined;
    try {
      response = await shell.fetch(addressOf(url, request).href, {
        method: 'GET',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal: silence.signal,
      });
      // Another program that listens there may answer 200, too: its page is no list of records.
      const type = response.headers.get('content-type')?.split(';')[0];
      if (response.status !== 200 || type !== 'application/json') refused = await response.text();
    } catch (error) {
      throw silence.failure(notWhole) ?? notAnswered(error);
    }
    if (refused !== undefined || response.body === null) {
      throw refusal(url, response.status, parseJson(refused ?? ''));
    }
    const decoder = new TextDecoder();
    try {
      const bytes: AsyncIterable<Uint8Array> = response.body;
      for await (const chunk of bytes) {
        // While a piece is written nobody listens.
        silence.end();
        yield decoder.decode(chunk, { stream: true });
        silence.begin();
      }
    } catch {
      throw (
        silence.failure(notWhole) ??
        new CommandFailure(
          'The answer was cut off: what came is not all of it. The log of the companion says why.',
        )
      );
    }
  } finally {
    silence.end();
  }
}

/**
 * A part of a long answer, checked.
 * @throws {CommandFailure} which does not repeat it
 */
export function readPart<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw strange();
}

/** For an answer that is none, or ends in the middle. */
export function strange(): CommandFailure {
  return new CommandFailure(
    'What answers is not a companion of this version, or its answer breaks off. Check COMPANION_BACK_OFFICE_URL.',
  );
}

/** Says in the help of a command what `--by` is. */
export const BY_MEANS =
  'the person for whom it is done; default COMPANION_USER; needed only without a token, whose name is kept with it';

/**
 * Returns the person for whom the command is run, if one is named. A token names its owner to the back
 * office, so a person is needed only where there is none.
 * @param by as given with the command
 * @throws {CommandFailure} when there is neither a token nor a person
 */
export function writerOf({ env }: Shell, by: string | undefined): string | undefined {
  const { token } = officeAddress(env);
  // Who is logged in has said nothing: beside the name of a token it would look as if they had.
  const names = [by, env.COMPANION_USER, ...(token ? [] : [env.USER, env.LOGNAME])];
  const name = names.find((one) => one !== undefined && one.trim() !== '');
  if (name !== undefined || token !== undefined) return name;
  throw new CommandFailure('Say who does it: --by, or COMPANION_USER.');
}

/** @throws {CommandFailure} for an id that cannot be part of an address */
function addressOf(url: string, { path, query }: Pick<OfficeRequest<z.ZodType>, 'path' | 'query'>) {
  // Those are steps in an address, however they are written (RFC 3986 5.2.4): another one is asked.
  if (/\/\.{0,2}(?:\/|$)/.test(path)) {
    throw new CommandFailure('Nothing has the id "", "." or "..".', exitCodes.usage);
  }
  const address = new URL(`${url.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, value);
  return address;
}

/** @param key the Idempotency-Key of a request that may have been done although it failed */
function refusal(url: string, status: number, body: unknown, key?: string): CommandFailure {
  const problem = problemSchema.safeParse(body).data;
  const mayBeDone = problem === undefined ? status < 300 || status >= 500 : lost.has(problem.code);
  const text =
    problem === undefined
      ? `What is at ${url} answered ${status}, and not as a companion of this version. Check COMPANION_BACK_OFFICE_URL.`
      : problemText(problem);
  if (mayBeDone && key !== undefined) {
    return new CommandFailure(`${text}\n${hearLater(key)}`, exitCodes.unknown);
  }
  return new CommandFailure(text, problem === undefined ? exitCodes.failed : exitCodeOf(problem));
}

const hearLater = (key: string) =>
  `It may have been done: run the same command with --key ${key} to hear what became of it.`;

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
      'is plain http to another machine, where the token could be read on the way: use https, or say COMPANION_BACK_OFFICE_INSECURE=true where something else encrypts that network',
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

/** Returns whether others on the network can read what is sent to an address. */
function isOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Of a certificate that nobody known here has signed. */
const untrusted = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_UNTRUSTED)/;

function notAnswered(error: unknown, key?: string): CommandFailure {
  const code = failureCode(error);
  const why = code === undefined ? '' : ` (${code})`;
  if (!isNotSent(error) && key !== undefined) {
    return new CommandFailure(
      `The companion did not answer${why}. ${hearLater(key)}`,
      exitCodes.unknown,
    );
  }
  if (code !== undefined && untrusted.test(code)) {
    return new CommandFailure(
      `The certificate of COMPANION_BACK_OFFICE_URL is not trusted${why}, and nothing was sent. If a CA of your own has signed it, name the file of that CA in NODE_EXTRA_CA_CERTS.`,
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
/** Of a companion that failed, before it called the service or after. */
const lost = new Set<Problem['code']>(['internal', 'store-unavailable']);
/** What the storefront listener says to who has no public key, or no page. */
const ofStorefront = new Set<Problem['code']>(['public-key-invalid', 'origin-not-allowed']);
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
    ...(ofStorefront.has(problem.code)
      ? ['Is COMPANION_BACK_OFFICE_URL its back-office address, and not that for pages?']
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
