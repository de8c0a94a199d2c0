import { FinancingCheckout } from '@financing-checkout/widget/react';
import { useEffect, useState } from 'react';

interface Order {
  merchantOrderId: string;
  ticket: string;
  publicKey: string;
  environment: 'uat' | 'sandbox' | 'production';
  companion: string;
}

export default function Payment() {
  const [order, setOrder] = useState<Order>();
  const [approved, setApproved] = useState(false);
  const [paid, setPaid] = useState(false);

  useEffect(() => {
    const leave = new AbortController();
    fetch('/order', { method: 'POST', signal: leave.signal })
      .then((answer) => answer.json() as Promise<Order>)
      .then(setOrder, () => undefined);
    return () => leave.abort();
  }, []);

  // This event only informs the shopper. The backend must learn of the payment from its webhook.
  useEffect(() => {
    if (!order || !approved) return;
    const timer = setInterval(async () => {
      const answer = await fetch(`/order/${order.merchantOrderId}`);
      const { status } = (await answer.json()) as { status: string };
      if (status !== 'paid') return;
      clearInterval(timer);
      setPaid(true);
    }, 500);
    return () => clearInterval(timer);
  }, [order, approved]);

  if (!order) return <p>One moment…</p>;
  return (
    <>
      <h1>Pay for your order</h1>
      <FinancingCheckout
        publicKey={order.publicKey}
        environment={order.environment}
        companion={order.companion}
        order={order.ticket}
        onFinancingOutcome={({ outcome }) => {
          if (outcome === 'approved') setApproved(true);
        }}
      >
        <a slot="other-methods" href="#card">
          Pay by card
        </a>
      </FinancingCheckout>
      <p role="status">{paid && 'Your order is paid.'}</p>
    </>
  );
}
