// @vitest-environment jsdom
/* A shop's own tests in jsdom, which has no layout: the element exists and does nothing. */
import { expect, it, vi } from 'vitest';
import './define.ts';

it('stays inert, keeps the shop’s content, and never throws', async () => {
  expect(navigator.userAgent).toContain('jsdom');
  const error = vi.spyOn(console, 'error');
  document.body.innerHTML = `<financing-checkout public-key="pk-test-1" environment="sandbox"
    companion="https://companion.example" order="opaque-reference-1" locale="de" debug>
    <a slot="other-methods" href="#card">Pay by card</a></financing-checkout>`;
  const element = document.querySelector('financing-checkout');
  if (!element) throw new Error('There is no element.');
  expect(await element.updateComplete).toBe(true);
  element.order = 'opaque-reference-2';
  element.locale = 'fr';
  element.disabled = true;
  await element.updateComplete;
  element.start();
  expect(element.resume()).toBe(false);
  element.close();
  element.reset();
  await element.updateComplete;
  window.dispatchEvent(new Event('online'));
  document.body.append(element);
  element.remove();
  document.body.append(element.cloneNode(true));
  await vi.dynamicImportSettled();
  expect(element.textContent.trim()).toBe('Pay by card');
  expect(element.shadowRoot?.querySelector('slot[name=other-methods]')).not.toBeNull();
  expect(element.shadowRoot?.querySelector('button')).toBeNull();
  expect(error).not.toHaveBeenCalled();
});
