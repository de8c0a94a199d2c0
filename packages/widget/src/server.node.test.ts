/*
 * Server-side rendering with Lit's own renderer: the server renders none of the element, the shop's
 * content stays, and the browser upgrades the element.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { html } from 'lit';
import { expect, it } from 'vitest';
import { launchChromium } from './chromium.fixture.ts';
import './define.ts';
import { openStorefront } from './storefront.fixture.ts';

const shim = `await import('@lit-labs/ssr/lib/install-global-dom-shim.js');`;
const connected = `const { LitElementRenderer } = await import('@lit-labs/ssr');
  LitElementRenderer.renderOptions.push(() => ({ connectedCallback: true }));`;

it.each([
  ['alone', ''],
  ['with its shim of the DOM', shim],
  ['with its shim of the DOM, connected', shim + connected],
])('@lit-labs/ssr renders the element %s, and the process continues', async (_, before) => {
  const script = `${before}
    const { render } = await import('@lit-labs/ssr');
    const { collectResult } = await import('@lit-labs/ssr/lib/render-result.js');
    const { html } = await import('lit');
    await import('./src/define.ts');
    const page = html\`<financing-checkout locale="de" order="x" debug disabled>
      <form>Without script</form></financing-checkout>\`;
    console.log(await collectResult(render(page)));
    process.once('beforeExit', () => console.log('It goes on.'));`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('<slot></slot>');
  expect(stdout).not.toContain('<button');
  expect(stdout).toContain('<form>Without script</form>');
  expect(stdout.trim()).toMatch(/It goes on\.$/);
});

it('Chromium upgrades the element on a server-rendered page, and completes a checkout', async () => {
  const shop = await openStorefront('', '', {
    element: (companion) =>
      collectResult(
        render(
          html`<financing-checkout
            public-key="pk-test-1"
            environment="sandbox"
            companion=${companion}
            order="opaque-reference-1"
            ><p slot="other-methods"><a href="#card">Pay by card instead</a></p></financing-checkout
          >`,
        ),
      ),
  });
  const browser = await launchChromium();
  try {
    const response = await fetch(shop.url);
    expect(await response.text()).toContain('shadowrootmode="open"');
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    // Before the element is defined the page shows the shop's own ways to pay.
    await page.route('**/financing-checkout.js', (route) => route.abort());
    await page.goto(shop.url);
    expect(await page.getByRole('link', { name: 'Pay by card instead' }).isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.unroute('**/financing-checkout.js');
    complaints.length = 0;
    await page.goto(shop.url);
    await page.getByRole('button', { name: 'Pay over time' }).click();
    await page.getByRole('dialog').waitFor();
    await page
      .frameLocator('financing-checkout iframe')
      .getByRole('button', { name: 'Confirm an offer' })
      .click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    const drawn = await page
      .locator('financing-checkout')
      .evaluate(({ shadowRoot }) => shadowRoot?.querySelectorAll('#start, dialog, h3').length);
    expect(drawn).toBe(3);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
    shop.close();
  }
});
