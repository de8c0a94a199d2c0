import { webhookSchema } from '@financing-checkout/contract';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Webhook } from 'standardwebhooks';
import type { Log } from '../log.ts';
import type { SettlementDesk } from './settlement.ts';

export interface WebhookOptions {
  /** `whsec_…`, shared with the companion. */
  secret: string;
  settlement: SettlementDesk;
  log: Log;
}

/**
 * `POST /webhooks/financing`: the companion tells of a checkout (Standard Webhooks).
 *
 * A 2xx says it is taken care of. Anything else makes the companion send it again later, so that a
 * message which the shop cannot accept today stays visible on both sides.
 */
export function webhookRoutes({ secret, settlement, log }: WebhookOptions): Hono {
  const webhook = new Webhook(secret);
  const routes = new Hono();

  routes.post('/financing', bodyLimit({ maxSize: 64 * 1024 }), async (c) => {
    const payload = await c.req.text();
    let message: unknown;
    try {
      // Signature over id, timestamp and the bytes as they came; five minutes of tolerance.
      message = webhook.verify(payload, {
        'webhook-id': c.req.header('webhook-id') ?? '',
        'webhook-timestamp': c.req.header('webhook-timestamp') ?? '',
        'webhook-signature': c.req.header('webhook-signature') ?? '',
      });
    } catch {
      log('warn', 'webhook refused', { reason: 'signature' });
      return c.json({ error: 'The signature or the timestamp is not valid.' }, 401);
    }
    const result = webhookSchema.safeParse(message);
    if (!result.success) {
      log('warn', 'webhook refused', { reason: 'content' });
      return c.json({ error: 'The message is not one this shop knows.' }, 400);
    }
    switch (settlement.apply(result.data.data)) {
      case 'applied':
      case 'already-known':
        return c.body(null, 204);
      case 'order-unknown':
        return c.json({ error: 'There is no such order.' }, 404);
      case 'refused':
        return c.json({ error: 'The message does not agree with the order.' }, 422);
    }
  });
  return routes;
}
