import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { sha256 } from '../checkout/id.ts';

const detailsSchema = z.looseObject({
  applicationId: z.string().min(1).max(256),
  token: z.string().min(1).max(2048).optional().catch(undefined),
});
/**
 * What is read of a notification (reference: Checkout Management, notifications). Its envelope is
 * not documented, so the event's name is taken from wherever it is; everything else passes.
 */
const eventName = z
  .string()
  .max(128)
  .regex(/^[\w.-]+$/)
  .optional()
  .catch(undefined);
const envelopeSchema = z.looseObject({
  event: eventName,
  eventType: eventName,
  type: eventName,
  data: z.unknown().optional(),
});

/** The events that say where to look; a later one that we do not know yet says nothing to us. */
const followed = new Set([
  'application.approved',
  'application.pending-lender',
  'application.pending-consumer',
  'application.pending-merchant',
  'application.declined',
  'application.cancelled',
]);
/** Known, and there is nothing to do about them. */
const noted = new Set(['application.created', 'application.prequalified']);
export const CONFIRMED = 'application.checkout-confirmed';

/** What became of a notification that came in; it is answered with a 2xx in every case. */
export type Received = 'kept' | 'repeated' | 'noted' | 'unknown';

/**
 * Takes a notification in: what is to be done about it is kept and done later, so the service has
 * its answer at once, and a companion that dies in between loses none.
 * @param body what was sent, as text
 */
export async function receiveNotification(ctx: CheckoutContext, body: string): Promise<Received> {
  const { content, text } = parse(body);
  const envelope = envelopeSchema.safeParse(content).data;
  const name = envelope?.event ?? envelope?.eventType ?? envelope?.type;
  const details = [content, envelope?.data]
    .map((value) => detailsSchema.safeParse(value).data)
    .find((value) => value !== undefined);
  const event = name !== undefined && !name.includes('.') ? `application.${name}` : name;
  if (event !== undefined && noted.has(event)) return 'noted';
  const confirmed = event === CONFIRMED && details?.token !== undefined;
  if (event === undefined || details === undefined || !(confirmed || followed.has(event))) {
    ctx.counters.increment('notification-unknown');
    ctx.logger.log('warn', 'notification-unknown', { reason: details ? 'event' : 'body' });
    return 'unknown';
  }
  const now = ctx.clock.now();
  const isNew = await ctx.store.putNotification({
    // By content: the same one is the same, in whatever order its fields are written.
    id: await sha256(`${ctx.environment} ${text}`),
    environment: ctx.environment,
    event,
    applicationId: details.applicationId,
    confirmationToken: confirmed ? details.token : undefined,
    receivedAt: now,
    dueAt: confirmed ? now + ctx.waits.pageFirstMs : now,
  });
  if (!isNew) return 'repeated';
  ctx.changed();
  return 'kept';
}

/** What was sent, and its canonical text; nothing where it is no JSON, or nested too deep. */
function parse(body: string): { content: unknown; text: string } {
  try {
    const content: unknown = JSON.parse(body);
    return { content, text: canonical(content) };
  } catch {
    return { content: undefined, text: '' };
  }
}

/** JSON with the fields of each object in one order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
