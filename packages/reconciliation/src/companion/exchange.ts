import type { Environment } from '@financing-checkout/contract/storefront';
import type { Clock, Secret } from '@financing-checkout/kit';
import type { SendRequest } from '@financing-checkout/kit/outgoing';
import { request } from 'undici';
import { inSpan, traceHeaders } from '../platform/tracing.ts';

export interface CompanionOptions {
  /** URL of the companion's back-office API. */
  url: string;
  /** Undefined: the companion runs on this machine without tokens. */
  token: Secret | undefined;
  /** Expected environment of the companion. */
  environment: Environment;
  clock: Clock;
  /**
   * Timeout for a response, in milliseconds.
   * @default 75_000, which includes the time that the companion itself waits
   */
  deadlineMs?: number;
  /** Sends requests. @default undici's own connections, without a proxy */
  request?: SendRequest;
  /** Aborted when the process ends. */
  ending?: AbortSignal;
}

interface Reply {
  status: number;
  header: (name: string) => string | undefined;
  body: Awaited<ReturnType<SendRequest>>['body'];
}

interface Exchange<Result> {
  method: 'GET' | 'POST';
  /** Path with `:id` in place of each ID, because traces contain no IDs. */
  path: string;
  id?: string | undefined;
  query?: Readonly<Record<string, string>> | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  receive: (reply: Reply) => Promise<Result>;
  /** Returns the result of a request whose response is missing or truncated. */
  interrupted: (error: unknown, isLate: boolean) => Result;
  /** Returns why a result is a failure, from a fixed set of reasons; undefined for a success. */
  failureOf: (result: Result) => string | undefined;
}

const DEADLINE_MS = 75_000;
/** Time left for running requests when the process ends, so that their outcomes can be recorded. */
const LAST_MS = 3_000;

/** Creates a function that sends one request to the companion's back office, in a span. */
export function createExchange(options: CompanionOptions) {
  const { clock, ending } = options;
  const base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);

  async function send<Result>(
    wanted: Exchange<Result>,
    onStatus: (status: number) => void,
  ): Promise<Result> {
    const { method, path, id = '', query, headers, body, signal } = wanted;
    const deadline = new AbortController();
    const cancels = [clock.after(options.deadlineMs ?? DEADLINE_MS, () => deadline.abort())];
    const endSoon = () => void cancels.push(clock.after(LAST_MS, () => deadline.abort()));
    if (ending?.aborted === true) endSoon();
    else ending?.addEventListener('abort', endSoon, { once: true });
    const url = new URL(path.replace(':id', encodeURIComponent(id)), base);
    url.search = new URLSearchParams(query).toString();
    try {
      // The token may be replaced while the program runs.
      const token = options.token?.reveal();
      const answer = await (options.request ?? request)(url, {
        method,
        signal: signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
        headers: {
          accept: 'application/json',
          'user-agent': 'financing-reconcile',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...traceHeaders(),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      onStatus(answer.statusCode);
      // Discarding a response must not wait for the rest of it, nor report that the rest is missing.
      answer.body.on('error', () => undefined);
      const header = (name: string) => {
        const value = answer.headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      return await wanted.receive({ status: answer.statusCode, header, body: answer.body });
    } catch (error) {
      return wanted.interrupted(error, deadline.signal.aborted);
    } finally {
      ending?.removeEventListener('abort', endSoon);
      for (const cancel of cancels) cancel();
    }
  }

  return <Result>(wanted: Exchange<Result>): Promise<Result> => {
    const route = `/${wanted.path}`;
    const attributes = {
      'http.request.method': wanted.method,
      'url.template': route,
      'server.address': base.hostname,
    };
    return inSpan(
      'client',
      `${wanted.method} ${route}`,
      attributes,
      (span) => send(wanted, (status) => span.setAttribute('http.response.status_code', status)),
      (result) => {
        const reason = wanted.failureOf(result);
        return { attributes: { 'financing.reason': reason }, failed: reason !== undefined };
      },
    );
  };
}

/** Reason for rejecting a companion with another `financing-environment`, or without one. */
export const wrongEnvironment = (found: string | undefined) =>
  found === undefined
    ? 'the server at its address is not a companion'
    : 'it uses another environment of the service';
