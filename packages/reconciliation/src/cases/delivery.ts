import { Webhook } from 'standardwebhooks';
import type { AlertResult, DueAlert } from '../facts/case-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { Clock, Secret } from '@financing-checkout/kit';
import type { Logger } from '../platform/log.ts';
import { retryAfterMs, type Transport } from '../platform/transport.ts';

/** Where finance receives alerts. */
export interface AlertTarget {
  url: string;
  /** Standard Webhooks secret, `whsec_…`. */
  secret: Secret;
  /** The other secret during a rotation: messages are signed with both. */
  previousSecret?: Secret | undefined;
  /** Timeout for a response, in milliseconds. @default 15_000 */
  deadlineMs?: number;
}

export interface DeliveryContext {
  facts: Pick<FactStore, 'claimAlerts' | 'finishAlert'>;
  /** The lease of this process. */
  fence: Fence;
  target: AlertTarget;
  transport: Transport;
  clock: Clock;
  logger: Logger;
  /** From 0 (included) to 1 (excluded). */
  random: () => number;
}

const DEADLINE_MS = 15_000;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 3_600_000;
/** The delay reaches an hour after eleven attempts; the remaining attempts cover three days. */
const MAX_TRIES = 83;
/** Standard Webhooks: the endpoint is gone and automatic delivery stops. */
const GONE = 410;
/** Maximum number of response bytes to read so that the connection can be reused. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Delivers due alerts, each at least once. Alerts for an unavailable receiver are retried later.
 * @returns the number of attempts @throws {LeaseLostError}
 */
export async function deliverAlerts(ctx: DeliveryContext, limit: number): Promise<number> {
  const now = ctx.clock.now();
  // Claims the alerts for two deadlines, after which this process is presumed dead.
  const until = now + 2 * deadlineOf(ctx);
  const due = await ctx.facts.claimAlerts(ctx.fence, now, until, limit);
  await Promise.all(due.map((alert) => deliver(ctx, alert)));
  return due.length;
}

async function deliver(ctx: DeliveryContext, alert: DueAlert): Promise<void> {
  const started = ctx.clock.now();
  const { status, reason, retryAfter = 0 } = await send(ctx, alert, started);
  const delivered = status !== undefined && status >= 200 && status < 300;
  const now = ctx.clock.now();
  // Caps the delay: a receiver that asks for a week is still retried in between.
  const wished = Math.min(MAX_DELAY_MS, retryAfter);
  const result: AlertResult = delivered
    ? { kind: 'delivered' }
    : status === GONE || alert.tries >= MAX_TRIES
      ? { kind: 'dead', reason }
      : { kind: 'retry', at: now + Math.max(retryDelay(alert.tries, ctx.random), wished), reason };
  await ctx.facts.finishAlert(ctx.fence, alert, result, now);
  ctx.logger.log(delivered ? 'info' : 'warn', 'alert-delivery', {
    deliveryId: alert.id,
    caseId: alert.caseId === '' ? undefined : alert.caseId,
    outcome: result.kind,
    status,
    reason: delivered ? undefined : reason,
    tries: alert.tries,
    durationMs: now - started,
  });
}

const deadlineOf = ({ target }: DeliveryContext) => target.deadlineMs ?? DEADLINE_MS;

/**
 * Returns a backoff delay in milliseconds, half fixed and half random, so that a recovering
 * receiver does not get all messages at once.
 */
function retryDelay(tries: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(tries - 1, 20));
  // The record store holds integers only.
  return Math.round(delay / 2 + (random() * delay) / 2);
}

/** Result of an attempt. */
interface Answer {
  /** Undefined: no response. */
  status?: number;
  /** Reason of a failed attempt. */
  reason: string;
  /** Requested delay before the next attempt, in milliseconds. */
  retryAfter?: number | undefined;
}

async function send(ctx: DeliveryContext, alert: DueAlert, now: number): Promise<Answer> {
  // Standard Webhooks: the timestamp is that of the attempt, the id that of the message.
  const signedAt = new Date(now);
  // Spaces separate several signatures: a receiver that knows either secret finds a valid one.
  const signature = [ctx.target.secret, ctx.target.previousSecret]
    .flatMap((secret) => secret ?? [])
    .map((secret) => new Webhook(secret.reveal()).sign(alert.id, signedAt, alert.body))
    .join(' ');
  const controller = new AbortController();
  const cancel = ctx.clock.after(deadlineOf(ctx), () => controller.abort());
  try {
    const response = await ctx.transport(ctx.target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': alert.id,
        'webhook-timestamp': String(Math.floor(now / 1_000)),
        'webhook-signature': signature,
      },
      body: alert.body,
      signal: controller.signal,
      redirect: 'manual',
    });
    // The status decides: a receiver that disconnects after the headers has received the message.
    await discard(response.body).catch(() => undefined);
    const { status } = response;
    return { status, reason: `status ${status}`, retryAfter: retryAfterMs(response, now) };
  } catch {
    return { reason: controller.signal.aborted ? 'timeout' : 'unreachable' };
  } finally {
    cancel();
  }
}

async function discard(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > MAX_ANSWER_BYTES) return;
  }
}
