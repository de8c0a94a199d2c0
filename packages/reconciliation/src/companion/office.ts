import { type Problem, problemSchema } from '@financing-checkout/contract';
import { request } from 'undici';
import type { z } from 'zod';
import { isNotSent, retryAfterMs } from '@financing-checkout/kit';
import { traceHeaders } from '../platform/tracing.ts';
import { type CompanionOptions, readBody } from './client.ts';
import { inCompanionSpan } from './span.ts';

/** A request by a person: sent once, while the person waits for the response. */
export interface OfficeRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** With `:id` in place of an id. */
  path: string;
  id?: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
  /** Passed on, so that the companion performs the same request with the same key once. */
  key?: string | undefined;
  answer: Schema;
  /** Stops waiting. A request that was sent may still take effect. */
  signal?: AbortSignal | undefined;
}

/** A refusal by the companion, to be passed on. */
export class CompanionRefusal extends Error {
  override readonly name = 'CompanionRefusal';
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    super(problem.title);
    this.problem = problem;
    this.retryAfterSeconds =
      retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  }
}

/** The companion gave no usable response. The reason contains no input. */
export class CompanionSilence extends Error {
  override readonly name = 'CompanionSilence';
  readonly reason: string;
  /** Whether the companion may have done what was requested. */
  readonly isUnclear: boolean;

  constructor(reason: string, isUnclear: boolean) {
    super(`The request to the companion failed: ${reason}.`);
    this.reason = reason;
    this.isUnclear = isUnclear;
  }
}

/** The companion's back office for requests by people, with the token that moves money. */
export interface CompanionOffice {
  /** @throws {CompanionRefusal} @throws {CompanionSilence} */
  send<Schema extends z.ZodType>(wanted: OfficeRequest<Schema>): Promise<z.infer<Schema>>;
}

/** Longer than the companion's own timeout for the service. */
const DEADLINE_MS = 75_000;
const MAX_BYTES = 1_048_576;
/** Refusals that concern the program and not the person, who cannot sign in to the companion. */
const ofProgram = new Map<string, string>([
  ['token-invalid', 'it rejects RECONCILIATION_COMPANION_MONEY_TOKEN'],
  ['token-not-permitted', 'RECONCILIATION_COMPANION_MONEY_TOKEN lacks a scope there'],
  ['origin-not-allowed', 'it serves only programs on its own machine'],
  ['environment-mismatch', 'it uses another environment of the service'],
]);

interface Answer {
  status: number;
  header: (name: string) => string | undefined;
  bytes: Uint8Array;
}

/**
 * Time for running requests when the process ends, because their outcome must still be recorded.
 */
const LAST_MS = 3_000;

export interface OfficeOptions extends CompanionOptions {
  /** Aborted when the process ends. */
  ending?: AbortSignal;
}

export function createCompanionOffice(options: OfficeOptions): CompanionOffice {
  const { clock, ending, environment, token } = options;
  const base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);

  type Wanted = Omit<OfficeRequest<z.ZodType>, 'answer'>;
  function ask(wanted: Wanted): Promise<Answer> {
    const { method, path } = wanted;
    return inCompanionSpan(
      { method, path, host: base.hostname },
      (onStatus) => askOnce(wanted, onStatus),
      ({ status }) => (status >= 300 ? `status ${status}` : undefined),
    );
  }

  async function askOnce(wanted: Wanted, onStatus: (status: number) => void): Promise<Answer> {
    const { method, path, id = '', query, body, key, signal } = wanted;
    const deadline = new AbortController();
    const cancels = [clock.after(options.deadlineMs ?? DEADLINE_MS, () => deadline.abort())];
    const endSoon = () => void cancels.push(clock.after(LAST_MS, () => deadline.abort()));
    if (ending?.aborted === true) endSoon();
    else ending?.addEventListener('abort', endSoon, { once: true });
    const ends =
      signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
    const url = new URL(path.replace(':id', encodeURIComponent(id)), base);
    url.search = new URLSearchParams(query).toString();
    const isChange = method === 'POST';
    try {
      const answer = await (options.request ?? request)(url, {
        method,
        signal: ends,
        headers: {
          accept: 'application/json',
          'user-agent': 'financing-reconcile',
          'financing-environment': environment,
          ...traceHeaders(),
          ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      onStatus(answer.statusCode);
      // Discarding a response must not report that the rest of it is missing.
      answer.body.on('error', () => undefined);
      const bytes = await readBody(answer.body, MAX_BYTES);
      if (bytes === undefined) throw new CompanionSilence('its answer is too large', isChange);
      const header = (name: string) => {
        const value = answer.headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      return { status: answer.statusCode, header, bytes };
    } catch (error) {
      if (error instanceof CompanionSilence) throw error;
      if (isNotSent(error)) throw new CompanionSilence('it is unreachable', false);
      const reason = deadline.signal.aborted ? 'it timed out' : 'the connection ended';
      throw new CompanionSilence(reason, isChange);
    } finally {
      ending?.removeEventListener('abort', endSoon);
      for (const cancel of cancels) cancel();
    }
  }

  /** Validates a response. @param isChange whether the request may have taken effect anyway */
  function read<Schema extends z.ZodType>(
    { status, header, bytes }: Answer,
    schema: Schema,
    isChange: boolean,
  ): z.infer<Schema> {
    if (status >= 300 && status < 400) {
      throw new CompanionSilence('it redirects to another address', false);
    }
    const value = parsed(bytes);
    if (status >= 200 && status < 300) {
      const answer = schema.safeParse(value);
      if (answer.success) return answer.data;
      throw new CompanionSilence('its answer cannot be read', isChange);
    }
    const problem = problemSchema.safeParse(value);
    if (!problem.success) {
      throw new CompanionSilence(`status ${status}`, isChange && status >= 500);
    }
    const own = ofProgram.get(problem.data.code);
    if (own !== undefined) throw new CompanionSilence(own, false);
    const wait = retryAfterMs(header('retry-after'), clock.now());
    throw new CompanionRefusal(problem.data, wait);
  }

  /** A companion of another environment would move money of other orders. */
  async function requireEnvironment(signal: AbortSignal | undefined): Promise<void> {
    const query = { after: '0', limit: '1' };
    const answer = await ask({ method: 'GET', path: 'ledger', query, signal });
    const found = answer.header('financing-environment');
    if (found === environment) return;
    if (answer.status >= 400) read(answer, problemSchema, false);
    const reason =
      found === undefined
        ? 'the server at its address is not a companion'
        : 'it uses another environment of the service';
    throw new CompanionSilence(reason, false);
  }

  return {
    async send(wanted) {
      await requireEnvironment(wanted.signal);
      return read(await ask(wanted), wanted.answer, wanted.method === 'POST');
    },
  };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
