import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { launchBrowser, type Browser } from '../e2e/harness.ts';
import { Shopper } from '../e2e/shopper.ts';
import type { Merchant } from './merchant.ts';
import { sendWebhook } from './results.ts';

interface Visit {
  /** Called before the page is loaded. */
  arrive?: (shopper: Shopper) => Promise<void>;
  /** Actions of the shopper before pressing the button. */
  before?: (shopper: Shopper) => Promise<void>;
}

/** Pays an order on a page, until the page shows the payment. The page may log no error and no warning. */
export async function buyOn(
  browser: Browser,
  merchant: Merchant,
  page: string,
  visit: Visit = {},
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  try {
    const shopper = await Shopper.arrive(context, merchant);
    const problems: string[] = [];
    shopper.page.on('pageerror', (error) => problems.push(error.message));
    shopper.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    await visit.arrive?.(shopper);
    await shopper.page.goto(`${merchant.shop}/${page}`);
    await visit.before?.(shopper);
    await shopper.openFinancing();
    await shopper.introduce();
    await shopper.apply();
    await shopper.takeOffer();
    await shopper.page.getByText('Your order is paid.').waitFor();
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

// Runs before the page's module scripts: a framework that renders an element anew drops the mark.
const markParsedElements = `document.addEventListener('readystatechange', () => {
  if (document.readyState !== 'interactive') return;
  for (const element of document.querySelectorAll('financing-checkout, financing-prequalify')) {
    element.parsed = true;
  }
})`;
const parsedElements = `['financing-checkout', 'financing-prequalify'].filter(
  (tag) => document.querySelector(tag)?.parsed === true,
)`;

/**
 * Presses the button without and with consent to the shop's terms, and then pays. The page is rendered by a
 * server, and the elements of its HTML are the ones in use; their properties and handlers are set while the
 * page is hydrated.
 */
export async function buyOnHydrated(browser: Browser, merchant: Merchant): Promise<void> {
  const html = await (await fetch(merchant.shop)).text();
  expect(html).toMatch(/<financing-checkout[^>]* order="[\w-]+\.[\w-]+\.[\w-]+"/);
  await buyOn(browser, merchant, '', {
    arrive: async ({ page }) => {
      await page.addInitScript(markParsedElements);
    },
    before: async ({ page, button, dialog }) => {
      await page.getByRole('button', { name: 'Do I qualify?' }).waitFor();
      await page.getByRole('button', { name: 'Pay in 12 rates' }).waitFor();
      await button.click();
      await page.getByText('Please agree to the terms.').waitFor();
      expect(await dialog.count()).toBe(0);
      await page.getByRole('checkbox', { name: 'I agree to the terms' }).check();
      expect(await page.evaluate(parsedElements)).toEqual([
        'financing-checkout',
        'financing-prequalify',
      ]);
    },
  });
}

/**
 * Pays by redirect in a shop whose router owns the fragment, then navigates in the shop. No address in the
 * page's history may contain the lender's answer.
 */
export async function payByRoute(browser: Browser, merchant: Merchant): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  try {
    const shopper = await Shopper.arrive(context, merchant);
    const { page } = shopper;
    const home = `${merchant.shop}/routes.html`;
    await page.goto(`${home}#/payment`);
    await shopper.button.click();
    await shopper.introduce(page);
    await shopper.apply(page);
    await shopper.takeOffer(0, page);
    await page.getByRole('link', { name: 'Continue to the shop' }).click();
    await page.getByRole('heading', { name: 'Your financing is approved' }).waitFor();
    const addresses = [page.url()];
    await page.getByRole('link', { name: 'Help' }).click();
    await page.getByRole('heading', { name: 'How can we help?' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Pay for your order' }).waitFor();
    addresses.push(page.url());
    expect(addresses).toEqual([`${home}#/payment`, `${home}#/payment`]);
    expect(await page.evaluate('JSON.stringify(history.state)')).not.toContain('financing-');
  } finally {
    await context.close();
  }
}

/** Sends a webhook with a false signature. @returns the status of the answer */
export async function sendForgedWebhook(merchant: Merchant): Promise<number> {
  const answer = await fetch(`${merchant.shop}/webhooks/financing`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': `msg_${randomUUID()}`,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
    body: JSON.stringify({ type: 'checkout.updated', data: { status: 'approved' } }),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** Requests the page of a shop as a proxy does that hands on the host name of the shop. @returns status and body */
export async function pageUnder(host: string, { shop }: Merchant): Promise<string> {
  const asked = request(shop, { headers: { host } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return `${answer.statusCode} ${await text(answer)}`;
}

/**
 * Declines the first checkout of an order and approves the second. Both end with revision 3, because each
 * checkout counts its own revisions.
 * @returns the status of the order in the shop
 */
export async function approveAfterDecline(merchant: Merchant): Promise<string> {
  const made = await fetch(`${merchant.shop}/order`, { method: 'POST' });
  const { merchantOrderId } = (await made.json()) as { merchantOrderId: string };
  const messages = [
    { checkoutId: 'chk_first', revision: 3, status: 'declined' },
    { checkoutId: 'chk_second', revision: 3, status: 'approved' },
  ];
  for (const message of messages) {
    const data = {
      ...message,
      merchantOrderId,
      amount: { value: 94563, currency: 'USD' },
      environment: 'sandbox',
    };
    expect(await sendWebhook(merchant, { type: 'checkout.updated', data })).toBe(204);
  }
  const answer = await fetch(`${merchant.shop}/order/${merchantOrderId}`);
  return ((await answer.json()) as { status: string }).status;
}

export { launchBrowser, type Browser };
