import { Webhook } from 'standardwebhooks';
import type { Secret } from '@financing-checkout/kit';
import type { ChargeContext } from '../charges/context.ts';
import { retryAfterMs } from '../service/answer.ts';
import type { Transport } from '../service/transport.ts';
import type { DeliveryResult, DeliveryRow } from '../store/store.ts';

/** The webhook endpoint of the merchant's backend. */
export interface WebhookTarget {
  url: string;
  /** Standard Webhooks secret, `whsec_…`. */
  secret: Secret;
  /** Additional secret that also signs messages while the secret is being rotated. */
  previousSecret?: Secret;
  /** Timeout of one attempt in milliseconds. @default 15_000 */
  deadlineMs?: number;
}

/** Each environment has its own target. */
interface DeliveryContext extends Pick<
  ChargeContext,
  'clock' | 'environment' | 'logger' | 'store'
> {
  target: WebhookTarget;
  transport: Transport;
  random: () => number;
}

const DEADLINE_MS = 15_000;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 3_600_000;
/** The delay reaches an hour after eleven attempts; the remaining attempts span three days. */
const MAX_TRIES = 83;
/** Standard Webhooks: the endpoint is gone, and the message must not be retried. */
const GONE = 410;

/**
 * Delivers due messages, at least once each. Retries while the shop is down.
 * @returns the number of messages attempted
 */
export async function deliverDue(ctx: DeliveryContext, limit: number): Promise<number> {
  const now = ctx.clock.now();
  // The claim lasts two deadlines; after that this companion counts as crashed.
  const until = now + 2 * deadlineOf(ctx);
  const due = await ctx.store.claimDeliveries(ctx.environment, now, until, limit);
  await Promise.all(due.map((delivery) => deliver(ctx, delivery)));
  return due.length;
}

async function deliver(ctx: DeliveryContext, delivery: DeliveryRow): Promise<void> {
  const started = ctx.clock.now();
  const { status, reason, retryAfter = 0 } = await send(ctx, delivery, started);
  const delivered = status !== undefined && status >= 200 && status < 300;
  const now = ctx.clock.now();
  // Capped at the companion's maximum delay, even if the shop asks for a week.
  const requestedDelay = Math.min(MAX_DELAY_MS, retryAfter);
  const result: DeliveryResult = delivered
    ? { kind: 'delivered' }
    : status === GONE || delivery.tries >= MAX_TRIES
      ? { kind: 'dead', reason }
      : {
          kind: 'retry',
          at: now + Math.max(retryDelay(delivery.tries, ctx.random), requestedDelay),
          reason,
        };
  await ctx.store.finishDelivery(delivery.id, delivery.tries, result, now);
  ctx.logger.log(delivered ? 'info' : 'warn', 'webhook-delivery', {
    deliveryId: delivery.id,
    checkoutId: delivery.checkoutId,
    outcome: result.kind,
    status,
    reason: delivered ? undefined : reason,
    tries: delivery.tries,
    durationMs: now - started,
  });
}

const deadlineOf = ({ target }: DeliveryContext) => target.deadlineMs ?? DEADLINE_MS;

/**
 * Applies jitter to a delay in milliseconds, half fixed and half random, so that a recovered shop
 * is not flooded.
 */
function retryDelay(tries: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(tries - 1, 20));
  // Whole milliseconds: PostgreSQL columns store no fractions, and a retry time that cannot be
  // stored would cause too many retries.
  return Math.round(delay / 2 + (random() * delay) / 2);
}

/**
 * Sends a message once.
 * @returns the status, undefined without a response; the cause of a failure; and the milliseconds
 * that the shop asked to wait
 */
async function send(
  ctx: DeliveryContext,
  delivery: DeliveryRow,
  now: number,
): Promise<{ status?: number; reason: string; retryAfter?: number }> {
  // Standard Webhooks: one timestamp per attempt, one id per message.
  const signedAt = new Date(now);
  // Space-separated signatures: a shop that knows either secret finds a matching signature.
  const signature = [ctx.target.secret, ctx.target.previousSecret]
    .flatMap((secret) => secret ?? [])
    .map((secret) => new Webhook(secret.reveal()).sign(delivery.id, signedAt, delivery.body))
    .join(' ');
  const controller = new AbortController();
  const cancel = ctx.clock.after(deadlineOf(ctx), () => controller.abort());
  try {
    const response = await ctx.transport(ctx.target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(Math.floor(now / 1000)),
        'webhook-signature': signature,
      },
      body: delivery.body,
      signal: controller.signal,
      redirect: 'manual',
    });
    // The status is enough: the shop may close the connection after it has received the message.
    await discard(response.body).catch(() => undefined);
    const { status } = response;
    return { status, reason: `status ${status}`, retryAfter: retryAfterMs(response, now) };
  } catch {
    return { reason: controller.signal.aborted ? 'timeout' : 'unreachable' };
  } finally {
    cancel();
  }
}

/** Reads and discards a body, so that the connection can be reused. Stops if the body is long. */
async function discard(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > 65_536) return;
  }
}
