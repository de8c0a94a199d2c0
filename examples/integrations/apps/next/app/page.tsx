// A server component, which signs the order. The secret stays on the server.
import { FinancingPrequalify } from '@financing-checkout/widget/react';
import { connection } from 'next/server';
import { createPayment } from '../orders';
import { PaymentForm } from './payment-form';

export default async function Page() {
  await connection();
  const payment = await createPayment();
  return (
    <>
      <h1>Pay for your order</h1>
      <PaymentForm payment={payment} />
      {/* Without handlers, an element needs no client component. */}
      <FinancingPrequalify
        publicKey={payment.publicKey}
        environment={payment.environment}
        companion={payment.companion}
        currency="USD"
        texts={{ label: 'Do I qualify?' }}
      />
    </>
  );
}
