import { isPaid, type PaymentRecord } from '@financing-checkout/server/ticket';
import { Webhook } from 'standardwebhooks';
import { environment, orders, setting } from '../../../orders';

interface Result extends PaymentRecord {
  checkoutId: string;
  revision: number;
}

// The signature covers the received bytes, so the body must not be parsed before it is verified.
export async function POST(request: Request) {
  const webhook = new Webhook(setting('COMPANION_WEBHOOK_SECRET'));
  let data: Result;
  try {
    const headers = Object.fromEntries(request.headers);
    ({ data } = webhook.verify(await request.text(), headers) as { data: Result });
  } catch {
    return Response.json(
      { error: 'The signature or the timestamp is not valid.' },
      { status: 401 },
    );
  }
  const stored = orders.get(data.merchantOrderId);
  if (!stored) return Response.json({ error: 'There is no such order.' }, { status: 404 });
  // Messages arrive at least once and in any order. Each checkout counts its own revisions.
  if (data.revision > (stored.seen.get(data.checkoutId) ?? 0)) {
    stored.seen.set(data.checkoutId, data.revision);
    if (isPaid(data, { ...stored.order, environment })) stored.status = 'paid';
  }
  return new Response(null, { status: 204 });
}
