import { randomBytes, randomUUID } from 'node:crypto';
import type { Webhook } from '@financing-checkout/contract/back-office';
import type { Environment } from '@financing-checkout/contract/storefront';
import { Secret, systemClock, type Transport } from '@financing-checkout/kit';
import { failed, type Finding, ok, warning } from '@financing-checkout/kit/cli';
import { sendMessage, type WebhookTarget } from '@financing-checkout/kit/outbox';
import { checkConnection, clockFindings } from './connection.ts';

const SUBJECT = 'webhook';

/** The order number in the messages of `doctor`; no shop has such an order. */
const ORDER = 'financing-companion-doctor';

const ADVICE =
  'Does COMPANION_WEBHOOK_URL lead to the shop’s backend, and to no other program? Has it the same COMPANION_WEBHOOK_SECRET, and the right time?';

/**
 * Sends the shop's backend a signed message about an order that it does not have, and one with a
 * wrong signature. Only a receiver that checks signatures answers the two differently.
 * @param isNew whether no companion has started yet; if so, the shop may not be running either
 */
export async function checkWebhook(
  target: WebhookTarget,
  transport: Transport,
  {
    environment,
    isNew,
    isProxied,
  }: { environment: Environment; isNew: boolean; isProxied: boolean },
): Promise<Finding[]> {
  const now = systemClock.now();
  const send = (from: WebhookTarget) => {
    const body = JSON.stringify(messageOf(environment, now));
    const id = `msg_${randomUUID()}`;
    return sendMessage({ target: from, transport, clock: systemClock }, { id, body }, now);
  };
  const { host, protocol } = new URL(target.url);
  const { status, reason, code, skewMs } = await send(target);
  if (status === undefined && code === 'ECONNREFUSED' && !isProxied) {
    const message = `nothing listens at ${host}`;
    return isNew
      ? [warning(SUBJECT, message, 'Start the shop’s backend, then check again.')]
      : [failed(SUBJECT, message, ADVICE)];
  }
  const connection =
    isProxied || (protocol === 'http:' && status !== undefined)
      ? []
      : await checkConnection(SUBJECT, target.url, { caFile: undefined, now });
  if (status === undefined) {
    const causes = connection.filter((finding) => finding.status === 'failed');
    const message = `${host} does not answer a message (${code ?? reason})`;
    return causes.length > 0 ? causes : [failed(SUBJECT, message, ADVICE)];
  }
  const secret = new Secret(`whsec_${randomBytes(32).toString('base64')}`);
  const { status: unsigned } = await send({ ...target, secret, previousSecret: undefined });
  const clock = clockFindings('the webhook receiver’s', skewMs);
  return [...connection, ...clock, judge(host, status, unsigned)];
}

function judge(host: string, signed: number, unsigned: number | undefined): Finding {
  if (unsigned !== undefined && unsigned < 300) {
    const message = `${host} accepts a message with a wrong signature`;
    return warning(
      SUBJECT,
      message,
      'Anybody could report an order as paid: refuse what webhook.verify of "standardwebhooks" refuses.',
    );
  }
  if (signed === unsigned || [301, 302, 303, 307, 308, 401, 403, 410].includes(signed)) {
    const message = `${host} answers ${signed} to a signed message and ${unsigned ?? 'nothing'} to a wrong signature`;
    return failed(SUBJECT, message, ADVICE);
  }
  if (signed >= 500) {
    const message = `${host} answers ${signed} to a signed message of an unknown order`;
    return warning(SUBJECT, message, 'Look at the log of the shop’s backend.');
  }
  return ok(SUBJECT, `${host} reads signed messages and refuses a wrong signature`);
}

function messageOf(environment: Environment, now: number): Webhook {
  const timestamp = new Date(now).toISOString();
  return {
    type: 'checkout.updated',
    timestamp,
    data: {
      checkoutId: ORDER,
      revision: 1,
      environment,
      merchantOrderId: ORDER,
      status: 'cancelled',
      amount: { value: 1, currency: 'USD' },
      updatedAt: timestamp,
    },
  };
}
