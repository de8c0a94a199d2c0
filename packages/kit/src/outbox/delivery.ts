import { Webhook } from 'standardwebhooks';
import type { Clock } from '../clock/clock.ts';
import type { Secret } from '../secret/secret.ts';
import { failureCode } from './failure-code.ts';
import { clockSkewMs, describeSkew } from './skew.ts';
import { retryAfterMs, type Transport } from './transport.ts';

/** Endpoint that receives the messages of an outbox. */
export interface WebhookTarget {
  url: string;
  /** Standard Webhooks secret, `whsec_…`. */
  secret: Secret;
  /** Additional secret that also signs messages while the secret is being rotated. */
  previousSecret?: Secret | undefined;
  /** Timeout of one attempt in milliseconds. @default 15_000 */
  deadlineMs?: number;
}

/** A due message. */
export interface OutboxMessage {
  id: string;
  /** JSON. */
  body: string;
  /** Number of this attempt. */
  tries: number;
}

/** Result of an attempt. `at`: time of the next one, in milliseconds since 1970. */
export type DeliveryResult =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number; reason: string }
  | { kind: 'dead'; reason: string };

/** Log fields of an attempt. */
export interface DeliveryAttempt {
  outcome: DeliveryResult['kind'];
  /** Status of the response; undefined without a response. */
  status: number | undefined;
  /** Cause of a failure. */
  reason: string | undefined;
  tries: number;
  durationMs: number;
}

/** Messages that are stored together with the change that they report. */
export interface Outbox<Message extends OutboxMessage> {
  target: WebhookTarget;
  transport: Transport;
  clock: Clock;
  /** From 0 (inclusive) to 1 (exclusive). */
  random: () => number;
  /**
   * Claims due messages until `until`. After that, this process counts as crashed and the claim
   * expires.
   */
  claim: (now: number, until: number, limit: number) => Promise<readonly Message[]>;
  finish: (message: Message, result: DeliveryResult, now: number) => Promise<void>;
  onAttempt: (message: Message, attempt: DeliveryAttempt) => void;
}

const DEADLINE_MS = 15_000;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 3_600_000;
/** The delay reaches an hour after eleven attempts; the remaining attempts span three days. */
const MAX_TRIES = 83;
/** Standard Webhooks: the endpoint is gone, and the message must not be retried. */
const GONE = 410;
/** Maximum number of response bytes to read so that the connection can be reused. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Delivers due messages, at least once each. Retries while the receiver is down.
 * @returns the number of messages attempted
 */
export async function deliverDue<Message extends OutboxMessage>(
  outbox: Outbox<Message>,
  limit: number,
): Promise<number> {
  const now = outbox.clock.now();
  const due = await outbox.claim(now, now + 2 * deadlineOf(outbox.target), limit);
  await Promise.all(due.map((message) => deliver(outbox, message)));
  return due.length;
}

async function deliver<Message extends OutboxMessage>(
  outbox: Outbox<Message>,
  message: Message,
): Promise<void> {
  const { clock, random } = outbox;
  const { tries } = message;
  const started = clock.now();
  const { status, reason, retryAfter = 0 } = await sendMessage(outbox, message, started);
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  const now = clock.now();
  // Capped at the maximum delay, even if the receiver asks for a week.
  const requested = Math.min(MAX_DELAY_MS, retryAfter);
  const result: DeliveryResult = isDelivered
    ? { kind: 'delivered' }
    : status === GONE || tries >= MAX_TRIES
      ? { kind: 'dead', reason }
      : { kind: 'retry', at: now + Math.max(retryDelay(tries, random), requested), reason };
  await outbox.finish(message, result, now);
  outbox.onAttempt(message, {
    outcome: result.kind,
    status,
    reason: isDelivered ? undefined : reason,
    tries,
    durationMs: now - started,
  });
}

const deadlineOf = ({ deadlineMs }: WebhookTarget) => deadlineMs ?? DEADLINE_MS;

/**
 * Returns a backoff delay in milliseconds, half fixed and half random, so that a recovered receiver
 * is not flooded.
 */
function retryDelay(tries: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(tries - 1, 20));
  // Stores accept only integers; if the time could not be stored, the message would be retried too
  // often.
  return Math.round(delay / 2 + (random() * delay) / 2);
}

/**
 * Sends a message once.
 * @returns for a response, its status, the requested delay and the clock difference; for a failure,
 *   its code, such as ECONNREFUSED
 */
export async function sendMessage(
  { target, transport, clock }: Pick<Outbox<OutboxMessage>, 'target' | 'transport' | 'clock'>,
  { id, body }: Pick<OutboxMessage, 'id' | 'body'>,
  now: number,
): Promise<{
  status?: number;
  reason: string;
  code?: string | undefined;
  retryAfter?: number | undefined;
  /** See `clockSkewMs`. */
  skewMs?: number | undefined;
}> {
  // Standard Webhooks: the timestamp is the time of the attempt, and the ID is that of the message.
  const signedAt = new Date(now);
  // Space-separated signatures: a receiver that knows either secret finds a matching one.
  const signature = [target.secret, target.previousSecret]
    .flatMap((secret) => secret?.values() ?? [])
    .map((secret) => new Webhook(secret).sign(id, signedAt, body))
    .join(' ');
  const controller = new AbortController();
  const cancel = clock.after(deadlineOf(target), () => controller.abort());
  try {
    const response = await transport(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now / 1_000)),
        'webhook-signature': signature,
      },
      body,
      signal: controller.signal,
      redirect: 'manual',
    });
    const { status } = response;
    // A receiver whose clock differs by more than five minutes refuses every message.
    const skewMs = clockSkewMs(response, now, clock.now());
    // The status decides: a receiver that disconnects after the headers has received the message.
    await discard(response.body).catch(() => undefined);
    return {
      status,
      reason: [`status ${status}`, describeSkew(skewMs)].filter(Boolean).join('; '),
      skewMs,
      retryAfter: retryAfterMs(response.headers.get('retry-after'), now),
    };
  } catch (error) {
    const reason = controller.signal.aborted ? 'timeout' : 'unreachable';
    return { reason, code: failureCode(error) };
  } finally {
    cancel();
  }
}

async function discard(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  if (body === null) return;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) return;
  }
}
