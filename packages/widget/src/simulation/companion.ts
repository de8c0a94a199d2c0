import { isObject } from '../platform/object.ts';
import { readTicket } from '../companion/ticket.ts';
import type { Money } from '../model/outcome.ts';
import type { Scenario, ScenarioAnswer, ScenarioRequest } from '../model/scenario.ts';

/** Amount of an order whose ticket cannot be read. */
const DEFAULT_AMOUNT: Money = { value: 129_900, currency: 'USD' };

/**
 * The address that the simulated code contains, and the code: a PNG of 25 by 25 pixels. The address
 * is fixed, because no code is drawn at run time.
 */
const LINK_URL = 'https://example.com/#scenario';
const LINK_CODE =
  'iVBORw0KGgoAAAANSUhEUgAAABkAAAAZAQMAAAD+JxcgAAAABlBMVEUAAAAAAAClZ7nPAAAAAnRSTlMA/1uRIrUAAACBSURBVHjaFcQ9CsJAFEbRuw9dhYWCIFaKXbZgbe9P+TFdsLTQchTBKBjF8qFkCRYWSggElyGBIXiKQ7C+cGMvrJ0Ka/4bpsK1vAinTHAW5AsvBu8SDr1CPCZz8XxdxWcdQ769iONoJrJ7BeyWELqJcNNYWPUDu32FdSLhVg0RNnvVPOc2gG8zNg8AAAAASUVORK5CYII=';

/** Number of lookups after which the simulated phone has opened, and then completed, the link. */
const OPENED = 1;
const FINISHED = 2;

/** A companion that responds according to a scenario. No request leaves the page. */
export class SimulatedCompanion {
  readonly #scenario: Scenario;
  readonly #environment: string;
  /** How the lender's page ended; undefined while the page is open, or if the shopper left. */
  ended: 'confirmed' | 'unconfirmed' | undefined;
  #verdicts = 0;
  #opened = 0;
  #order = '';
  #isLink = false;
  /** Number of lookups since the opening. The simulated phone finishes by itself. */
  #lookups = 0;

  constructor(scenario: Scenario, environment: string, order: string) {
    this.#scenario = scenario;
    this.#environment = environment;
    this.#order = order;
  }

  /** Replaces `fetch`. */
  async receive(url: string, init: RequestInit): Promise<Response> {
    const [first = '', action] = (url.split('/checkout/').at(-1) ?? '').split('/');
    const route = routeOf(first, action);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (isObject(body) && typeof body.order === 'string') this.#order = body.order;
    if (route === 'prime') this.#isLink = isObject(body) && body.via === 'link';
    this.#scenario.onRequest?.({ route, body });
    if (route === 'prime') {
      this.#opened += 1;
      this.ended = undefined;
      this.#lookups = 0;
      if (this.#scenario.opening) return this.#answer(this.#scenario.opening, init.signal);
      return this.#open();
    }
    const { cancellation = { status: 'cancelled' }, found, link, verdicts = [] } = this.#scenario;
    if (found && this.#opened === 0) return this.#answer(found, init.signal);
    if (this.#isLink && route === 'find' && ++this.#lookups > FINISHED && !link) {
      this.ended = 'confirmed';
    }
    if (!this.ended) {
      // The service cannot revoke a link, so the checkout stays open when the shopper leaves.
      return route === 'find' || this.#isLink
        ? this.#open()
        : this.#answer(cancellation, init.signal);
    }
    // The only reason to cancel a confirmed checkout is to start again with a changed cart.
    if (route === 'cancellation' && this.ended === 'confirmed') {
      return this.#answer({ status: 'cancelled' }, init.signal);
    }
    const verdict = verdicts[Math.min(this.#verdicts, verdicts.length - 1)];
    this.#verdicts += 1;
    return this.#answer(verdict ?? { status: 'approved' }, init.signal);
  }

  #checkout() {
    const { merchantOrderId, totalAmount: value, currency } = readTicket(this.#order) ?? {};
    return {
      id: `scenario-${this.#opened}`,
      environment: this.#environment,
      merchantOrderId: typeof merchantOrderId === 'string' ? merchantOrderId : 'scenario',
      amount:
        typeof value === 'number' && typeof currency === 'string'
          ? { value, currency }
          : DEFAULT_AMOUNT,
    };
  }

  #open(): Response {
    const presentation = this.#isLink
      ? {
          sessionToken: 'scenario',
          link: {
            url: LINK_URL,
            qrCode: LINK_CODE,
            state: this.#scenario.link ?? (this.#lookups > OPENED ? 'opened' : 'waiting'),
            expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
          },
        }
      : { sessionToken: 'scenario', hosted: { url: '/', modes: ['embedded'] } };
    return Response.json({ ...this.#checkout(), status: 'open', presentation }, { status: 201 });
  }

  #answer(answer: ScenarioAnswer, signal: AbortSignal | null | undefined): Promise<Response> {
    if (answer === 'unreachable') return Promise.reject(new TypeError('A scenario: no network.'));
    if (answer === 'never') {
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    }
    const checkout = this.#checkout();
    if ('status' in answer) return Promise.resolve(Response.json({ ...checkout, ...answer }));
    const { problem: code, httpStatus: status = 422 } = answer;
    const { amount: approved } = checkout;
    const current = { ...approved, value: approved.value + 15_000 };
    const amounts = code === 'order-changed' ? { approved, current } : undefined;
    const problem = { code, title: 'A scenario', retrySafe: true, amounts };
    return Promise.resolve(Response.json(problem, { status }));
  }
}

function routeOf(first: string, action: string | undefined): ScenarioRequest['route'] {
  if (first === 'prime') return first;
  return action === 'confirmation' || action === 'cancellation' ? action : 'find';
}
