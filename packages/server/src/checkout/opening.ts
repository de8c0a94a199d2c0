import type { Order } from '@financing-checkout/contract';
import { isoTime } from '@financing-checkout/kit';
import type { LinkOptions, MadeLink } from '../service/links.ts';
import { type Primed, refusedConsumerFields } from '../service/prime.ts';
import type { CallResult } from '../service/result.ts';
import type { CheckoutContext } from './context.ts';
import { LINK_MS, requestLink } from './link-creation.ts';
import type { PrimeInput } from './prime.ts';

/**
 * Opens a session at the service. If the service refuses fields of the consumer, the request is sent
 * once more without the consumer: the refused request did nothing, and the hosted page asks the
 * shopper for the fields that a lender needs.
 */
export async function openSession(
  { service, logger, counters }: CheckoutContext,
  order: Order,
  { attemptId, requestId }: { attemptId: string; requestId: string },
): Promise<CallResult<Primed>> {
  // The correlation id joins the service's notifications to this request.
  const { consumer, ...rest } = { ...order, correlationId: order.correlationId ?? attemptId };
  const result = await service.prime(consumer === undefined ? rest : { ...rest, consumer }, {
    priority: 'checkout',
    requestId,
  });
  if (consumer === undefined || result.kind !== 'rejected') return result;
  if (result.status !== 400 && result.status !== 422) return result;
  const fields = refusedConsumerFields(result.fields);
  if (fields.length === 0) return result;
  const { status, serviceRequestId } = result;
  const ids = { requestId, attemptId, serviceRequestId };
  logger.log('warn', 'consumer-refused', { ...ids, status, fields });
  counters.increment('consumer-refused');
  return service.prime(rest, { priority: 'checkout', requestId });
}

/** The answer of the service that opens a checkout: a session, or a link. */
export interface Opened {
  /** The session token, or the id of the link. */
  id: string;
  applicationId?: Primed['applicationId'];
  expirationDate?: Primed['expirationDate'];
  made?: MadeLink;
}

/** Makes a link to the checkout of an order. */
export async function openLink(
  ctx: CheckoutContext,
  order: Order,
  { body, link }: Pick<PrimeInput, 'body' | 'link'>,
  ids: { attemptId: string; requestId: string },
): Promise<CallResult<Opened>> {
  const [language] = /^(?:en|fr)(?![a-z])/i.exec(body.locale ?? '') ?? [];
  const options = {
    delivery: link?.delivery,
    language: link?.language ?? (language?.toLowerCase() as LinkOptions['language']),
    returnUrl: body.returnUrl,
  };
  const result = await requestLink(ctx, order, options, ids);
  if (result.kind !== 'accepted') return result;
  const { body: made } = result;
  return { ...result, body: { id: made.linkId, ...linkEnd(ctx), made } };
}

/** Returns when a link ends that is made now, as a session states its end. */
export const linkEnd = ({ clock }: CheckoutContext) => ({
  expirationDate: isoTime(clock.now() + LINK_MS),
});
