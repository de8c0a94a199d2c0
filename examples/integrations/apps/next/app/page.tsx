// A server component: it signs the order, and the secret stays on the server.
import { signOrderTicket } from '@financing-checkout/server/ticket';
import { FinancingPrequalify } from '@financing-checkout/widget/react';
import { connection } from 'next/server';
import { createOrder, environment, setting } from '../orders';
import { Payment } from './payment';

export default async function Page() {
  await connection();
  const order = createOrder();
  const ticket = await signOrderTicket(order, {
    secret: setting('ORDER_TICKET_SECRET'),
    environment,
  });
  const element = {
    publicKey: setting('FINANCING_PUBLIC_API_KEY'),
    environment,
    companion: setting('COMPANION_URL'),
  } as const;
  return (
    <>
      <h1>Pay for your order</h1>
      <Payment {...element} merchantOrderId={order.merchantOrderId} ticket={ticket} />
      {/* Without handlers, an element needs no client component. */}
      <FinancingPrequalify {...element} currency="USD" texts={{ label: 'Do I qualify?' }} />
    </>
  );
}
