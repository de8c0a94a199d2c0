import { randomUUID } from 'node:crypto';
import type { AnswerLog } from './answers.ts';
import { NotCheckable } from './finding.ts';
import type { Exchange, Wire, WireRequest } from './wire.ts';

/** The three funding operations (specification 4). */
export const fundingPaths = {
  report: '/v2/post-sale/fundings/report',
  'records-v1': '/v1/post-sale/fundings/records',
  'records-v2': '/v2/post-sale/fundings/records',
} as const;
export type FundingOperation = keyof typeof fundingPaths;
export const fundingOperations = Object.keys(fundingPaths) as FundingOperation[];

/** Specification 4. */
export const primePath = '/v1/checkout/prime';

/** The options of the rules. */
interface SubjectOptions {
  /** Base URL without a trailing slash. */
  baseUrl: string;
  environment: string;
  publicKey: string;
  privateKey: string;
  oldKey?: string | undefined;
  otherBaseUrls: readonly string[];
  /** Returns the JSON text of a prime for an order. */
  primeBody: (merchantOrderId: string) => string;
  window: { fromDate?: string | undefined; toDate?: string | undefined };
  plainPort80: boolean;
  /** Whether POST and PATCH may be sent. */
  mayWrite: boolean;
  /** Confirmation tokens of orders that a shopper confirmed, each for one charge. */
  confirmationTokens: readonly string[];
  /** Returns the bodies of the received notifications; undefined without a receiver. */
  notifications: (() => readonly unknown[]) | undefined;
  /** Returns the browser script; undefined when no script may run in this process. */
  browserScript: (() => Promise<string>) | undefined;
}

/** Whether a URL is on this machine: the stand-in, which charges no real money. */
export function isOnThisMachine(baseUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname);
}

/** The service under test: its options, and requests to it with or without the key. */
export class Subject {
  readonly options: SubjectOptions;
  readonly answers: AnswerLog;
  readonly #wire: Wire;

  constructor(options: SubjectOptions, wire: Wire, answers: AnswerLog) {
    this.options = options;
    this.answers = answers;
    this.#wire = wire;
  }

  /** The Authorization header of a valid request (specification 5.2). */
  get bearer(): string {
    return `Bearer ${this.options.privateKey}`;
  }

  get(
    path: string,
    authorization: string | null = this.bearer,
    baseUrl: string = this.options.baseUrl,
  ): Promise<Exchange> {
    return this.#send({ method: 'GET', url: new URL(baseUrl + path), authorization });
  }

  post(
    path: string,
    body: { text: string; contentType: string | null },
    authorization: string | null = this.bearer,
  ): Promise<Exchange> {
    const url = new URL(this.options.baseUrl + path);
    return this.#send({ method: 'POST', url, authorization, body });
  }

  /** Sends a request with the private key and an optional JSON body. */
  sendJson(method: 'POST' | 'PATCH', path: string, value?: object): Promise<Exchange> {
    return this.#send({
      method,
      url: new URL(this.options.baseUrl + path),
      authorization: this.bearer,
      ...(value && { body: { text: JSON.stringify(value), contentType: 'application/json' } }),
    });
  }

  async #send(request: WireRequest): Promise<Exchange> {
    const exchange = await this.#wire.send(request);
    const { baseUrl } = this.options;
    if (exchange.answered && request.url.href.startsWith(`${baseUrl}/`)) {
      this.answers.add({
        method: request.method,
        path: request.url.href.slice(baseUrl.length),
        status: exchange.status,
        headers: { 'content-type': exchange.contentType },
        body: exchange.text,
      });
    }
    return exchange;
  }

  /** Checks that the key works, for rules that depend on it. @throws {NotCheckable} */
  async needsAccess(): Promise<void> {
    const exchange = await this.get(fundingPaths.report);
    needsKey(exchange);
    if (!isSuccess(exchange)) {
      throw new NotCheckable(`The report has ${describe(exchange)}: see 4.report.`);
    }
  }
}

export function isSuccess(exchange: Exchange): boolean {
  return exchange.answered && exchange.status >= 200 && exchange.status < 300;
}

/** Whether the service rejected the key. */
export function isRefused(exchange: Exchange): boolean {
  return exchange.answered && (exchange.status === 401 || exchange.status === 403);
}

/** @throws {NotCheckable} when the service rejected the key */
export function needsKey(exchange: Exchange): void {
  if (isRefused(exchange)) throw new NotCheckable('The private key is refused: see 5.2.');
}

/** Returns a unique id for an object of this run. */
export function uniqueId(): string {
  return `conformance-${randomUUID()}`;
}

/** Returns a function that calls `load` once for each subject, so that all rules share the result. */
export function oncePerSubject<T>(
  load: (subject: Subject) => Promise<T>,
): (subject: Subject) => Promise<T> {
  const loaded = new WeakMap<Subject, Promise<T>>();
  return (subject) => {
    const result = loaded.get(subject) ?? load(subject);
    loaded.set(subject, result);
    return result;
  };
}

/** Describes an exchange without its body. */
export function describe(exchange: Exchange): string {
  return exchange.answered ? `status ${exchange.status}` : `no answer (${exchange.why})`;
}

/** Returns the parsed JSON of a response; undefined if the response is not JSON. */
export function jsonOf(exchange: Exchange): unknown {
  if (!exchange.answered) return undefined;
  try {
    return JSON.parse(exchange.text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the error codes of a response, as strings. */
export function codesOf(exchange: Exchange): string[] {
  const body = jsonOf(exchange);
  const errors: unknown[] = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.filter(isObject).map(({ code }) => String(code));
}

/** Returns the path of a valid funding request: the chosen window, and `showMissing`. */
export function fundingPath(
  { window }: Pick<SubjectOptions, 'window'>,
  operation: FundingOperation,
  showMissing?: boolean,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...window, showMissing })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return fundingPaths[operation] + (query.size === 0 ? '' : `?${query.toString()}`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
