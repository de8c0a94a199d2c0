import { fixture, html, oneEvent } from '@open-wc/testing';
import {
  prequalificationRequestSchema,
  prequalificationSchema,
} from '@financing-checkout/contract/storefront';
import type {
  Prequalification,
  Presentation,
  PresentationName,
} from '@financing-checkout/contract/storefront';
import { inject } from 'vitest';
import { COMPANION, problem } from '../companion.fixture.ts';
import { presentedBy } from '../sdk.fixture.ts';
import type { Presented } from '../sdk.fixture.ts';
import './define.ts';
import type { FinancingPrequalify, FinancingPrequalifyOutcomeEvent } from './index.ts';

type Route = 'open' | 'find';
type Answer = Response | Promise<Response>;

export interface Sent {
  readonly route: Route;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Replaces `fetch` with a companion that has one application. Its responses and the widget's
 * requests are validated against the contract. A test can override individual responses.
 */
export class FakePrequalifications {
  readonly sent: Sent[] = [];
  modes: PresentationName[] = ['embedded'];
  manners = '';
  sdk: Presentation['sdk'];
  application: Prequalification;
  readonly #instead = new Map<Route, ((signal: AbortSignal) => Answer)[]>();
  readonly #fetch = globalThis.fetch;
  #key: string | null | undefined;

  constructor() {
    this.application = this.opened('prq-1');
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      // As with `fetch`, nothing is sent or delivered after the abort.
      request.signal.throwIfAborted();
      const response = await this.#receive(request);
      request.signal.throwIfAborted();
      return response;
    };
  }

  instead(route: Route, ...answers: ((signal: AbortSignal) => Answer)[]): void {
    this.#instead.set(route, [...(this.#instead.get(route) ?? []), ...answers]);
  }

  count(route: Route): number {
    return this.sent.filter((one) => one.route === route).length;
  }

  opened(id: string): Prequalification {
    const session = `session-of-${id}`;
    const query = new URLSearchParams({ session, origin: location.origin, manners: this.manners });
    return {
      id,
      environment: 'sandbox',
      status: 'open',
      applicationId: `application-of-${id}`,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      presentation: {
        sessionToken: session,
        hosted: { url: `${inject('hostedOrigin')}/apply?${query.toString()}`, modes: this.modes },
        ...(this.sdk && { sdk: this.sdk }),
      },
    };
  }

  /** Changes the application; a decided one has no presentation. */
  becomes(status: Prequalification['status'], over: Partial<Prequalification> = {}): void {
    const decided = { ...this.application, ...over, status };
    if (status !== 'open' && status !== 'pending') delete decided.presentation;
    this.application = decided;
  }

  async #receive(request: Request): Promise<Response> {
    if (!request.url.startsWith(`${COMPANION}/prequalifications`))
      return this.#fetch.call(globalThis, request);
    const route = request.method === 'POST' ? 'open' : 'find';
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    this.sent.push({ route, headers: request.headers, body });
    if (route === 'find' && request.headers.get('financing-checkout-secret') !== this.#key) {
      return problem('not-found');
    }
    const instead = this.#instead.get(route)?.shift();
    if (instead) return instead(request.signal);
    if (route === 'open') {
      prequalificationRequestSchema.parse(body);
      const key = request.headers.get('idempotency-key');
      if (key !== this.#key) this.application = this.opened(`prq-${this.count('open')}`);
      this.#key = key;
    }
    const status = route === 'open' ? 201 : 200;
    return Response.json(prequalificationSchema.parse(this.application), { status });
  }
}

/** Mounts an element with a shop's attributes. */
export function mount(over: Partial<FinancingPrequalify> = {}): Promise<FinancingPrequalify> {
  return fixture<FinancingPrequalify>(
    html`<financing-prequalify
      public-key=${over.publicKey ?? 'pk-test-1'}
      environment=${over.environment ?? 'sandbox'}
      companion=${over.companion ?? COMPANION}
      currency=${over.currency ?? 'USD'}
      amount=${over.amount ?? ''}
      locale=${over.locale ?? ''}
      presentation=${over.presentation ?? ''}
      return-url=${over.returnUrl ?? ''}
      scenario=${over.scenario ?? ''}
    >
      <a slot="other-methods" href="#catalog">Back to the catalog</a>
    </financing-prequalify>`,
  );
}

export async function outcome(
  element: FinancingPrequalify,
): Promise<FinancingPrequalifyOutcomeEvent> {
  const event: unknown = await oneEvent(element, 'financing-prequalify-outcome');
  return event as FinancingPrequalifyOutcomeEvent;
}

export interface Applied extends Omit<Presented, 'options'> {
  readonly options: Omit<Presented['options'], 'callback'> & {
    readonly callback: (data?: object | null, status?: object | null) => void;
  };
}

/** Waits until the scripted SDK with the given name shows the nth application. */
export function applied(name: string, nth = 1): Promise<Applied> {
  return presentedBy<Applied>(name, nth);
}
