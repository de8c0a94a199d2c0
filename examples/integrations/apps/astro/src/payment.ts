import '@financing-checkout/widget/define';
import '@financing-checkout/widget/prequalify/define';

// The tags are registered already, but no click is handled before this module ends, so the handlers
// are attached in time.
const checkout = document.querySelector('financing-checkout');
const prequalify = document.querySelector('financing-prequalify');
const terms = document.querySelector<HTMLInputElement>('#terms');
const status = document.querySelector('[role=status]');
if (!checkout || !prequalify || !terms || !status)
  throw new Error('An element is not in the page.');

checkout.texts = { label: 'Pay in 12 rates' };
prequalify.texts = { label: 'Do I qualify?' };

checkout.addEventListener('financing-start', (event) => {
  if (!terms.checked) event.preventDefault();
  status.textContent = terms.checked ? '' : 'Please agree to the terms.';
});

// The event only informs the shopper. The backend must learn of the payment from its webhook.
checkout.addEventListener('financing-outcome', async ({ outcome }) => {
  if (outcome !== 'approved') return;
  const isPaid = async () => {
    const answer = await fetch(`/orders/${checkout.dataset['order']}`);
    return ((await answer.json()) as { status: string }).status === 'paid';
  };
  while (!(await isPaid())) await new Promise((resolve) => setTimeout(resolve, 500));
  status.textContent = 'Your order is paid.';
});
