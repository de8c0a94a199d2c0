// @vitest-environment happy-dom
/* A shop's own tests in happy-dom: the message renders what its companion publishes. */
import { expect, it, vi } from 'vitest';
import './define.ts';

it('renders programmes, follows its properties, and never throws', async () => {
  expect('happyDOM' in window).toBe(true);
  const error = vi.spyOn(console, 'error');
  const programme = {
    id: 'programme-1',
    lender: { name: 'Example Lender' },
    productType: 'Installments',
    currency: 'USD',
    amount: { min: 5_000, max: 500_000 },
    apr: '0',
    payments: { count: 10, period: 'Month', rounding: 'up' },
    texts: [{ id: 'text-1', language: 'en', text: '{payment}', sha256: 'a'.repeat(64) }],
  };
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(Response.json({ programmes: [programme] })),
  );
  document.body.innerHTML = `<financing-message amount="89000" currency="USD"
    companion="https://companion.example"></financing-message>`;
  const element = document.querySelector('financing-message');
  if (!element) throw new Error('There is no element.');
  const text = () => element.shadowRoot?.querySelector('[part=text]')?.textContent;
  await expect.poll(text).toBe('$89.00');
  element.amount = 90_000;
  await element.updateComplete;
  expect(text()).toBe('$90.00');
  element.amount = NaN;
  await element.updateComplete;
  expect(text()).toBeUndefined();
  element.remove();
  document.body.append(element);
  await element.updateComplete;
  expect(error).not.toHaveBeenCalled();
});
