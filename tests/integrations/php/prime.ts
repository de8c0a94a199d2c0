import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Merchant } from '../merchant.ts';

/**
 * Has PHP sign an order of 200 lines in another script than Latin, and begins a checkout with it at the
 * companion, which opens a session at the sandbox.
 * @param folder that of examples/integrations, or a copy of it
 */
export async function primeFromPhp(
  folder: string,
  { companion, publicKey, shop, ticketSecret }: Merchant,
): Promise<{ status: number; answer: unknown; length: number }> {
  const items = Array.from({ length: 200 }, (_, index) => ({
    name: `Стул дубовый с обивкой, цвет «песок», ${index + 1} / 200`,
    sku: `СТУЛ-${index + 1}`,
    price: 12_900,
    quantity: 1,
  }));
  const order = {
    merchantOrderId: `PHP-${randomUUID()}`,
    currency: 'USD',
    items,
    taxAmount: 0,
    shippingAmount: 0,
    totalAmount: 200 * 12_900,
  };
  const { status, stdout, stderr } = spawnSync(
    'php',
    [join(folder, 'backends/sign_order_ticket.php')],
    {
      encoding: 'utf8',
      input: JSON.stringify(order),
      env: {
        ...process.env,
        ORDER_TICKET_SECRET: ticketSecret,
        FINANCING_ENVIRONMENT: 'sandbox',
      },
    },
  );
  if (status !== 0) throw new Error(`php failed: ${stderr}`);
  const response = await fetch(`${companion}/checkout/prime`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${publicKey}`,
      'content-type': 'application/json',
      'financing-checkout-version': '1',
      'idempotency-key': randomUUID(),
      origin: shop,
    },
    body: JSON.stringify({ order: stdout, environment: 'sandbox' }),
  });
  return { status: response.status, answer: await response.json(), length: stdout.length };
}
