/** Shows tax and total beside the checkout form as soon as the state is known. */
export function quoteTax(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('#state');
  const show = async (): Promise<void> => {
    const state = select?.value;
    if (!state) return;
    const response = await fetch(`/checkout/quote?${new URLSearchParams({ state }).toString()}`);
    if (!response.ok) return;
    const quote: unknown = await response.json();
    // A slower answer for a state that is no longer chosen is not shown.
    if (!isQuote(quote) || select.value !== state) return;
    setText('[data-tax]', quote.tax);
    setText('[data-total]', quote.total);
    setText('[data-total-label]', 'Total');
  };
  // Without an answer the summary stays as it is; the next page has the tax in any case.
  const quiet = () => void show().catch(() => undefined);
  select?.addEventListener('change', quiet);
  quiet();
}

function setText(selector: string, text: string): void {
  const element = document.querySelector(selector);
  if (element) element.textContent = text;
}

function isQuote(value: unknown): value is { tax: string; total: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'tax' in value &&
    'total' in value &&
    typeof value.tax === 'string' &&
    typeof value.total === 'string'
  );
}
