import { isRefusal } from './answer.ts';
import type { Amounts } from './answer.ts';
import type { PageConfiguration } from './configuration.ts';
import type { Environment } from '../model/outcome.ts';

/** Version of the storefront API that this widget uses. */
const VERSION = '1';

/** Replaces `fetch` in a simulation. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A request to the companion. */
interface Question<T> {
  /** Path relative to the companion's URL, with a leading slash. */
  readonly path: string;
  /** Timeout in milliseconds. */
  readonly timeout: number;
  readonly body?: object | undefined;
  /**
   * The page's secret, sent as the Idempotency-Key when the request opens a checkout or an
   * application.
   */
  readonly key: string | undefined;
  readonly opens?: boolean;
  readonly isAnswer: (value: unknown) => value is T;
}

/** The companion refused, did not respond, or sent an unreadable response. */
export class CompanionError extends Error {
  /** A problem code from the companion, or `unreachable`, `timeout`, `answer-invalid`. */
  declare readonly code: string;
  /** Whether the companion itself responded, so the request is no longer in flight. */
  declare readonly answered: boolean;
  /** Whether a retry of the same request would be refused again. */
  declare readonly refused: boolean;
  declare readonly retrySafe: boolean;
  /** Set only for `order-changed`. */
  declare readonly amounts: Amounts | undefined;

  constructor(code: string, message: string, status = 0, retrySafe = true, amounts?: Amounts) {
    super(message);
    this.code = code;
    this.answered = status > 0;
    this.refused = status >= 400 && status < 500 && code !== 'rate-limited' && status !== 409;
    this.retrySafe = retrySafe;
    this.amounts = amounts;
    if (code === 'environment-mismatch') this.refused = true;
  }
}

/**
 * Sends a request to the companion. Settles with a response, with an error, or when the signal is
 * aborted.
 * @throws {CompanionError}
 */
export async function ask<T extends { readonly environment: Environment }>(
  configuration: PageConfiguration,
  { path, timeout, body, key, opens, isAnswer }: Question<T>,
  signal: AbortSignal,
  send: Send | undefined,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout);
  try {
    const response = await (send ?? fetch)(configuration.companion + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        Authorization: `Bearer ${configuration.publicKey}`,
        'Financing-Checkout-Version': VERSION,
        ...(body && { 'Content-Type': 'application/json' }),
        [opens ? 'Idempotency-Key' : 'Financing-Checkout-Secret']: key ?? '',
      },
      cache: 'no-store',
      credentials: 'omit',
      // A response from a redirect's target does not come from the companion.
      redirect: 'error',
      referrerPolicy: 'strict-origin',
      signal: AbortSignal.any([signal, late.signal]),
    });
    return read(configuration, response.status, await response.text(), isAnswer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CompanionError) throw error;
    throw late.signal.aborted
      ? new CompanionError('timeout', `No answer in ${timeout} ms.`)
      : new CompanionError('unreachable', 'Check companion, allowed origins and connect-src.');
  } finally {
    clearTimeout(timer);
  }
}

function read<T extends { readonly environment: Environment }>(
  { environment }: PageConfiguration,
  status: number,
  text: string,
  isAnswer: (value: unknown) => value is T,
): T {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // Reported below like any other response that does not come from the companion, such as a
    // proxy's HTML or a truncated body.
  }
  if (status < 300 && isAnswer(answer)) {
    if (answer.environment === environment) return answer;
    throw new CompanionError(
      'environment-mismatch',
      `This page uses ${environment}, the companion ${answer.environment}.`,
      409,
    );
  }
  if (status >= 400 && isRefusal(answer)) {
    const { code, title, detail, requestId, retrySafe, amounts } = answer;
    const message = [`${title}.`, detail, requestId && `(request ${requestId})`];
    throw new CompanionError(code, message.filter(Boolean).join(' '), status, retrySafe, amounts);
  }
  throw new CompanionError('answer-invalid', `HTTP ${status} is not a companion.`);
}
