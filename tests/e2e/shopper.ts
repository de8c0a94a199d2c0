import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright';
import type { Stack } from '../../scripts/stack.ts';

/** A person with a browser at the example shop, who reads labels and presses buttons. */
export class Shopper {
  readonly page: Page;
  readonly #stack: Pick<Stack, 'shop'>;

  private constructor(page: Page, stack: Pick<Stack, 'shop'>) {
    this.page = page;
    this.#stack = stack;
  }

  static async arrive(context: BrowserContext, stack: Pick<Stack, 'shop'>): Promise<Shopper> {
    return new Shopper(await context.newPage(), stack);
  }

  /** Puts the first product into the cart, fills in the checkout form and reaches the payment. */
  async goToPayment({ lastName = 'Rivera' } = {}): Promise<void> {
    const { page } = this;
    await page.goto(this.#stack.shop);
    await page.locator('main a[href^="/products/"]').first().click();
    await page.getByRole('button', { name: /add to cart/i }).click();
    await page.goto(`${this.#stack.shop}/checkout`);
    for (const [label, value] of [
      ['First name', 'Alex'],
      ['Last name', lastName],
      ['E-mail', 'alex@example.com'],
      ['Street and number', '1 Main Street'],
      ['City', 'Springfield'],
      ['ZIP code', '62701'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value);
    }
    await page.getByLabel('State').selectOption('IL');
    await page.getByRole('button', { name: 'Go to payment' }).click();
    await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  }

  /** The order number a merchant reads on the page. */
  async orderNumber(): Promise<string> {
    const text = await this.page.locator('.eyebrow').first().innerText();
    const number = /[A-Z]+-\d{4}-\d+/i.exec(text)?.[0];
    if (!number) throw new Error('There is no order number on the page.');
    return number.toUpperCase();
  }

  get element(): Locator {
    return this.page.locator('financing-checkout');
  }

  /** The button in the page that starts, or goes on with, the financing. */
  get button(): Locator {
    return this.element.locator('#start');
  }

  get dialog(): Locator {
    return this.element.getByRole('dialog');
  }

  /** What the element says of how it ended. */
  get outcome(): Locator {
    return this.element.locator('[part=outcome]');
  }

  /** The hosted page in the dialog. */
  get hosted(): FrameLocator {
    return this.page.frameLocator('financing-checkout iframe');
  }

  async openFinancing(): Promise<void> {
    await this.button.click();
    await this.hosted.getByRole('heading', { name: 'Tell us about yourself' }).waitFor();
  }

  /** Fills in who it is, where the shop did not say. @param hosted where, if not in the dialog */
  async introduce(hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.getByLabel('First name').fill('Alex');
    await hosted.getByLabel('Last name').fill('Rivera');
    await hosted.getByLabel(/E-?mail/).fill('alex@example.com');
  }

  /** Fills in what a lender asks. @param hosted where its page is, if not in the dialog */
  async apply(hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.getByLabel('Mobile phone').fill('2175550100');
    await hosted.getByLabel('Date of birth').fill('1985-04-12');
    await hosted.getByLabel(/Yearly income/).fill('64000');
    await hosted.getByLabel(/I agree that the lenders/).check();
    await hosted.getByRole('button', { name: 'See my offers' }).click();
  }

  /** Chooses the offer at this place in the list, agrees and goes back to the shop. */
  async takeOffer(index = 0, hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.locator('label:has(.lender)').nth(index).click();
    await hosted.getByLabel(/I have read the terms/).check();
    await hosted.getByRole('button', { name: 'Agree and confirm' }).click();
  }

  /**
   * Presses Escape wherever the focus is, and does not wait for it: Chromium never says that the key
   * was released in a frame which the press took away, and Playwright has no limit for that wait.
   */
  pressEscape(): void {
    this.page.keyboard.press('Escape').catch(() => undefined);
  }

  /** The order page once the shop's own backend says that it is paid. */
  async untilPaid(): Promise<void> {
    await this.page
      .getByRole('heading', { name: /Your order is paid/ })
      .waitFor({ timeout: 30_000 });
  }
}
