import {
  checkoutSchema,
  confirmationRequestSchema,
  primeRequestSchema,
  problems,
  problemType,
} from '@financing-checkout/contract/storefront';
import type {
  Checkout,
  PresentationName,
  Presentation,
  Problem,
  ProblemCode,
} from '@financing-checkout/contract/storefront';
import { inject } from 'vitest';

export const COMPANION = 'https://companion.example';
/** A link from the service; its QR code is one black pixel. */
export const LINK = {
  url: 'https://link.example/l/7Q2mX',
  qrCode:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  state: 'waiting',
  expiresAt: '2026-11-21T12:00:00Z',
} as const;
const TICKET_AMOUNT = { value: 129_900, currency: 'USD' };

type Route = 'prime' | 'find' | 'confirmation' | 'cancellation';
type Answer = Response | Promise<Response>;

/** A request sent by the widget. */
export interface Sent {
  readonly route: Route;
  readonly request: Request;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Returns an order ticket whose signature is invalid, because no test code checks it.
 * @param more additional members of the order
 */
export function ticket(
  merchantOrderId = 'A-1001',
  totalAmount = TICKET_AMOUNT.value,
  more: object = {},
): string {
  const encode = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const order = { merchantOrderId, currency: 'USD', totalAmount, ...more };
  return [{ alg: 'HS256' }, { order, jti: crypto.randomUUID() }].map(encode).join('.') + '.c2ln';
}

/** Returns a problem response that conforms to the contract. */
export function problem(code: ProblemCode, over: Partial<Problem> = {}): Response {
  const { status, title } = problems[code];
  const body: Problem = {
    type: problemType(code),
    code,
    title,
    status,
    requestId: 'req-1',
    retrySafe: true,
    ...over,
  };
  return Response.json(body, {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

/**
 * Replaces `fetch` with a companion that has one checkout. Its responses and the widget's requests
 * are validated against the contract. A test can override individual responses.
 */
export class FakeCompanion {
  readonly sent: Sent[] = [];
  manners = '';
  /** The presentations that the companion offers. */
  modes: PresentationName[] = ['embedded'];
  sdk: Presentation['sdk'];
  /** The link for another device, for a checkout opened with `via: 'link'`. */
  link: Partial<NonNullable<Presentation['link']>> | undefined = {};
  /** Changes that a confirmation (`verdict`) and a cancellation (`farewell`) make to the checkout. */
  verdict: Partial<Checkout> = { status: 'approved' };
  farewell: Partial<Checkout> = { status: 'cancelled' };
  checkout: Checkout;
  #order = 'A-1001';
  /**
   * Prime keys by checkout ID. A lookup without one of a checkout's keys does not find the
   * checkout.
   */
  readonly #keys = new Map<string, Set<string | null>>();
  readonly #instead = new Map<Route, ((signal: AbortSignal) => Answer)[]>();
  readonly #fetch = globalThis.fetch;

  constructor() {
    this.checkout = this.opened('checkout-1');
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      // As with `fetch`, nothing is sent or delivered after the abort.
      request.signal.throwIfAborted();
      const response = await this.#receive(request);
      request.signal.throwIfAborted();
      return response;
    };
  }

  /** Overrides the responses to the next requests to a route, in order. */
  instead(route: Route, ...answers: ((signal: AbortSignal) => Answer)[]): void {
    this.#instead.set(route, [...(this.#instead.get(route) ?? []), ...answers]);
  }

  count(route: Route): number {
    return this.sent.filter((request) => request.route === route).length;
  }

  opened(id: string, via?: 'link'): Checkout {
    const session = `session-of-${id}`;
    const query = new URLSearchParams({ session, origin: location.origin, manners: this.manners });
    return {
      id,
      environment: 'sandbox',
      status: 'open',
      amount: TICKET_AMOUNT,
      merchantOrderId: this.#order,
      expiresAt: '2026-11-20T12:00:00Z',
      presentation: {
        sessionToken: session,
        hosted: {
          url: `${inject('hostedOrigin')}/checkout?${query.toString()}`,
          modes: this.modes,
        },
        ...(this.sdk && { sdk: this.sdk }),
        ...(via && this.link && { link: { ...LINK, ...this.link } }),
      },
    };
  }

  ended(over: Partial<Checkout>): Checkout {
    const ended = { ...this.checkout, ...over };
    delete ended.presentation;
    return ended;
  }

  get #isLinkAlive(): boolean {
    const { presentation, status } = this.checkout;
    return status === 'open' && (presentation?.link ?? { state: 'expired' }).state !== 'expired';
  }

  async #receive(request: Request): Promise<Response> {
    if (!request.url.startsWith(COMPANION)) return this.#fetch.call(globalThis, request);
    if (!request.url.startsWith(`${COMPANION}/checkout/`)) return broken.refused();
    const [first, action] = request.url.slice(`${COMPANION}/checkout/`.length).split('/');
    const route = first === 'prime' ? 'prime' : ((action ?? 'find') as Route);
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    this.sent.push({ route, request, headers: request.headers, body });
    const keys = this.#keys.get(first ?? '');
    if (keys && !keys.has(request.headers.get('financing-checkout-secret'))) {
      return problem('checkout-not-found');
    }
    const instead = this.#instead.get(route)?.shift();
    if (instead) return instead(request.signal);
    if (route === 'prime') {
      const { via } = primeRequestSchema.parse(body);
      if (via && !this.link) return problem('invalid-request');
      // Each order has one link.
      if (!via || !this.#isLinkAlive) {
        this.checkout = this.opened(`checkout-${this.count('prime')}`, via);
      }
      const { id } = this.checkout;
      const known = this.#keys.get(id) ?? [];
      this.#keys.set(id, new Set([...known, request.headers.get('idempotency-key')]));
      return Response.json(checkoutSchema.parse(this.checkout), { status: 201 });
    }
    if (route === 'confirmation') {
      confirmationRequestSchema.parse(body);
      this.checkout = this.ended(this.verdict);
    } else if (route === 'cancellation' && !(this.#isLinkAlive && isLeaving(this.farewell))) {
      // The service cannot revoke a link.
      this.checkout = this.ended(this.farewell);
    }
    return Response.json(checkoutSchema.parse(this.checkout));
  }
}

const isLeaving = ({ status }: Partial<Checkout>) => status === 'cancelled';

/** Malformed or missing responses. */
export const broken = {
  refused: () => Promise.reject(new TypeError('Failed to fetch')),
  html: () => new Response('<h1>502 Bad Gateway</h1>', { status: 502 }),
  cut: () => new Response('{"id":"checkout-1","sta', { status: 200 }),
  empty: () => new Response(null, { status: 200 }),
  never: (signal: AbortSignal) =>
    new Promise<Response>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    }),
};
