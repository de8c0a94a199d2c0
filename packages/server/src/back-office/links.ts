import {
  type LinkRecord,
  linkRecordSchema,
  linkRequestSchema,
  linksSchema,
} from '@financing-checkout/contract/back-office';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { createLink, type LinkReader, linksOfOrder, readLink } from '../checkout/staff-links.ts';
import { actorOf, MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { serve, serviceProblems } from '../platform/http/route.ts';
import type { Env } from '../platform/http/requests.ts';
import { idempotencyKey } from '../platform/idempotency-key.ts';
import { hasScope, ofTokens, permit } from './access.ts';

const linksQuery = z.strictObject({ merchantOrderId: z.string().min(1).max(256) });
/** The page behind a link's URL shows the consumer's name, email address and phone number. */
const ADDRESS =
  '`url` and `qrCode` open the checkout with the consumer’s name, e-mail address and phone number: they are stated only to a token of the scope `links`, while the checkout is open, and the log names the token.';
const readerOf = (c: Context<Env>): LinkReader => ({
  actor: actorOf(c),
  requestId: c.get('requestId'),
  opensLinks: hasScope(c, 'links'),
});
const answer = (description: string) => ({ description, schema: linkRecordSchema });

const create = permit('links', {
  method: 'post',
  path: '/links',
  summary: 'Make a link to the checkout of an order',
  priorities: ['checkout'],
  budgets: ['messages'],
  maxBodyBytes: MAX_SMALL_BODY_BYTES,
  description:
    'For a store or a call center: the shopper finances the order on their own device. With `deliver` the service sends the link; it cannot send one again. Messages to one recipient, and those of one token, have a budget (`rate-limited`); a link without `deliver` needs none. While a link of the order lives, the answer is that link, and nothing is sent. The companion creates the charge when the shopper has confirmed, and the shop gets the usual message.',
  headers: {
    'Idempotency-Key': '1 to 255 printable ASCII characters, new for each link.',
  },
  body: { schema: linkRequestSchema },
  answers: {
    200: answer('The link of this order that lives.'),
    201: answer('The link.'),
  },
  problems: [
    'idempotency-key-missing',
    'idempotency-in-flight',
    'idempotency-key-reused',
    'checkout-not-open',
    'order-changed',
    'order-totals-mismatch',
    'rate-limited',
    ...serviceProblems,
  ],
});

const list = permit('read', {
  method: 'get',
  path: '/links',
  summary: 'The links of an order',
  priorities: [],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: `Newest first, at most 100. ${ADDRESS}`,
  query: linksQuery,
  answers: { 200: { description: 'As the companion has read them last.', schema: linksSchema } },
});

const read = permit('read', {
  method: 'get',
  path: '/links/:checkoutId',
  summary: 'Read a link',
  priorities: ['checkout'],
  budgets: ofTokens,
  maxBodyBytes: 0,
  description: `States the amount and what has become of it, and nothing about the applicant. ${ADDRESS}`,
  answers: { 200: answer('The link, after the look that was due.') },
  problems: ['checkout-not-found'],
});

export const linkOperations = [create, list, read];

export function linkRoutes(ctx: CheckoutContext): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, create, async (c, input) => {
    const body = input.body();
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const { link, isNew } = await createLink(ctx, {
      ...body,
      key,
      request: c.req.raw,
      reader: readerOf(c),
    });
    c.set('checkoutId', link.checkoutId);
    return c.json(link satisfies LinkRecord, isNew ? 201 : 200);
  });

  serve(app, list, async (c, input) => {
    const { merchantOrderId } = input.query();
    return c.json({ links: await linksOfOrder(ctx, merchantOrderId, readerOf(c)) });
  });

  serve(app, read, async (c) =>
    c.json(await readLink(ctx, c.req.param('checkoutId'), readerOf(c))),
  );
  return app;
}
