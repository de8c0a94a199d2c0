// @vitest-environment jsdom
/* A shop's own tests in jsdom, which has no layout: the message exists and does nothing. */
import { expect, it, vi } from 'vitest';
import './define.ts';

it('stays inert, sends no request, and never throws', async () => {
  expect(navigator.userAgent).toContain('jsdom');
  const error = vi.spyOn(console, 'error');
  const request = vi.spyOn(globalThis, 'fetch');
  document.body.innerHTML = `<financing-message amount="89000" currency="USD"
    companion="https://companion.example" locale="de"></financing-message>`;
  const element = document.querySelector('financing-message');
  if (!element) throw new Error('There is no element.');
  await element.updateComplete;
  element.amount = NaN;
  element.source = 'service';
  await element.updateComplete;
  await element.open();
  element.close();
  element.remove();
  const copy = element.cloneNode(true) as typeof element;
  document.body.append(copy);
  await copy.updateComplete;
  expect(element.shadowRoot?.querySelector('p')).toBeNull();
  expect(request).not.toHaveBeenCalled();
  expect(error).not.toHaveBeenCalled();
});
