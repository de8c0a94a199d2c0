import {
  call,
  type LongAnswer,
  type PeerRequest,
  personOf,
  readBytes as bytesOf,
  readLines as linesOf,
  readPart as partOf,
  readText as textOf,
  type Schema,
} from '@financing-checkout/kit/cli';
import { peer } from './peer.ts';
import { reach } from './reach.ts';
import type { Shell } from './shell.ts';
import { coverageSchema } from '@financing-checkout/contract/reconciliation';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';

/** Calls the HTTP API ({@link reach}). @throws {CommandFailure} with the exit code of the error */
export async function ask<Answer>(shell: Shell, request: PeerRequest<Answer>): Promise<Answer> {
  return call(await reach(shell), request);
}

/** Sends a GET request to the API. @throws {CommandFailure} with the exit code of the error */
export function get<Answer>(
  shell: Shell,
  path: string,
  schema: Schema<Answer>,
  query?: PeerRequest<Answer>['query'],
): Promise<Answer> {
  return ask(shell, { method: 'GET', path, query, schema });
}

/** Streams a long response. @throws {CommandFailure} also if the response is truncated */
export async function* readBytes(shell: Shell, request: LongAnswer): AsyncGenerator<Uint8Array> {
  yield* bytesOf(await reach(shell), request);
}

/** Streams a long response as text. @throws {CommandFailure} also if the response is truncated */
export async function* readText(shell: Shell, request: LongAnswer): AsyncGenerator<string> {
  yield* textOf(await reach(shell), request);
}

/** Streams a long response line by line. @throws {CommandFailure} also if the response is truncated */
export async function* readLines(shell: Shell, request: LongAnswer): AsyncGenerator<string> {
  yield* linesOf(await reach(shell), request);
}

/** Validates part of a long response. @throws {CommandFailure} without repeating that part */
export function readPart<Answer>(schema: Schema<Answer>, text: string): Answer {
  return partOf(peer, schema, text);
}

/** Returns the person on whose behalf the command acts. @param by as given on the command line */
export async function writerOf(shell: Shell, by: string | undefined): Promise<string | undefined> {
  const { token } = await reach(shell);
  return personOf(shell, by, { variable: 'RECONCILIATION_USER', hasToken: token !== undefined });
}

/** Returns the calendar of the business time zone: the responding program's RECONCILIATION_ZONE. */
export async function businessDays(shell: Shell): Promise<Calendar> {
  return new Calendar((await get(shell, '/coverage', coverageSchema)).zone);
}
