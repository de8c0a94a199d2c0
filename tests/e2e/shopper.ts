import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright';
import type { Stack } from '../../scripts/stack.ts';
import { orderForm } from './order-form.ts';

/** A shopper at the example shop, who uses a browser by its labels and buttons. */
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

  /** Orders one product with two forms of the shop, as its pages send them, and opens the payment. */
  async goToPayment({ lastName = 'Rivera' } = {}): Promise<void> {
    const { page } = this;
    const { shop } = this.#stack;
    const send = async (path: string, form: Record<string, string>) => {
      const headers = { origin: shop };
      const answer = await page.request.post(shop + path, { form, headers, maxRedirects: 0 });
      const { location } = answer.headers();
      if (location === undefined) throw new Error(`${path} answered ${answer.status()}.`);
      return shop + location;
    };
    await send('/cart', { slug: 'alder-lounge-chair', quantity: '1' });
    await page.goto(await send('/checkout', orderForm({ lastName })));
    await this.#atPayment();
  }

  /** Puts the first product into the cart, fills in the checkout form and reaches the payment. */
  async shopForPayment({ lastName = 'Rivera' } = {}): Promise<void> {
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
    await this.#atPayment();
  }

  async #atPayment(): Promise<void> {
    await this.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  }

  /** Returns the order number on the page. */
  async orderNumber(): Promise<string> {
    const text = await this.page.locator('.eyebrow').first().innerText();
    const number = /[A-Z]+-\d{4}-\d+/i.exec(text)?.[0];
    if (!number) throw new Error('There is no order number on the page.');
    return number.toUpperCase();
  }

  get element(): Locator {
    return this.page.locator('financing-checkout');
  }

  /** The button that starts or continues the financing. */
  get button(): Locator {
    return this.element.locator('#start');
  }

  get dialog(): Locator {
    return this.element.getByRole('dialog');
  }

  /** The element's message about the outcome. */
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

  /** Fills in name and e-mail address, unless the shop sent them. @param hosted the lender's page */
  async introduce(hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.getByLabel('First name').fill('Alex');
    await hosted.getByLabel('Last name').fill('Rivera');
    await hosted.getByLabel(/E-?mail/).fill('alex@example.com');
  }

  /** Fills in the lender's form. @param hosted the lender's page. @default the one in the dialog */
  async apply(hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.getByLabel('Mobile phone').fill('2175550100');
    await hosted.getByLabel('Date of birth').fill('1985-04-12');
    await hosted.getByLabel(/Yearly income/).fill('64000');
    await hosted.getByLabel(/I agree that the lenders/).check();
    await hosted.getByRole('button', { name: 'See my offers' }).click();
  }

  /** Chooses an offer by its index, agrees and returns to the shop. */
  async takeOffer(index = 0, hosted: FrameLocator | Page = this.hosted): Promise<void> {
    await hosted.locator('label:has(.lender)').nth(index).click();
    await hosted.getByLabel(/I have read the terms/).check();
    await hosted.getByRole('button', { name: 'Agree and confirm' }).click();
  }

  /**
   * Presses Escape at the focus without waiting. The press removes the frame, so Chromium never reports the
   * release of the key, and Playwright would wait for it forever.
   */
  pressEscape(): void {
    this.page.keyboard.press('Escape').catch(() => undefined);
  }

  /** Waits until the order's page says that the order is paid. */
  async untilPaid(): Promise<void> {
    await this.page.getByRole('heading', { name: /Your order is paid/ }).waitFor();
  }
}
