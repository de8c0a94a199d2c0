import { CommandFailure, exitCodes } from './exit.ts';
import { failureCode } from '../outbox/failure-code.ts';
import {
  type Connection,
  invalidAnswer,
  notAnswered,
  type Peer,
  refusal,
  requireEnvironmentOf,
} from './peer.ts';
import { check, type Schema } from './schema.ts';
import { Silence } from './silence.ts';

/** A request to a command's peer. */
export interface PeerRequest<Answer> {
  method: 'GET' | 'POST';
  /** Path relative to the peer's URL, with percent-encoded segments. */
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  /**
   * A large, streamed body with its media type. `ifCut` is the possible effect of a broken
   * connection, as a phrase that follows a colon in an error message.
   */
  upload?: { pieces: AsyncIterable<Uint8Array>; ifCut: string; type?: string | undefined };
  /** Value of the Idempotency-Key header. */
  key?: string;
  schema: Schema<Answer>;
}

/** Request timeout: longer than any timeout within the programs. */
const DEADLINE_MS = 90_000;
const SILENCE_MS = 300_000;
/** The peer answers only after it has stored the body, which takes about as long as the upload. */
const STORING_MS = 3_600_000;

/**
 * Sends a request and returns the validated response.
 * @throws {CommandFailure} with the exit code of the error
 */
export async function call<Answer>(
  connection: Connection,
  request: PeerRequest<Answer>,
): Promise<Answer> {
  const { peer } = connection;
  const { key, method, upload } = request;
  const path = pathOf(request);
  const silence = upload && new Silence(SILENCE_MS);
  const headers = authorized(connection);
  if (key !== undefined) headers['idempotency-key'] = key;
  if (method === 'POST') {
    headers['content-type'] = upload
      ? (upload.type ?? 'application/octet-stream')
      : 'application/json';
  }
  let response: Response;
  let text: string;
  try {
    response = await connection.fetch(path, {
      method,
      headers,
      ...bodyOf(request, silence),
      // Redirects are not followed, so that the token is sent to this URL only.
      redirect: 'manual',
    });
    silence?.begin();
    text = await response.text();
  } catch (error) {
    const ifCut = upload?.ifCut;
    throw silence?.failure(peer.name, ifCut ?? '') ?? notAnswered(peer, error, { key, ifCut });
  } finally {
    silence?.close();
  }
  requireEnvironmentOf(connection, response);
  const { status } = response;
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    const parsed = check(request.schema, body);
    if (parsed.issues === undefined) return parsed.value;
  }
  throw refusal(connection, status, body, key);
}

/** A request for a long response, and the media types that it may have. */
export interface LongAnswer extends Pick<PeerRequest<unknown>, 'path' | 'query'> {
  type: string | readonly string[];
  /** Inactivity timeout in milliseconds. @default five minutes */
  silenceMs?: number;
}

const notWhole = 'the output so far is incomplete';

/**
 * Streams a long response. There is no limit on the total time, but a peer that hangs times out.
 * @throws {CommandFailure} including for a truncated response
 */
export async function* readBytes(
  connection: Connection,
  request: LongAnswer,
): AsyncGenerator<Uint8Array> {
  const { peer } = connection;
  const path = pathOf(request);
  const silence = new Silence(request.silenceMs ?? SILENCE_MS);
  silence.begin();
  try {
    let response: Response;
    let refused: string | undefined;
    try {
      response = await connection.fetch(path, {
        method: 'GET',
        headers: authorized(connection),
        redirect: 'manual',
        signal: silence.signal,
      });
      // A different server at this URL may respond with 200 and an HTML page.
      const type = response.headers.get('content-type')?.split(';')[0] ?? '';
      const isExpected = [request.type].flat().includes(type);
      if (response.status !== 200 || !isExpected) refused = await response.text();
    } catch (error) {
      throw silence.failure(peer.name, notWhole) ?? notAnswered(peer, error);
    }
    requireEnvironmentOf(connection, response);
    if (refused !== undefined || response.body === null) {
      throw refusal(connection, response.status, parseJson(refused ?? ''));
    }
    try {
      const bytes: AsyncIterable<Uint8Array> = response.body;
      for await (const chunk of bytes) {
        // Time that the consumer spends on a chunk is not inactivity of the peer.
        silence.end();
        yield chunk;
        silence.begin();
      }
    } catch (error) {
      const code = failureCode(error);
      const why = code === undefined ? '' : ` (${code})`;
      throw (
        silence.failure(peer.name, notWhole) ??
        new CommandFailure(
          `The answer broke off${why} and is incomplete. See the log of ${peer.name.replace(/^The /, 'the ')}.`,
        )
      );
    }
  } finally {
    silence.end();
  }
}

