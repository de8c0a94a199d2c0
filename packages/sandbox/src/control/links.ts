import { Hono } from 'hono';
import { linkTypeOf } from '../links/answer.ts';
import type { Service } from '../service.ts';

/** Maximum number of links in an answer. */
const SHOWN = 1000;

/**
 * `/links`: the links with their addresses, and how each was delivered. It shows no recipient: an
 * e-mail address or a phone number is personal data.
 */
export function linkRoutes({ links }: Service): Hono {
  const routes = new Hono();
  routes.get('/', (c) =>
    c.json({
      links: links
        .list()
        .slice(-SHOWN)
        .map((link) => {
          const { linkOptions, cart } = link.request;
          const delivery = linkOptions?.deliveryMethod ?? 'None';
          return {
            linkId: link.id,
            environment: link.environment,
            linkType: linkTypeOf(link),
            linkStatus: links.statusOf(link),
            url: links.urlOf(link),
            merchantOrderId: cart?.merchantOrderId ?? null,
            delivered: delivery === 'None' ? null : delivery,
            applications: links.applicationsOf(link).map(({ id, state }) => ({ id, state })),
            createdAt: new Date(link.createdAt).toISOString(),
            endsAt: new Date(link.endsAt).toISOString(),
          };
        }),
    }),
  );
  return routes;
}
