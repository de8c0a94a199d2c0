import type { Order } from '@financing-checkout/contract/storefront';
import { createCompanion, order } from '../companion.fixture.ts';
import { charged, type Scripted } from '../scripted-service.fixture.ts';

export const CREATE = 'POST /v2/omni-link/consumer/checkout';
export const READ = 'GET /v2/omni-link/consumer/link-1';
export const CHARGE = 'POST /v2/post-sale/charges';
export const LINK_URL = 'https://links.example/l/1';

export const madeLink = (number = 1) => ({
  status: 201,
  body: {
    linkId: `link-${number}`,
    url: `https://links.example/l/${number}`,
    qrCode: 'iVBORw0KGgo=',
  },
});

/**
 * Returns an application of a link; if a number is given, confirmed with the token of that number.
 */
export const onLink = (applicationStatus: string, number?: number, change: object = {}) => ({
  applicationId: `application-${number ?? applicationStatus}`,
  applicationStatus,
  accounts: [],
  ...(number === undefined
    ? {}
    : { checkoutDetails: { lenderId: 'lender-1', confirmationToken: `token-${number}` } }),
  ...change,
});

/** Returns the service's response to a read of a link. */
export const link = (linkStatus: string, ...applications: object[]) => ({
  status: 200,
  body: { linkType: 'ConsumerCheckout', linkStatus, applications },
});

/** Creates a companion whose stub service creates links and charges. */
export async function createLinkSubject(
  change: Parameters<typeof createCompanion>[0] = {},
  setup: Parameters<typeof createCompanion>[1] = {},
) {
  const companion = await createCompanion(change, setup);
  companion.service.on(CREATE, madeLink()).on(READ, link('New')).on(CHARGE, charged);
  const { service } = companion;
  const tickets = new Map<string, string>();

  /** Advances the clock and runs the background work that is then due. */
  async function work(advanceMs = 0): Promise<void> {
    companion.clock.advance(advanceMs);
    while ((await companion.background.runOnce()) > 0);
  }

  return {
    companion,
    service,
    work,
    /** Primes by link from a page. The same order gets the same ticket. */
    prime: async (key = 'key-1', orderChange: Partial<Order> = {}, body: object = {}) => {
      const name = JSON.stringify(orderChange);
      const ticket = tickets.get(name) ?? (await companion.ticket(orderChange));
      tickets.set(name, ticket);
      return companion.post(
        '/checkout/prime',
        { order: ticket, environment: 'sandbox', via: 'link', ...body },
        { 'idempotency-key': key },
      );
    },
    /** Requests a link through the back office. */
    create: (key = 'key-1', body: object = {}) =>
      companion.officePost('/links', { order, ...body }, { 'idempotency-key': key }),
    /** Sets the response to reads of the link, and waits for the next read. */
    show: async (...answers: Scripted[]) => {
      service.on(READ, ...answers);
      await work(300_000);
    },
    statuses: () => companion.webhooks().map(({ status }) => status),
  };
}