/** Reads a long response as text: see {@link readBytes}. */
export async function* readText(
  connection: Connection,
  request: LongAnswer,
): AsyncGenerator<string> {
  // A byte order mark is part of the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of readBytes(connection, request)) {
    yield decoder.decode(bytes, { stream: true });
  }
}

/** Maximum line length of a long response, in characters. */
const MAX_LINE = 1_048_576;

/** Reads a long response line by line: see {@link readBytes}. */
export async function* readLines(
  connection: Connection,
  request: LongAnswer,
): AsyncGenerator<string> {
  for await (const line of linesOf(readText(connection, request))) {
    if (line.length > MAX_LINE) throw invalidAnswer(connection.peer);
    yield line;
  }
}

/** Splits a text stream into lines without their line endings. */
export async function* linesOf(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Parses and validates a part of a long response.
 * @throws {CommandFailure} with a message that does not repeat the text
 */
export function readPart<Answer>(peer: Peer, schema: Schema<Answer>, text: string): Answer {
  const parsed = check(schema, parseJson(text));
  if (parsed.issues === undefined) return parsed.value;
  throw invalidAnswer(peer);
}

/** Reads all pages of a list. @param read reads the page after a cursor */
export async function* readPages<Row>(
  read: (after: string | undefined) => Promise<{ rows: readonly Row[]; next?: string | undefined }>,
): AsyncGenerator<Row> {
  let after: string | undefined;
  do {
    const page = await read(after);
    yield* page.rows;
    after = page.next;
  } while (after !== undefined);
}

function authorized({ environment, token }: Connection): Record<string, string> {
  const headers: Record<string, string> = {};
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (environment !== undefined) headers['financing-environment'] = environment;
  return headers;
}

function bodyOf(
  { body, method, upload }: PeerRequest<unknown>,
  silence: Silence | undefined,
): RequestInit {
  // A large upload has no total timeout as long as the peer keeps reading.
  if (upload && silence) {
    // Not `Readable.toWeb`: it throws if the response arrives before the whole file is sent.
    const pieces = ReadableStream.from(taken(upload.pieces, silence));
    return { body: pieces, duplex: 'half', signal: silence.signal };
  }
  const signal = AbortSignal.timeout(DEADLINE_MS);
  return method === 'POST' ? { body: JSON.stringify(body ?? {}), signal } : { signal };
}

/**
 * Yields chunks as they are read. A slow file or slow standard input does not count as an inactive
 * peer.
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
  silence.begin(STORING_MS);
}

/** @throws {CommandFailure} for an id that cannot be part of a URL */
function pathOf({ path, query = {} }: Pick<PeerRequest<unknown>, 'path' | 'query'>): string {
  // Dot segments change the path, in any encoding (RFC 3986 5.2.4), and would lead to another
  // resource.
  if (/\/\.{0,2}(?:\/|$)/.test(path)) {
    throw new CommandFailure('The ids "", "." and ".." are not valid.', exitCodes.failed);
  }
  const search = new URLSearchParams();
  for (const [name, text] of Object.entries(query)) if (text !== undefined) search.set(name, text);
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
