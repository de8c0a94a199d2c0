import { NotCheckable } from './rule.ts';
import type { Exchange, Wire } from './wire.ts';

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

/** What is judged, as the rules are given it. */
export interface SubjectOptions {
  /** No slash at its end. */
  baseUrl: string;
  environment: string;
  publicKey: string;
  privateKey: string;
  oldKey?: string | undefined;
  otherBaseUrls: readonly string[];
  /** JSON text of a prime, given the order's id. */
  primeBody: (merchantOrderId: string) => string;
  window: { fromDate?: string | undefined; toDate?: string | undefined };
  plainPort80: boolean;
}

/** The service that is judged: its options, and requests to it with or without the key. */
export class Subject {
  readonly options: SubjectOptions;
  readonly #wire: Wire;

  constructor(options: SubjectOptions, wire: Wire) {
    this.options = options;
    this.#wire = wire;
  }

  /** The Authorization header of a good request (specification 5.2). */
  get bearer(): string {
    return `Bearer ${this.options.privateKey}`;
  }

  get(
    path: string,
    authorization: string | null = this.bearer,
    baseUrl: string = this.options.baseUrl,
  ): Promise<Exchange> {
    return this.#wire.send({ method: 'GET', url: new URL(baseUrl + path), authorization });
  }

  post(
    path: string,
    body: { text: string; contentType: string | null },
    authorization: string | null = this.bearer,
  ): Promise<Exchange> {
    const url = new URL(this.options.baseUrl + path);
    return this.#wire.send({ method: 'POST', url, authorization, body });
  }

  /** For rules that say nothing unless the key works. @throws {NotCheckable} */
  async needsAccess(): Promise<void> {
    const exchange = await this.get(fundingPaths.report);
    if (isRefused(exchange)) throw new NotCheckable('The private key is refused: see 5.2.');
    if (!isSuccess(exchange)) {
      throw new NotCheckable(`The report has ${describe(exchange)}: see 4.report.`);
    }
  }
}

export function isSuccess(exchange: Exchange): boolean {
  return exchange.answered && exchange.status >= 200 && exchange.status < 300;
}

/** Whether the service says no to the key. */
export function isRefused(exchange: Exchange): boolean {
  return exchange.answered && (exchange.status === 401 || exchange.status === 403);
}

/** An exchange as a table may show it: never a word of its body. */
export function describe(exchange: Exchange): string {
  return exchange.answered ? `status ${exchange.status}` : `no answer (${exchange.why})`;
}

/** The JSON of an answer, undefined when it is none. */
export function jsonOf(exchange: Exchange): unknown {
  if (!exchange.answered) return undefined;
  try {
    return JSON.parse(exchange.text) as unknown;
  } catch {
    return undefined;
  }
}

/** The path of a good funding request: the window that was asked for, and `showMissing`. */
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
