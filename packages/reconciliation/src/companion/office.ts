import { type Problem, problemSchema } from '@financing-checkout/contract/storefront';
import { isNotSent, retryAfterMs } from '@financing-checkout/kit';
import type { z } from 'zod';
import { readBody } from './client.ts';
import { type CompanionOptions, createExchange, wrongEnvironment } from './exchange.ts';

/** A request by a person, who waits for the response. Sent only once. */
export interface OfficeRequest<Schema extends z.ZodType> {
  method: 'GET' | 'POST';
  /** With `:id` in place of an id. */
  path: string;
  id?: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
  /** Passed on, so that the companion performs requests with the same key only once. */
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
  /** Whether the request may have taken effect. */
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

const MAX_BYTES = 1_048_576;
/**
 * Refusals that the program's operator must resolve, because a person cannot sign in to the
 * companion.
 */
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

export function createCompanionOffice(options: CompanionOptions): CompanionOffice {
  const { clock, environment } = options;
  const exchange = createExchange(options);

  function ask(wanted: Omit<OfficeRequest<z.ZodType>, 'answer'>): Promise<Answer> {
    const { body, key, ...request } = wanted;
    const isChange = request.method === 'POST';
    return exchange<Answer>({
      ...request,
      headers: {
        'financing-environment': environment,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
      receive: async (reply) => {
        const bytes = await readBody(reply.body, MAX_BYTES);
        if (bytes === undefined) throw new CompanionSilence('its answer is too large', isChange);
        return { ...reply, bytes };
      },
      interrupted: (error, isLate) => {
        if (error instanceof CompanionSilence) throw error;
        if (isNotSent(error)) throw new CompanionSilence('it is unreachable', false);
        throw new CompanionSilence(isLate ? 'it timed out' : 'the connection ended', isChange);
      },
      failureOf: ({ status }) => (status >= 300 ? `status ${status}` : undefined),
    });
  }

  /** Validates a response. @param isChange whether an invalid response leaves the effect unknown */
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

  /** A companion in another environment would move money for different orders. */
  async function requireEnvironment(signal: AbortSignal | undefined): Promise<void> {
    const query = { after: '0', limit: '1' };
    const answer = await ask({ method: 'GET', path: 'ledger', query, signal });
    const found = answer.header('financing-environment');
    if (found === environment) return;
    if (answer.status >= 400) read(answer, problemSchema, false);
    throw new CompanionSilence(wrongEnvironment(found), false);
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
