import { describe, expect, test } from 'vitest';
import { askControl, calls, forgetCalls, moveClock } from './harness.ts';
import { browser, context, useShopper, shopper, stack } from './running.ts';
import { signTicket } from './ticket.ts';

useShopper();

/** Requests that change something at the service; the companion's polling only reads. */
const requests = async () => (await calls(stack)).filter(({ method }) => method !== 'GET');
const primes = async () => (await calls(stack)).filter(({ path }) => path === '/v1/checkout/prime');

async function financedOrder(): Promise<string> {
  await shopper.shopForPayment();
  const order = await shopper.orderNumber();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();
  return order;
}

/** Returns the fundings report of the companion's back office. */
async function fundings(query = ''): Promise<{ records: Record<string, unknown>[] }> {
  const answer = await fetch(`${stack.backOffice}/fundings/report${query}`, {
    headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { records: Record<string, unknown>[] };
}

describe('a shopper pays an order with financing', () => {
  test('the lender funds a financed order, and the report says RECONCILED', async () => {
    const order = await financedOrder();
    expect((await fundings()).records.filter((r) => r.merchantOrderId === order)).toEqual([]);

    await moveClock(stack, '3d');

    const funded = (await fundings()).records.filter((r) => r.merchantOrderId === order);
    expect(funded).toHaveLength(1);
    expect(funded[0]).toMatchObject({ status: 'RECONCILED', transactionType: 'Settle' });

    const admin = await browser.newContext({
      httpCredentials: { username: 'admin', password: stack.secrets.shopAdminToken },
    });
    const page = await admin.newPage();
    await page.goto(`${stack.shop}/admin`);
    const row = page.getByRole('row').filter({ hasText: order });
    await expect.poll(() => row.first().innerText()).toContain('RECONCILED');
    await admin.close();
  });

  test('a decline leaves another way to pay', async () => {
    await shopper.goToPayment({ lastName: 'Decline' });
    await shopper.openFinancing();
    await shopper.apply();
    await expect.poll(() => shopper.outcome.innerText()).toContain('No offer this time');
    await shopper.page.getByRole('button', { name: /by transfer/ }).click();
    await shopper.page.getByRole('heading', { name: /Please send us/ }).waitFor();
  });

  for (const way of ['Escape', 'the close button'] as const) {
    test(`cancelled by ${way}: nothing is charged, the focus is back, and it can start again`, async () => {
      await shopper.goToPayment();
      await shopper.openFinancing();
      if (way === 'Escape') shopper.pressEscape();
      else await shopper.dialog.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => shopper.outcome.innerText()).toContain('You left the application');
      expect(await shopper.dialog.count()).toBe(0);
      expect(await shopper.element.evaluate((el) => el.shadowRoot?.activeElement?.id)).toBe(
        'start',
      );
      await shopper.openFinancing();
    });
  }

  test('a page in a popup cannot navigate the shop’s page without consent', async () => {
    await shopper.goToPayment();
    await shopper.page.goto(`${shopper.page.url()}?presentation=popup`);
    const asked: string[] = [];
    shopper.page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    const opened = shopper.page.waitForEvent('popup');
    await shopper.button.click();
    const popup = await opened;
    await popup.waitForURL(/session=/);
    const before = shopper.page.url();
    await popup.evaluate(() => {
      (opener as Window).location = `${location.origin}/another-page`;
    });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(shopper.page.url()).toBe(before);
  });

  test('after a reload in the middle the same application continues, and is paid once', async () => {
    await forgetCalls(stack);
    await shopper.goToPayment();
    await shopper.openFinancing();
    await shopper.apply();
    await shopper.hosted.getByRole('radio').first().waitFor();
    await shopper.page.reload();
    expect(await shopper.button.innerText()).toBe('Continue your application');
    await shopper.button.click();
    await shopper.hosted.getByRole('radio').first().waitFor();
    await shopper.takeOffer(1);
    await shopper.untilPaid();
    expect(await primes()).toHaveLength(1);
  });

  test('a pending order is paid without the shopper when the lender approves', async () => {
    await shopper.goToPayment({ lastName: 'PendingConfirm' });
    await shopper.openFinancing();
    await shopper.apply();
    await shopper.takeOffer();
    await shopper.page.getByRole('heading', { name: /being looked at/ }).waitFor();
    const order = shopper.page.url();
    await shopper.page.goto('about:blank');

    await moveClock(stack, '2h');

    const status = async () =>
      (
        (await (await context.request.get(`${order.split('?')[0]}/status`)).json()) as {
          status: string;
        }
      ).status;
    await expect.poll(status, { interval: 500 }).toBe('paid');
  });

  test('a state without a quote shows the sum before tax, not the tax of another state', async () => {
    const { page } = shopper;
    await page.goto(stack.shop);
    await page.locator('main a[href^="/products/"]').first().click();
    await page.getByRole('button', { name: /add to cart/i }).click();
    await page.goto(`${stack.shop}/checkout`);
    const sums = page.locator('[data-quote]');
    const before = await sums.innerText();
    expect(before).toContain('Total before tax');
    const state = page.getByLabel('State');
    await state.selectOption('IL');
    await expect.poll(() => sums.innerText()).toContain('$945.63');
    await page.route('**/checkout/quote*', (route) => route.abort());
    await state.selectOption('OR');
    await expect.poll(() => sums.innerText()).toBe(before);
    await page.unroute('**/checkout/quote*');
    await state.selectOption('IL');
    await expect.poll(() => sums.innerText()).toContain('$945.63');
    await state.selectOption('');
    await expect.poll(() => sums.innerText()).toBe(before);
  });

  test('returning to a paid order removes the confirmation from the address', async () => {
    await financedOrder();
    const { page } = shopper;
    const order = page.url().split('?')[0] ?? '';
    await page.goto(`${order}/payment#financing-session=session&financing-confirmation=token`);
    await shopper.untilPaid();
    await expect.poll(() => page.url()).toBe(order);
  });

  test('on a small screen, with text twice as large, no page scrolls sideways', async () => {
    const { page } = shopper;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        document.documentElement.style.fontSize = '200%';
      });
    });
    /** Lists the elements that extend beyond the right edge of the page. */
    const over = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('body *')]
          .filter((part) => part.getBoundingClientRect().right > document.body.clientWidth + 1)
          .map((part) => `${location.pathname}: ${part.outerHTML.slice(0, 80)}`),
      );
    const seen: string[] = [];
    const look = async () => {
      // Without its style sheet, a page has other widths.
      await page.waitForLoadState();
      seen.push(...(await over()));
    };
    await page.goto(stack.shop);
    await look();
    await page.locator('main a[href^="/products/"]').first().click();
    await page.waitForURL('**/products/*');
    await look();
    await page.getByRole('button', { name: /add to cart/i }).click();
    await page.goto(`${stack.shop}/cart`);
    await look();
    await page.goto(`${stack.shop}/checkout`);
    await look();
    await shopper.shopForPayment();
    await look();
    await page.goto(`${stack.shop}/orders`);
    await look();
    expect(seen).toEqual([]);
  });

  test('the current page stays recognizable in forced colors', async () => {
    const { page } = shopper;
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(stack.shop);
    for (const links of ['.bar nav a', '.filters a']) {
      const borders = await page.locator(links).evaluateAll((all) =>
        all.map((link) => {
          const { borderBottomColor, borderBottomWidth } = getComputedStyle(link);
          return `${borderBottomColor} ${borderBottomWidth}`;
        }),
      );
      const [current, ...others] = borders;
      expect(others).not.toContain(current);
    }
  });

  test('before the shopper acts, only the shop gets requests, apart from the one for the programmes', async () => {
    const asked: string[] = [];
    shopper.page.on('request', (request) => asked.push(request.url()));
    await shopper.shopForPayment();
    const others = asked.filter((url) => new URL(url).origin !== stack.shop);
    expect(new Set(others)).toEqual(new Set([`${stack.companion}/programmes`]));
  });

  test('without the service the page shows a message and another way to pay, and recovers later', async () => {
    await shopper.goToPayment();
    await askControl(stack, '/faults', {
      kind: 'reset',
      when: 'before',
      operations: ['checkout.prime'],
      next: 1_000,
    });
    try {
      await shopper.button.click();
      await expect
        .poll(() => shopper.outcome.innerText())
        .toContain('Financing cannot be reached right now');
      expect(await shopper.page.getByRole('button', { name: /by transfer/ }).isVisible()).toBe(
        true,
      );
    } finally {
      await askControl(stack, '/faults', undefined, 'DELETE');
    }
    await shopper.button.click();
    await shopper.hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  });
});

