import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { createPayment, receiveResult, statusOf, type Payment } from './orders.ts';

const page = (payment: Payment) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>Pay for your order</title>
        <script src="/htmx/htmx.min.js"></script>
        <script>
          // htmx attaches the handlers first, so that no click precedes them.
          document.addEventListener('DOMContentLoaded', () => {
            import('/financing/financing-checkout.js');
            import('/financing/prequalify/financing-prequalify.js');
          });
        </script>
      </head>
      <body>
        <h1>Pay for your order</h1>
        <label><input type="checkbox" id="terms" /> I agree to the terms of the shop</label>
        <financing-checkout
          public-key="${payment.publicKey}"
          environment="${payment.environment}"
          companion="${payment.companion}"
          order="${payment.ticket}"
          hx-on:financing-start="
          const agreed = document.querySelector('#terms').checked;
          if (!agreed) event.preventDefault();
          document.querySelector('#notice').textContent = agreed ? '' : 'Please agree to the terms.'"
        >
          <span slot="label">Pay in 12 rates</span>
          <a slot="other-methods" href="#card">Pay by card</a>
        </financing-checkout>
        ${notice(
          payment.merchantOrderId,
          "financing-outcome[outcome === 'approved'] from:financing-checkout",
        )}
        <financing-prequalify
          public-key="${payment.publicKey}"
          environment="${payment.environment}"
          companion="${payment.companion}"
          currency="USD"
        >
          <span slot="label">Do I qualify?</span>
        </financing-prequalify>
      </body>
    </html>`;

// The event only informs the shopper. The backend must learn of the payment from its webhook.
const notice = (merchantOrderId: string, trigger: string) =>
  html`<p
    id="notice"
    role="status"
    hx-get="/orders/${merchantOrderId}/notice"
    hx-trigger="${trigger}"
    hx-swap="outerHTML"
  ></p>`;

const app = new Hono();
app.get('/', async (context) => context.html(page(await createPayment())));
app.get('/orders/:id/notice', (context) => {
  const id = context.req.param('id');
  const isPaid = statusOf(id) === 'paid';
  return context.html(
    isPaid ? html`<p role="status">Your order is paid.</p>` : notice(id, 'load delay:500ms'),
  );
});
app.post('/webhooks/financing', (context) => receiveResult(context.req.raw));

const served = (path: string, folder: string) =>
  app.use(
    `${path}/*`,
    serveStatic({ root: folder, rewriteRequestPath: (file) => file.slice(path.length) }),
  );
served('/htmx', 'node_modules/htmx.org/dist');
served('/financing', 'node_modules/@financing-checkout/widget/cdn');

serve({ fetch: app.fetch, port: Number(process.env['PORT']), hostname: 'localhost' });
