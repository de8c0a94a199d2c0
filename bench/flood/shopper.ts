import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { atRate, orderTicket } from '../server/load.ts';
import { origin } from '../server/programs.ts';

/** A page's request. */
export interface PageRequest {
  method: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface PageAnswer {
  status: number;
  text: string;
  location: string | undefined;
  /** The first cookie that the answer sets, as a browser sends it. */
  cookie: string | undefined;
}

/** A checkout or an application that a page has begun, and the secret that lets the page read it. */
export interface Begun {
  id: string;
  secret: string;
}

/** Enough for the bursts of four addresses and for honest requests. */
const CONNECTIONS = 640;

/**
 * Sends pages' requests to a companion or a console, as a trusted proxy that states each client's
 * address.
 */
export class Proxy {
  readonly url: string;
  readonly publicKey: string;
  readonly #ticketSecret: string;
  readonly #pool: Pool;
  #orders = 0;
  #clients = 0;

  constructor(url: string, keys: { publicKey: string; ticketSecret: string }) {
    this.url = url;
    this.publicKey = keys.publicKey;
    this.#ticketSecret = keys.ticketSecret;
    // More connections than requests in flight, so that no request waits for a free connection.
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  }

  /**
   * Opens all connections in advance, as a proxy does, because opening them takes longer than a
   * prime on a busy machine.
   */
  async connect(): Promise<void> {
    const probes = Array.from({ length: CONNECTIONS }, () =>
      this.send('127.0.0.1', { method: 'GET', path: '/livez' }),
    );
    await Promise.all(probes);
  }

  async send(client: string, request: PageRequest): Promise<PageAnswer> {
    const { method, path, headers, body } = request;
    const answer = await this.#pool.request({
      method,
      path,
      headers: { 'x-forwarded-for': client, ...headers },
      body,
    });
    const { location, 'set-cookie': cookies } = answer.headers;
    return {
      status: answer.statusCode,
      text: await answer.body.text(),
      location: [location].flat()[0],
      cookie: [cookies].flat()[0]?.split(';')[0],
    };
  }

  /** Returns an address that no other client has. */
  newClient(): string {
    const number = this.#clients++;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  }

  /** Returns a ticket for an order that no other ticket has. */
  newTicket(): string {
    return orderTicket(`flood-${this.#orders++}`, this.#ticketSecret);
  }

  /** Returns the headers of a page's script. */
  scriptHeaders(further: Record<string, string> = {}): Record<string, string> {
    return {
      authorization: `Bearer ${this.publicKey}`,
      'content-type': 'application/json',
      'financing-checkout-version': '1',
      origin,
      ...further,
    };
  }

  /** Returns a prime for a new order. */
  prime(secret: string, further: Record<string, string> = {}): PageRequest {
    return {
      method: 'POST',
      path: '/checkout/prime',
      headers: this.scriptHeaders({ 'idempotency-key': secret }),
      body: JSON.stringify({ environment: 'sandbox', order: this.newTicket(), ...further }),
    };
  }

  prequalification(secret: string): PageRequest {
    return {
      method: 'POST',
      path: '/prequalifications',
      headers: this.scriptHeaders({ 'idempotency-key': secret }),
      body: JSON.stringify({ environment: 'sandbox', currency: 'USD', amount: 90_000 }),
    };
  }

  /**
   * Begins checkouts or applications, each from its own address, up to the companion's budget.
   * @throws {Error} when none was begun, or when an answer is not 201, 429, 503 or 504
   */
  async begin(count: number, request: (secret: string) => PageRequest): Promise<Begun[]> {
    const begun: Begun[] = [];
    await atRate({ perSecond: 160, seconds: count / 160 }, async () => {
      const secret = newSecret();
      const { status, text } = await this.send(this.newClient(), request(secret));
      if (status === 201) begun.push({ id: idOf(text), secret });
      else if (![429, 503, 504].includes(status))
        throw new Error(`The preparation got ${status}: ${text}`);
    });
    if (begun.length === 0) throw new Error('The preparation began nothing.');
    return begun;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

export const newSecret = () => `${randomUUID()}${randomUUID()}`;

function idOf(text: string): string {
  const { id } = JSON.parse(text) as { id?: unknown };
  if (typeof id !== 'string') throw new Error(`The answer has no id: ${text}`);
  return id;
}