describe('a manipulated page', () => {
  /** Presses the button with one attribute changed. @returns the companion's answer and the shown text */
  async function startWith(attribute: string, value: string) {
    await shopper.goToPayment();
    await forgetCalls(stack);
    await shopper.element.evaluate((el, [name, v]) => el.setAttribute(name, v), [
      attribute,
      value,
    ] as const);
    const answer = shopper.page.waitForResponse(
      (r) => r.url() === `${stack.companion}/checkout/prime` && r.request().method() === 'POST',
    );
    await shopper.button.click();
    const response = await answer;
    await expect.poll(() => shopper.outcome.isVisible()).toBe(true);
    return {
      status: response.status(),
      problem: (await response.json()) as { code: string },
      text: await shopper.outcome.innerText(),
    };
  }

  /** Returns the three parts of the ticket on the page, and its claims. */
  async function ticketParts() {
    const [header = '', payload = '', signature = ''] =
      (await shopper.element.getAttribute('order'))?.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
      string,
      unknown
    > & { order: { totalAmount: number } };
    return { header, payload, signature, claims };
  }

  test('an order ticket with another amount: refused, nothing reaches the service', async () => {
    await shopper.goToPayment();
    const { header, signature, claims } = await ticketParts();
    claims.order.totalAmount = 100;
    const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const { status, problem } = await startWith('order', `${header}.${forged}.${signature}`);
    expect([status, problem.code]).toEqual([422, 'order-ticket-invalid']);
    expect(await requests()).toEqual([]);
  });

  test('an expired order ticket: refused, and the message asks the shopper to reload', async () => {
    await shopper.goToPayment();
    const { claims } = await ticketParts();
    const old = Math.floor(Date.now() / 1000) - 3600;
    const ticket = signTicket({ ...claims, iat: old - 900, exp: old }, stack.secrets.orderTicket);
    const { status, problem, text } = await startWith('order', ticket);
    expect([status, problem.code]).toEqual([422, 'order-ticket-expired']);
    expect(text).toContain('This page has been open for a while');
    expect(await requests()).toEqual([]);
  });
});
