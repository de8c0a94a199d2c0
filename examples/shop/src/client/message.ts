import type { FinancingMessage } from '@financing-checkout/widget/message';

/**
 * Keeps the financing message of a product, and the application in the header, at the price of the chosen
 * quantity.
 */
export function followQuantity(form: HTMLFormElement): void {
  const select = form.querySelector('select');
  const message = document.querySelector<FinancingMessage>('.product financing-message');
  if (!select || !message) return;
  const show = () => {
    const amount = select.selectedOptions[0]?.dataset.amount;
    if (!amount) return;
    message.setAttribute('amount', amount);
    document.querySelector('financing-prequalify')?.setAttribute('amount', amount);
  };
  select.addEventListener('change', show);
  // The browser restores the choice when the shopper comes back.
  show();
}
