import type { z } from 'zod';
import type { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { CommandFailure, exitCodes } from './exit.ts';
import { reach } from './reach.ts';
import { notAnswered, refusal } from './refusal.ts';
import type { Shell } from './shell.ts';
import { Silence } from './silence.ts';

export interface ApiRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** Path with percent-encoded segments. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** A long body, streamed; and what a cut connection leaves, as a phrase after a colon. */
  upload?: { pieces: AsyncIterable<Uint8Array>; ifCut: string };
  /** Idempotency-Key. */
  key?: string;
  schema: Schema;
}

/** Longer than any query takes. */
const DEADLINE_MS = 90_000;

/**
 * Calls the HTTP API (`reach`).
 * @throws {CommandFailure} with the exit code of the error
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
      // Redirects are not followed: the token goes to this address only.
      redirect: 'manual',
    });
    silence?.begin();
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw (
      silence?.failure(request.upload?.ifCut ?? '') ??
      notAnswered(error, request.key, request.upload?.ifCut)
    );
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

/** A long response and its media type. */
export interface LongAnswer extends Pick<ApiRequest<z.ZodType>, 'path' | 'query'> {
  type:
    | 'application/json'
    | 'application/x-ndjson'
    | 'image/svg+xml'
    | 'text/csv'
    | 'text/event-stream'
    | 'application/vnd.apache.parquet'
    | typeof WORKBOOK_TYPE;
  /** Milliseconds without a byte after which the request times out. @default five minutes */
  silenceMs?: number;
}

const SILENCE_MS = 300_000;
/**
 * The program stores a long body in about the time that sending takes, and sends nothing until then.
 */
const IMPORT_MS = 3_600_000;

const notWhole = 'the output so far is incomplete';

/** Reads a long response as text: see {@link readBytes}. */
export async function* readLong(shell: Shell, request: LongAnswer): AsyncGenerator<string> {
  // A byte order mark belongs to the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readBytes(shell, request))
    yield decoder.decode(bytes, { stream: true });
}

/**
 * Streams a long response. There is no limit on the total time, but a program that hangs times out.
 * @throws {CommandFailure} also for a truncated response, which is incomplete
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
      // Another server at this address may also answer 200: its page must not replace an export.
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
        // Time spent on writing a piece does not count.
        silence.end();
        yield chunk;
        silence.begin();
      }
    } catch {
      throw (
        silence.failure(notWhole) ??
        new CommandFailure(
          'The response was truncated and is incomplete. See the log of the program.',
        )
      );
    }
  } finally {
    silence.end();
  }
}

/**
 * Validates a part of a long response.
 * @throws {CommandFailure} without repeating the content
 */
export function readPart<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw strange();
}

/** For an invalid or truncated response. */
export function strange(): CommandFailure {
  return new CommandFailure(
    'The server is not financing-reconcile of this version, or its response is truncated. Check RECONCILIATION_URL.',
  );
}

/**
 * Returns the person on whose behalf the command works. The API knows the owner of a token; without
 * a token a person is required.
 * @param by as given with the command
 * @throws {CommandFailure} if no person is named
 */
export async function writerOf(shell: Shell, by: string | undefined): Promise<string | undefined> {
  const { env } = shell;
  const { token } = await reach(shell);
  const names = token === undefined ? [env.USER, env.LOGNAME] : [];
  const name = [by, env.RECONCILIATION_USER, ...names].find(
    (one) => one !== undefined && one.trim() !== '',
  );
  if (name !== undefined || token !== undefined) return name;
  throw new CommandFailure('Name the person with --by or RECONCILIATION_USER.');
}

function bodyOf(
  { body, method, upload }: ApiRequest<z.ZodType>,
  silence: Silence | undefined,
): RequestInit {
  // A long upload has no total limit as long as the program keeps reading.
  if (upload && silence) {
    // Not `Readable.toWeb`: it throws when a response comes before the whole file is sent.
    const pieces = ReadableStream.from(taken(upload.pieces, silence));
    return { body: pieces, duplex: 'half', signal: silence.signal };
  }
  return {
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  };
}

/**
 * Yields pieces as they are read. A slow file or standard input does not count as a silent program.
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
  // Dot segments change the path in any encoding (RFC 3986 5.2.4) and would address another
  // resource.
  if (/\/\.{0,2}(?:\/|$)/.test(path)) {
    throw new CommandFailure('The ids "", "." and ".." are invalid.', exitCodes.usage);
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
