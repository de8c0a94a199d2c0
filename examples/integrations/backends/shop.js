// The merchant's backend with Express: signs the order, serves the page and receives the result.
//   npm install express standardwebhooks ./financing-checkout-{ticket,widget}-0.3.0.tgz   # of `npm run release`
import { randomUUID } from 'node:crypto';
import { isPaid, signOrderTicket } from '@financing-checkout/ticket';
import express from 'express';
import { Webhook } from 'standardwebhooks';

const { env } = process;
const environment = env.FINANCING_ENVIRONMENT;
const orders = new Map();
const webhook = new Webhook(env.COMPANION_WEBHOOK_SECRET);
const app = express();

// The shop sets the prices and signs them, so the browser cannot change them.
app.post('/order', async (request, response) => {
  const order = {
    merchantOrderId: `A-${randomUUID()}`,
    currency: 'USD',
    items: [{ name: 'Lounge chair', sku: 'LC-1', price: 89000, quantity: 1 }],
    taxAmount: 5563,
    shippingAmount: 0,
    totalAmount: 94563,
  };
  orders.set(order.merchantOrderId, { ...order, status: 'open', seen: new Map() });
  response.json({
    merchantOrderId: order.merchantOrderId,
    ticket: await signOrderTicket(order, { secret: env.ORDER_TICKET_SECRET, environment }),
    publicKey: env.FINANCING_PUBLIC_API_KEY,
    environment,
    companion: env.COMPANION_URL,
  });
});

app.get('/order/:id', (request, response) => {
  const order = orders.get(request.params.id);
  if (order) response.json({ status: order.status });
  else response.status(404).json({ error: 'There is no such order.' });
});

// The signature covers the received bytes, so the body must not be parsed before it is verified.
app.post('/webhooks/financing', express.raw({ type: 'application/json' }), (request, response) => {
  let data;
  try {
    ({ data } = webhook.verify(request.body, request.headers));
  } catch {
    response.status(401).json({ error: 'The signature or the timestamp is not valid.' });
    return;
  }
  const order = orders.get(data.merchantOrderId);
  if (!order) {
    response.status(404).json({ error: 'There is no such order.' });
    return;
  }
  // Messages arrive at least once and in any order, so an older message changes nothing. Each of an
  // order's checkouts counts its own revisions; after a decline, the shopper may start another
  // checkout.
  if (data.revision > (order.seen.get(data.checkoutId) ?? 0)) {
    order.seen.set(data.checkoutId, data.revision);
    // The order, its total, its currency, the environment and the charge must all agree.
    if (isPaid(data, { ...order, environment })) order.status = 'paid';
  }
  response.status(204).end();
});

app.use(express.static(env.PAGES));

app.listen(Number(env.PORT), 'localhost', () => {
  console.log(`The shop is at http://localhost:${env.PORT}`);
});
