// @vitest-environment jsdom
/* A shop's own tests in jsdom, which has no layout: the element exists and does nothing. */
import { expect, it, vi } from 'vitest';
import './define.ts';

it('stays inert, keeps the shop’s content, and never throws', async () => {
  expect(navigator.userAgent).toContain('jsdom');
  const error = vi.spyOn(console, 'error');
  document.body.innerHTML = `<financing-prequalify public-key="pk-test-1" environment="sandbox"
    companion="https://companion.example" currency="USD" locale="de"><a href="#card">Terms</a></financing-prequalify>`;
  const element = document.querySelector('financing-prequalify');
  if (!element) throw new Error('There is no element.');
  expect(await element.updateComplete).toBe(true);
  element.amount = '129900';
  element.disabled = true;
  await element.updateComplete;
  element.start();
  element.close();
  element.reset();
  element.remove();
  document.body.append(element);
  await element.updateComplete;
  expect(element.textContent.trim()).toBe('Terms');
  expect(element.shadowRoot?.querySelector('button')).toBeNull();
  expect(error).not.toHaveBeenCalled();
});
