/* A confirmation that is lost or repeated: nothing is lost, and nothing is paid twice. */
import { expect, test } from 'vitest';
import { calls, forgetCalls, type Call } from './harness.ts';
import { context, useShopper, shopper, stack } from './running.ts';
import { Shopper } from './shopper.ts';

const isCharge = ({ method, path }: Call) => method === 'POST' && path.includes('/charges');

useShopper();

test('the page waits when the network fails during a confirmation, and the order is paid', async () => {
  await shopper.goToPayment();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.page.route('**/confirmation', async (route) => {
    await context.setOffline(true);
    await route.abort();
  });
  await shopper.takeOffer();
  // The element retries before it shows this.
  await expect
    .poll(() => shopper.outcome.innerText())
    .toContain('We are checking your application');
  const others = ['Pay .* by transfer', 'Change the order'];
  const seen = (name: string) =>
    shopper.page.getByRole('button', { name: new RegExp(name) }).isVisible();
  expect(await Promise.all(others.map(seen))).toEqual([false, false]);
  await shopper.page.unroute('**/confirmation');
  await context.setOffline(false);
  await shopper.untilPaid();
});

test('an offer that is confirmed in two tabs is charged once, and both show the paid order', async () => {
  await shopper.goToPayment();
  const second = await Shopper.arrive(context, stack);
  await second.page.goto(shopper.page.url());
  await second.openFinancing();
  await shopper.page.bringToFront();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();
  await second.page.bringToFront();
  await forgetCalls(stack);
  await second.apply();
  await second.takeOffer();
  await second.untilPaid();
  expect((await calls(stack)).filter(isCharge)).toEqual([]);
});

test('a double click on a slow network adds one item to the cart', async () => {
  const { page } = shopper;
  // Stops the page's clock: on a busy machine, the clicks may be too far apart for a double click.
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(86_400_000);
  await page.goto(stack.shop);
  await page.locator('main a[href^="/products/"]').first().click();
  const add = page.getByRole('button', { name: /add to cart/i });
  await add.waitFor();
  const clicked = Promise.withResolvers<undefined>();
  await page.route('**/cart', async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await clicked.promise;
    // The second click has replaced this request.
    await route.fulfill({ response }).catch(() => undefined);
  });
  // oxlint-disable-next-line typescript/no-deprecated -- it is not the default yet
  await add.click({ clickCount: 2, delay: 50, noWaitAfter: true });
  clicked.resolve(undefined);
  await page.waitForURL('**/cart');
  expect(await page.getByLabel(/Quantity of/).inputValue()).toBe('1');
});
