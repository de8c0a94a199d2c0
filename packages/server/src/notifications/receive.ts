import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { sha256 } from '../platform/id.ts';

const id = z.string().min(1).max(256);
const token = z.string().min(1).max(2048).optional().catch(undefined);
const detailsSchema = z.looseObject({
  applicationId: id.optional().catch(undefined),
  chargeId: id.optional().catch(undefined),
  token,
  /** Where the oldest form of a confirmation has the token. */
  confirmationToken: token,
});

/** Fields that name the event: `eventType` as published, the others in an envelope of a relay. */
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

/** The events that say which application to look at. */
const followed = new Set([
  'application.approved',
  'application.pending-lender',
  'application.pending-consumer',
  'application.pending-merchant',
  'application.declined',
  'application.cancelled',
  // Its token is an account's and makes no charge: it is not kept.
  'application.apply-confirmed',
]);
/** Known events that need no action. */
const noted = new Set([
  'application.created',
  'application.prequalified',
  'links.checkout-data-update',
]);
export const CONFIRMED = 'application.checkout-confirmed';
/** The event of the oldest forms, which name none. */
const UNNAMED = 'unnamed';
/** Settles, refunds and the like, made at the service: `postsale.refund.accepted`, before `postsale.refund`. */
const postSale = /^postsale\.[\w.-]+$/;

/** Returns whether an event says that the money of a charge has moved. */
export function isPostSale(event: string): boolean {
  return postSale.test(event);
}

/** The outcome of taking a notification; each is answered with a 2xx. */
export type Received = 'kept' | 'repeated' | 'noted' | 'unknown';

/**
 * Takes a notification in. It is stored and handled later: the service has its answer at once, and a
 * companion that dies in between loses none.
 * @param body the request's body, as text
 */
export async function receiveNotification(ctx: CheckoutContext, body: string): Promise<Received> {
  const { content, text } = parse(body);
  const { details, event } = read(content);
  if (event !== undefined && noted.has(event)) return 'noted';
  const confirmationToken = event === CONFIRMED ? details?.token : undefined;
  const isKnown =
    event !== undefined &&
    (confirmationToken !== undefined ||
      followed.has(event) ||
      event === UNNAMED ||
      isPostSale(event));
  const applicationId = isKnown ? await applicationOf(ctx, details) : undefined;
  // The fields of a post-sale event are not published: one that names nothing of ours is no fault.
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
    // By content: the order of its fields does not make it another one.
    id: await sha256(`${ctx.environment} ${text}`),
    environment: ctx.environment,
    event,
    applicationId,
    confirmationToken,
    receivedAt: now,
    dueAt: confirmationToken === undefined ? now : now + ctx.waits.pageFirstMs,
  });
  if (!isNew) return 'repeated';
  ctx.changed();
  return 'kept';
}

interface Details {
  applicationId?: string | undefined;
  chargeId?: string | undefined;
  token?: string | undefined;
}

/** Reads the event, in one vocabulary, and the ids in it. */
function read(content: unknown): { event?: string; details?: Details } {
  const envelope = envelopeSchema.safeParse(content).data;
  const details = [content, envelope?.data]
    .map((value) => detailsSchema.safeParse(value).data)
    .find((value) => value?.applicationId !== undefined || value?.chargeId !== undefined);
  if (envelope === undefined || details === undefined) {
    const event = envelope && eventOf(envelope);
    return event === undefined ? {} : { event };
  }
  if (names.every((name) => !(name in (content as object)))) {
    // The oldest forms: "Consumer Confirmation", "Consumer Declined", "Link Application Status Update".
    const { applicationId, confirmationToken } = details;
    if (applicationId === undefined) return { details };
    return confirmationToken === undefined
      ? { event: UNNAMED, details }
      : { event: CONFIRMED, details: { applicationId, token: confirmationToken } };
  }
  const event = eventOf(envelope);
  return event === undefined ? { details } : { event, details };
}

/** Returns the event's name of today: `application.approved` is also sent as `account.approved`. */
function eventOf(envelope: z.infer<typeof envelopeSchema>): string | undefined {
  const name = envelope.eventType ?? envelope.event ?? envelope.type;
  if (name === undefined) return undefined;
  return name.includes('.') ? name.replace(/^account\./, 'application.') : `application.${name}`;
}

/** Returns the application that a notification is about, also where it names the charge alone. */
async function applicationOf(
  { environment, store }: CheckoutContext,
  { applicationId, chargeId }: Details = {},
): Promise<string | undefined> {
  if (applicationId !== undefined || chargeId === undefined) return applicationId;
  return (await store.findCheckoutOfCharge(environment, chargeId))?.applicationId;
}

/** Returns a body and its canonical text, or nothing where it is no JSON or nested too deep. */
function parse(body: string): { content: unknown; text: string } {
  try {
    const content: unknown = JSON.parse(body);
    return { content, text: canonical(content) };
  } catch {
    return { content: undefined, text: '' };
  }
}

/** Returns JSON with the fields of each object in one order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
