import type { Environment } from '@financing-checkout/contract';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../platform/clock.ts';
import type { Secret } from '../keys/secret.ts';
import type { Logger } from '../platform/logger.ts';
import { retryAfterMs } from '../service/answer.ts';
import type { Transport } from '../service/transport.ts';
import type { DeliveryResult, DeliveryRow, Store } from '../store/store.ts';

/** Where the merchant's backend hears of results. */
export interface WebhookTarget {
  url: string;
  /** Standard Webhooks secret, `whsec_…`. */
  secret: Secret;
  /** While the secret is changed: messages are signed with this one, too. */
  previousSecret?: Secret | undefined;
  /** Milliseconds it has to answer. @default 15_000 */
  deadlineMs?: number;
}

export interface DeliveryContext {
  /** Of whose checkouts it tells: each environment has a target of its own. */
  environment: Environment;
  store: Store;
  target: WebhookTarget;
  transport: Transport;
  clock: Clock;
  logger: Logger;
  random: () => number;
}

const DEADLINE_MS = 15_000;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 3_600_000;
/** Eleven tries reach an hour between two; the rest makes three days. */
const MAX_TRIES = 83;
/** Standard Webhooks: nobody is there any more, and nothing is to be sent again by itself. */
const GONE = 410;

/**
 * Delivers what is due, a few at a time, each at least once. A shop that is down gets it later.
 * @returns how many were tried
 */
export async function deliverDue(ctx: DeliveryContext, limit: number): Promise<number> {
  const now = ctx.clock.now();
  // For two deadlines they are this companion's; then it is presumed dead.
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
  // No longer than the longest of ours: a shop that asks for a week is asked in between.
  const wished = Math.min(MAX_DELAY_MS, retryAfter);
  const result: DeliveryResult = delivered
    ? { kind: 'delivered' }
    : status === GONE || delivery.tries >= MAX_TRIES
      ? { kind: 'dead', reason }
      : {
          kind: 'retry',
          at: now + Math.max(retryDelay(delivery.tries, ctx.random), wished),
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

/** Milliseconds, half fixed, half random: shops that come back are not met by everything at once. */
function retryDelay(tries: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(tries - 1, 20));
  // Whole milliseconds: PostgreSQL holds no others, and a retry that cannot be kept comes too often.
  return Math.round(delay / 2 + (random() * delay) / 2);
}

/** What came of a try. */
interface Answer {
  /** Undefined: there was no answer. */
  status?: number;
  /** Why it is no delivery, where it is none. */
  reason: string;
  /** Milliseconds the shop asks to be left alone for. */
  retryAfter?: number | undefined;
}

/** Sends a message once. */
async function send(ctx: DeliveryContext, delivery: DeliveryRow, now: number): Promise<Answer> {
  // Standard Webhooks: the timestamp is that of the attempt, the id that of the message.
  const signedAt = new Date(now);
  // Several signatures are separated by spaces: a shop that knows either secret finds its own.
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
    // The head says it all: a shop that breaks off behind it has the message.
    await discard(response.body).catch(() => undefined);
    const { status } = response;
    return { status, reason: `status ${status}`, retryAfter: retryAfterMs(response, now) };
  } catch {
    return { reason: controller.signal.aborted ? 'timeout' : 'unreachable' };
  } finally {
    cancel();
  }
}

/** Reads an answer's body away, so its connection can be used again; a long one is cut off. */
async function discard(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > 65_536) return;
  }
}
