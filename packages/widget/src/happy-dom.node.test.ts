// @vitest-environment happy-dom
/* A shop's own tests in happy-dom: the element renders its button and sends no request. */
import { expect, it, vi } from 'vitest';
import './define.ts';

it('renders the button, follows its properties, and never throws', async () => {
  expect('happyDOM' in window).toBe(true);
  const error = vi.spyOn(console, 'error');
  const request = vi.spyOn(globalThis, 'fetch');
  document.body.innerHTML = `<financing-checkout public-key="pk-test-1" environment="sandbox"
    companion="https://companion.example" order="opaque-reference-1">
    <a slot="other-methods" href="#card">Pay by card</a></financing-checkout>`;
  const element = document.querySelector('financing-checkout');
  if (!element) throw new Error('There is no element.');
  await element.updateComplete;
  const button = () => element.shadowRoot?.querySelector<HTMLButtonElement>('#start');
  expect(button()?.textContent.trim()).toBe('Pay over time');
  element.disabled = true;
  await element.updateComplete;
  expect(button()?.disabled).toBe(true);
  element.locale = 'de';
  await expect.poll(() => button()?.textContent.trim()).toBe('In Raten zahlen');
  expect(element.resume()).toBe(false);
  element.close();
  element.reset();
  document.body.append(element);
  element.remove();
  await vi.dynamicImportSettled();
  expect(request).not.toHaveBeenCalled();
  expect(error).not.toHaveBeenCalled();
});
