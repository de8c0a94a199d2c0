import { webhookSchema } from '@financing-checkout/contract/back-office';
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
 * `POST /webhooks/financing`: receives checkout updates from the companion (Standard Webhooks).
 *
 * A 2xx means that the shop has stored the message. After any other answer, the companion resends
 * it, so that a message that the shop cannot accept stays visible on both sides.
 */
export function webhookRoutes({ secret, settlement, log }: WebhookOptions): Hono {
  const webhook = new Webhook(secret);
  const routes = new Hono();

  routes.post('/financing', bodyLimit({ maxSize: 64 * 1024 }), async (c) => {
    const payload = await c.req.text();
    let message: unknown;
    try {
      // The signature covers id, timestamp and the received bytes. The timestamp may differ by five
      // minutes.
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
