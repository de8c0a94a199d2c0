/** How long the previous state's sums may stay visible, in milliseconds. */
const PATIENCE = 1_000;

/** Shows tax and total next to the checkout form as soon as the state is known. */
export function quoteTax(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('#state');
  if (!select) return;
  let late: ReturnType<typeof setTimeout> | undefined;
  const show = async (): Promise<void> => {
    const state = select.value;
    clearTimeout(late);
    late = setTimeout(forget, PATIENCE);
    const quote = state ? await ask(state).catch(() => undefined) : undefined;
    // Ignores a late answer for a state that is no longer selected.
    if (select.value !== state) return;
    clearTimeout(late);
    // Without an answer, the page shows the sum before tax; the next page includes the tax.
    if (isQuote(quote)) write(quote.tax, 'Total', quote.total);
    else forget();
  };
  select.addEventListener('change', () => void show());
  if (select.value) void show();
}

async function ask(state: string): Promise<unknown> {
  const response = await fetch(`/checkout/quote?${new URLSearchParams({ state }).toString()}`);
  return response.ok ? response.json() : undefined;
}

/** Removes the previous state's sums. */
function forget(): void {
  const total = document.querySelector<HTMLElement>('[data-total]')?.dataset.beforeTax;
  if (total) write('By your address', 'Total before tax', total);
}

function write(tax: string, label: string, total: string): void {
  setText('[data-tax]', tax);
  setText('[data-total]', total);
  setText('[data-total-label]', label);
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
