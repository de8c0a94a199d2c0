import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { sha256 } from '../platform/id.ts';
import type { LinkRow } from '../store/store.ts';

const id = z.string().min(1).max(256);
const token = z.string().min(1).max(2048).optional().catch(undefined);
const detailsSchema = z.looseObject({
  applicationId: id.optional().catch(undefined),
  chargeId: id.optional().catch(undefined),
  linkId: id.optional().catch(undefined),
  correlationId: id.optional().catch(undefined),
  token,
  /** The token, in the oldest format of a confirmation. */
  confirmationToken: token,
});

/**
 * Fields that contain the event name: `eventType` as published, the others in a relay's envelope.
 */
const names = ['eventType', 'event', 'type'] as const;
const eventName = z
  .string()
  .max(128)
  .regex(/^[\w.-]+$/)
  .optional()
  .catch(undefined);
const envelopeSchema = z.looseObject({
  eventType: eventName,
  event: eventName,
  type: eventName,
  data: z.unknown().optional(),
});

/** Events that name an application to look up. */
const followed = new Set([
  'application.approved',
  'application.pending-lender',
  'application.pending-consumer',
  'application.pending-merchant',
  'application.declined',
  'application.cancelled',
  // The token in this event belongs to an account and cannot create a charge, so it is not stored.
  'application.apply-confirmed',
]);
/** Known events that need no action. */
const noted = new Set([
  'application.created',
  'application.prequalified',
  'links.checkout-data-update',
]);
export const CONFIRMED = 'application.checkout-confirmed';
/** Event name for the oldest formats, which have none. */
const UNNAMED = 'unnamed';
/**
 * Settles, refunds and similar events at the service: `postsale.refund.accepted`, formerly
 * `postsale.refund`.
 */
const postSale = /^postsale\.[\w.-]+$/;

/** Returns whether an event reports a money movement on a charge. */
export function isPostSale(event: string): boolean {
  return postSale.test(event);
}

/** The outcome of a notification. The response is always a 2xx. */
export type Received = 'kept' | 'repeated' | 'noted' | 'unknown';

/**
 * Stores a notification for the background work. The service gets its response immediately, and no
 * notification is lost if the companion crashes.
 * @param body the request's body, as text
 */
export async function receiveNotification(ctx: CheckoutContext, body: string): Promise<Received> {
  const { content, text } = parse(body);
  const { details, event } = read(content);
  const link = event === undefined || isPostSale(event) ? undefined : await linkOf(ctx, details);
  if (link === undefined && event !== undefined && noted.has(event)) return 'noted';
  const confirmationToken = event === CONFIRMED ? details?.token : undefined;
  if (link !== undefined) {
    // Also completes a link whose creation response was lost. The service itself is asked what
    // happened.
    await ctx.store.hurryLink(link.checkoutId, ctx.clock.now(), details?.linkId);
    ctx.changed();
    if (confirmationToken === undefined) return 'kept';
  }
  const isKnown =
    event !== undefined &&
    (confirmationToken !== undefined ||
      followed.has(event) ||
      event === UNNAMED ||
      isPostSale(event));
  const applicationId = isKnown ? ((await applicationOf(ctx, details)) ?? link?.linkId) : undefined;
  // The fields of post-sale events are not published, so an event without a known id is not an
  // error.
  if (isKnown && applicationId === undefined && isPostSale(event)) return 'noted';
  if (!isKnown || applicationId === undefined) {
    ctx.counters.increment('notification-unknown');
    ctx.logger.log('warn', 'notification-unknown', {
      reason: details?.applicationId === undefined ? 'body' : 'event',
    });
    return 'unknown';
  }
  const now = ctx.clock.now();
  const isNew = await ctx.store.putNotification({
    // Derived from the content; the order of its fields does not matter.
    id: await sha256(`${ctx.environment} ${text}`),
    environment: ctx.environment,
    event,
    applicationId,
    confirmationToken,
    checkoutId: link?.checkoutId,
    receivedAt: now,
    // Only a page may know that its order has changed, and a link has no page.
    dueAt:
      confirmationToken === undefined || link !== undefined ? now : now + ctx.timing.pageGraceMs,
  });
  if (!isNew) return 'repeated';
  ctx.changed();
  return 'kept';
}

interface Details {
  applicationId?: string;
  chargeId?: string;
  linkId?: string;
  correlationId?: string;
  token?: string;
}

/** Returns the event under its current name, and its ids. */
function read(content: unknown): { event?: string; details?: Details } {
  const envelope = envelopeSchema.safeParse(content).data;
  const details = [content, envelope?.data]
    .map((value) => detailsSchema.safeParse(value).data)
    .find((value) => (value?.applicationId ?? value?.chargeId ?? value?.linkId) !== undefined);
  if (envelope === undefined || details === undefined) {
    const event = envelope && eventOf(envelope);
    return event === undefined ? {} : { event };
  }
  if (names.every((name) => !(name in (content as object)))) {
    // The oldest formats: "Consumer Confirmation", "Consumer Declined", "Link Application Status
    // Update".
    const { applicationId, confirmationToken, linkId, correlationId } = details;
    if (applicationId === undefined) return { details };
    return confirmationToken === undefined
      ? { event: UNNAMED, details }
      : {
          event: CONFIRMED,
          details: { applicationId, linkId, correlationId, token: confirmationToken },
        };
  }
  const event = eventOf(envelope);
  return event === undefined ? { details } : { event, details };
}

/**
 * Returns the current name of an event: `application.approved` is also sent as `account.approved`.
 */
function eventOf(envelope: z.infer<typeof envelopeSchema>): string | undefined {
  const name = envelope.eventType ?? envelope.event ?? envelope.type;
  if (name === undefined) return undefined;
  return name.includes('.') ? name.replace(/^account\./, 'application.') : `application.${name}`;
}

/** Returns the link that a notification identifies by its id or correlation id. */
async function linkOf(
  { environment, store }: CheckoutContext,
  { linkId, correlationId }: Details = {},
): Promise<LinkRow | undefined> {
  if (linkId === undefined && correlationId === undefined) return undefined;
  return store.findLinkOf(environment, { linkId, correlationId });
}

/**
 * Returns the application of a notification, even if the notification identifies only the charge.
 */
async function applicationOf(
  { environment, store }: CheckoutContext,
  { applicationId, chargeId }: Details = {},
): Promise<string | undefined> {
  if (applicationId !== undefined || chargeId === undefined) return applicationId;
  return (await store.findCheckoutOfCharge(environment, chargeId))?.applicationId;
}

/** Returns a body and its canonical text, or undefined if it is not JSON or nested too deep. */
function parse(body: string): { content: unknown; text: string } {
  try {
    const content: unknown = JSON.parse(body);
    return { content, text: canonical(content) };
  } catch {
    return { content: undefined, text: '' };
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
