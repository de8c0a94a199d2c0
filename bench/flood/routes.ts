import { origin } from '../server/programs.ts';
import { type Begun, newSecret, type PageRequest, type Proxy } from './shopper.ts';

/** Returns the next request of a flood. */
type Next = () => PageRequest;

/** A flood of one public route, with the requests that cost the companion most. */
export interface Flood {
  route: string;
  /** Statuses that prove that a request has done the work of its route. */
  reaches: readonly number[];
  /** Whether the limits per address apply, which exclude probes and static files. */
  isLimited: boolean;
  /** Operations of the service that the flood causes. */
  calls: readonly string[];
  /**
   * Whether honest people share the addresses of the flood, because it uses up nothing that they
   * need. @default false
   */
  hasNeighbors?: boolean;
  /** Starts the checkouts or applications that the requests refer to. */
  prepare(proxy: Proxy): Promise<Next> | Next;
}

/**
 * Number of checkouts or applications that a flood requests: the most that four addresses may send
 * at once.
 */
const BEGUN = 480;

async function begin(
  proxy: Proxy,
  request: (secret: string) => PageRequest,
  use: (one: Begun) => Omit<PageRequest, 'headers'>,
): Promise<Next> {
  const all = await proxy.begin(BEGUN, request);
  let next = 0;
  return () => {
    const one = all[next++ % all.length];
    if (one === undefined) throw new Error('Nothing was begun.');
    const headers = proxy.scriptHeaders({ 'financing-checkout-secret': one.secret });
    return { ...use(one), headers };
  };
}

const beginCheckouts = (proxy: Proxy, use: (one: Begun) => Omit<PageRequest, 'headers'>) =>
  begin(proxy, (secret) => proxy.prime(secret), use);
const beginLinks = (proxy: Proxy, use: (one: Begun) => Omit<PageRequest, 'headers'>) =>
  begin(proxy, (secret) => proxy.prime(secret, { via: 'link' }), use);

const start = (proxy: Proxy, order: string): PageRequest => ({
  method: 'POST',
  path: '/checkout/start',
  headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
  body: new URLSearchParams({
    environment: 'sandbox',
    order,
    publicKey: proxy.publicKey,
    returnUrl: `${origin}/back`,
  }).toString(),
});

const reading = ({ id }: Begun) => ({ method: 'GET', path: `/checkout/${id}` }) as const;
const cancellation = ({ id }: Begun) =>
  ({ method: 'POST', path: `/checkout/${id}/cancellation` }) as const;

export const floods: readonly Flood[] = [
  {
    route: 'POST /checkout/prime',
    reaches: [201],
    isLimited: true,
    calls: ['prime'],
    prepare: (proxy) => () => proxy.prime(newSecret()),
  },
  {
    route: 'POST /checkout/prime via link',
    reaches: [201],
    isLimited: true,
    calls: ['link'],
    prepare: (proxy) => () => proxy.prime(newSecret(), { via: 'link' }),
  },
  {
    route: 'POST /checkout/start',
    reaches: [303],
    isLimited: true,
    calls: ['prime'],
    prepare: (proxy) => () => start(proxy, proxy.newTicket()),
  },
  {
    route: 'POST /checkout/start with one ticket',
    reaches: [303],
    isLimited: true,
    calls: ['prime'],
    prepare(proxy) {
      const ticket = proxy.newTicket();
      return () => start(proxy, ticket);
    },
  },
  {
    route: 'GET /checkout/:id',
    reaches: [200],
    isLimited: true,
    calls: [],
    prepare: (proxy) => beginCheckouts(proxy, reading),
  },
  {
    route: 'GET /checkout/:id of a link',
    reaches: [200],
    isLimited: true,
    calls: [],
    prepare: (proxy) => beginLinks(proxy, reading),
  },
  {
    route: 'POST /checkout/:id/confirmation',
    reaches: [200],
    isLimited: true,
    calls: ['charge'],
    prepare: (proxy) =>
      beginCheckouts(proxy, ({ id }) => ({
        method: 'POST',
        path: `/checkout/${id}/confirmation`,
        body: JSON.stringify({ confirmationToken: `made-up-${newSecret()}` }),
      })),
  },
  {
    route: 'POST /checkout/:id/cancellation',
    reaches: [200],
    isLimited: true,
    calls: ['status'],
    prepare: (proxy) => beginCheckouts(proxy, cancellation),
  },
  {
    route: 'POST /checkout/:id/cancellation of a link',
    reaches: [200],
    isLimited: true,
    calls: ['link-status'],
    prepare: (proxy) => beginLinks(proxy, cancellation),
  },
  {
    route: 'POST /prequalifications',
    reaches: [201],
    isLimited: true,
    calls: ['apply'],
    prepare: (proxy) => () => proxy.prequalification(newSecret()),
  },
  {
    route: 'GET /prequalifications/:id',
    reaches: [200],
    isLimited: true,
    calls: ['status'],
    prepare: (proxy) =>
      begin(
        proxy,
        (secret) => proxy.prequalification(secret),
        ({ id }) => ({ method: 'GET', path: `/prequalifications/${id}` }),
      ),
  },
  {
    route: 'POST /notifications',
    // An impostor, who does not know the agreed value.
    reaches: [401],
    isLimited: true,
    calls: [],
    prepare: () => () => ({
      method: 'POST',
      path: '/notifications',
      headers: { authorization: 'made-up-authorization', 'content-type': 'application/json' },
      body: JSON.stringify({ eventType: 'charge', chargeId: newSecret() }),
    }),
  },
  {
    route: 'GET /programmes',
    reaches: [200],
    isLimited: false,
    calls: [],
    prepare: () => () => ({ method: 'GET', path: '/programmes' }),
  },
  {
    route: 'GET /livez',
    reaches: [200],
    isLimited: false,
    calls: [],
    prepare: () => () => ({ method: 'GET', path: '/livez' }),
  },
];
