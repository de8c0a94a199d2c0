import { FinancingCheckout, FinancingPrequalify } from '@financing-checkout/widget/react';
import { useEffect, useState } from 'react';
import { createPayment } from '../../orders';
import type { Route } from './+types/payment';

// Runs only on the server, signs the order there, and keeps the secret there.
export function loader() {
  return createPayment();
}

export default function PaymentPage({ loaderData: payment }: Route.ComponentProps) {
  const { merchantOrderId } = payment;
  const [agreed, setAgreed] = useState(false);
  const [message, setMessage] = useState('');
  const [approved, setApproved] = useState(false);

  // The event only informs the shopper. The backend must learn of the payment from its webhook.
  useEffect(() => {
    if (!approved) return;
    const timer = setInterval(async () => {
      const answer = await fetch(`/orders/${merchantOrderId}`);
      const { status } = (await answer.json()) as { status: string };
      if (status !== 'paid') return;
      clearInterval(timer);
      setMessage('Your order is paid.');
    }, 500);
    return () => clearInterval(timer);
  }, [merchantOrderId, approved]);

  return (
    <>
      <h1>Pay for your order</h1>
      <label>
        <input
          type="checkbox"
          checked={agreed}
          onChange={(event) => setAgreed(event.currentTarget.checked)}
        />
        I agree to the terms of the shop
      </label>
      <FinancingCheckout
        publicKey={payment.publicKey}
        environment={payment.environment}
        companion={payment.companion}
        order={payment.ticket}
        texts={{ label: 'Pay in 12 rates' }}
        onFinancingStart={(event) => {
          if (!agreed) event.preventDefault();
          setMessage(agreed ? '' : 'Please agree to the terms.');
        }}
        onFinancingOutcome={({ outcome }) => setApproved(outcome === 'approved')}
      >
        <a slot="other-methods" href="#card">
          Pay by card
        </a>
      </FinancingCheckout>
      <p role="status">{message}</p>
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
