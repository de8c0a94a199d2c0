import type { z } from 'zod';
import { CommandFailure, exitCodes } from './exit.ts';
import { reach } from './reach.ts';
import { notAnswered, refusal } from './refusal.ts';
import type { Shell } from './shell.ts';
import { Silence } from './silence.ts';

export interface ApiRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** Parts of it are percent-encoded. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** A long body, sent as it is read. */
  upload?: AsyncIterable<Uint8Array>;
  /** Idempotency-Key. */
  key?: string;
  schema: Schema;
}

/** Longer than any question takes. */
const DEADLINE_MS = 90_000;

/**
 * Asks the HTTP API (`reach`).
 * @throws {CommandFailure} with the exit code that fits what went wrong
 */
export async function ask<Schema extends z.ZodType>(
  shell: Shell,
  request: ApiRequest<Schema>,
): Promise<z.infer<Schema>> {
  const path = pathOf(request);
  const api = await reach(shell);
  const { token, fetch } = api;
  const silence = request.upload && new Silence(SILENCE_MS);
  let status: number;
  let text: string;
  try {
    const response = await fetch(path, {
      method: request.method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
        ...(request.method === 'POST'
          ? { 'content-type': request.upload ? 'application/octet-stream' : 'application/json' }
          : {}),
      },
      ...bodyOf(request, silence),
      // The token goes to this address and to no other.
      redirect: 'manual',
    });
    silence?.begin();
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw silence?.failure(importUnknown) ?? notAnswered(error, request.key);
  } finally {
    silence?.close();
  }
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    const parsed = request.schema.safeParse(body);
    if (parsed.success) return parsed.data;
  }
  throw refusal(api, status, body, request.key);
}

/** A long answer, and the media type it comes in. */
export interface LongAnswer extends Pick<ApiRequest<z.ZodType>, 'path' | 'query'> {
  type:
    | 'application/json'
    | 'application/x-ndjson'
    | 'image/svg+xml'
    | 'text/csv'
    | 'text/event-stream'
    | 'application/vnd.apache.parquet';
  /** Milliseconds without a byte after which nobody waits any more. @default five minutes */
  silenceMs?: number;
}

const SILENCE_MS = 300_000;
/** What took long to send takes long to be written down, and not a word comes meanwhile. */
const IMPORT_MS = 3_600_000;

const notWhole = 'what came before is not the whole answer';
const importUnknown =
  'what was sent was done as a whole or not at all. Run the same command again: what is done already is recognised';

/** Reads a long answer as text: see {@link readBytes}. */
export async function* readLong(shell: Shell, request: LongAnswer): AsyncGenerator<string> {
  // A byte order mark is part of the file that is written.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readBytes(shell, request))
    yield decoder.decode(bytes, { stream: true });
}

/**
 * Reads a long answer of the API, in pieces as they come. However long all of it
 * takes, a program that hangs is not waited for.
 * @throws {CommandFailure} also when the answer is cut off: what came before is not all of it
 */
export async function* readBytes(shell: Shell, request: LongAnswer): AsyncGenerator<Uint8Array> {
  const path = pathOf(request);
  const api = await reach(shell);
  const { token, fetch } = api;
  const silence = new Silence(request.silenceMs ?? SILENCE_MS);
  silence.begin();
  try {
    let response: Response;
    let refused: string | undefined;
    try {
      response = await fetch(path, {
        method: 'GET',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal: silence.signal,
      });
      // Whatever else listens there may answer 200, too: its page is no export, and replaces none.
      const type = response.headers.get('content-type')?.split(';')[0];
      if (response.status !== 200 || type !== request.type) refused = await response.text();
    } catch (error) {
      throw silence.failure(notWhole) ?? notAnswered(error);
    }
    if (refused !== undefined || response.body === null) {
      throw refusal(api, response.status, parseJson(refused ?? ''));
    }
    try {
      const bytes: AsyncIterable<Uint8Array> = response.body;
      for await (const chunk of bytes) {
        // While a piece is written nobody listens.
        silence.end();
        yield chunk;
        silence.begin();
      }
    } catch {
      throw (
        silence.failure(notWhole) ??
        new CommandFailure('The answer was cut off: what came is not all of it. Its log says why.')
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
    'What answers is not financing-reconcile of this version, or its answer breaks off. Check RECONCILIATION_URL.',
  );
}

/**
 * Names the person for whom the command works. The owner of a token is known to the API; without a token
 * a person is named.
 * @param by as given with the command
 * @throws {CommandFailure} when no person can be named
 */
export async function writerOf(shell: Shell, by: string | undefined): Promise<string | undefined> {
  const { env } = shell;
  const { token } = await reach(shell);
  const names = token === undefined ? [env.USER, env.LOGNAME] : [];
  const name = [by, env.RECONCILIATION_USER, ...names].find(
    (one) => one !== undefined && one.trim() !== '',
  );
  if (name !== undefined || token !== undefined) return name;
  throw new CommandFailure('Say who does it: --by, or RECONCILIATION_USER.');
}

function bodyOf(
  { body, method, upload }: ApiRequest<z.ZodType>,
  silence: Silence | undefined,
): RequestInit {
  // What is long takes as long as it takes, while the program goes on taking it.
  if (upload && silence) {
    // Not `Readable.toWeb`: it throws when an answer comes before all of the file is sent.
    const pieces = ReadableStream.from(taken(upload, silence));
    return { body: pieces, duplex: 'half', signal: silence.signal };
  }
  return {
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  };
}

/**
 * Pieces as they are taken. That the file or the standard input is slow to give one is no silence of
 * the program.
 */
async function* taken(
  pieces: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    silence.begin();
    yield piece;
    silence.end();
  }
  silence.begin(IMPORT_MS);
}

/** @throws {CommandFailure} for an id that cannot be part of an address */
function pathOf({ path, query = {} }: Pick<ApiRequest<z.ZodType>, 'path' | 'query'>): string {
  // Those are steps in an address, however they are written (RFC 3986 5.2.4): another one is asked.
  if (/\/\.{0,2}(?:\/|$)/.test(path)) {
    throw new CommandFailure('No case and no order has the id "", "." or "..".', exitCodes.usage);
  }
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
