import { linkTypeOf } from '../links/answer.ts';
import type { Service } from '../service.ts';
import { operation } from './operation.ts';

/** Maximum number of links in a response. */
const SHOWN = 1000;

/**
 * The links with their URLs, and how each was delivered. Recipients are not shown, because an email
 * address or a phone number is personal data.
 */
export const linkOperations = [
  operation('links list', 'GET /links', {
    does: 'Show each link, its state and how it was delivered.',
    run: (sandbox) => ({ links: recent(sandbox) }),
    part: 'links',
    show: ({ links }) => (links.length > 0 ? links.map(describe) : ['There are no links.']),
  }),
];

function recent({ links: all }: Service) {
  return all
    .list()
    .slice(-SHOWN)
    .map((link) => {
      const { linkOptions, cart } = link.request;
      const delivery = linkOptions?.deliveryMethod ?? 'None';
      return {
        linkId: link.id,
        environment: link.environment,
        linkType: linkTypeOf(link),
        linkStatus: all.statusOf(link),
        url: all.urlOf(link),
        merchantOrderId: cart?.merchantOrderId ?? null,
        delivered: delivery === 'None' ? null : delivery,
        applications: all.applicationsOf(link).map(({ id, state }) => ({ id, state })),
        createdAt: new Date(link.createdAt).toISOString(),
        endsAt: new Date(link.endsAt).toISOString(),
      };
    });
}

function describe(link: ReturnType<typeof recent>[number]): string {
  const { url, linkType, linkStatus, merchantOrderId, delivered, applications } = link;
  const order = merchantOrderId === null ? [] : [`order ${merchantOrderId}`];
  const sent = delivered === null ? 'not delivered' : `delivered by ${delivered}`;
  const states = applications.map(({ id, state }) => `${id} ${state}`);
  return [url, linkType, linkStatus, ...order, sent, ...states].join('  ');
}
