import { type BrowserContext, type ElementHandle, type Frame, type Page } from 'puppeteer-core';
import { type Stack } from '../../scripts/stack.ts';
import { patienceMs } from '../../vitest.shared.ts';

/** A shopper at the example shop, who uses Firefox by its labels and buttons. */
export class FirefoxShopper {
  readonly page: Page;
  readonly #stack: Stack;

  private constructor(page: Page, stack: Stack) {
    this.page = page;
    this.#stack = stack;
    page.setDefaultTimeout(patienceMs);
  }

  static async arrive(context: BrowserContext, stack: Stack): Promise<FirefoxShopper> {
    return new FirefoxShopper(await context.newPage(), stack);
  }

  /** Opens the page of a product and returns the text of its financing message. */
  async readMessage(slug: string): Promise<string> {
    const { page } = this;
    await page.goto(`${this.#stack.shop}/products/${slug}`);
    const text = await page.waitForSelector('.product financing-message >>> [part~=text]');
    return (await text?.evaluate((one) => one.textContent)) ?? '';
  }

  /** Presses the button of the prequalification and waits for the lender's page. */
  async openPrequalification(): Promise<Frame> {
    await this.page.locator('financing-prequalify >>> #start').click();
    return this.#scriptFrame();
  }

  /** Waits until the element shows that the shopper is prequalified. */
  async untilPrequalified(): Promise<void> {
    await this.page.waitForFunction(() =>
      document
        .querySelector('financing-prequalify')
        ?.shadowRoot?.querySelector('[part=outcome]')
        ?.textContent.includes('You are prequalified'),
    );
  }

  /** Opens the payment page with the service's own script, and its dialog. */
  async openScript(): Promise<Frame> {
    await this.page.goto(`${this.page.url()}?presentation=sdk`);
    await this.page.locator('financing-checkout >>> #start').click();
    return this.#scriptFrame();
  }

  /** Returns the order number on the page. */
  async orderNumber(): Promise<string> {
    const text = await this.page.$eval('.eyebrow', (one) => one.textContent);
    const number = /[A-Z]+-\d{4}-\d+/i.exec(text)?.[0];
    if (!number) throw new Error('There is no order number on the page.');
    return number.toUpperCase();
  }

  /** Has the shop's staff send a link for an order, and returns its address. */
  async receiveLink(order: string): Promise<string> {
    const { page } = this;
    const { shop, secrets } = this.#stack;
    await page.authenticate({ username: 'staff', password: secrets.shopAdminToken });
    await page.goto(`${shop}/admin`);
    const link = await page.waitForSelector(`::-p-text(Send a link for ${order})`);
    await Promise.all([page.waitForNavigation(), link?.click()]);
    await (await labeled(page.mainFrame(), 'Where the shopper is')).select('IN_STORE');
    await press(page.mainFrame(), 'Create the link');
    const address = await page.waitForSelector('main .panel a[href]');
    const href = await address?.evaluate((one) => one.getAttribute('href'));
    if (!href) throw new Error('The page shows no link.');
    return href;
  }

  /** Waits until the staff's page says that the order is paid. */
  async untilStaffSeesPaid(): Promise<void> {
    await this.page.waitForFunction(() =>
      /\bPaid\b/.test(document.querySelector('main')?.innerText ?? ''),
    );
  }

  /** Returns the lender's page in the dialog of the service's script. */
  async #scriptFrame(): Promise<Frame> {
    const handle = await this.page.waitForSelector('body > dialog iframe');
    const frame = await handle?.contentFrame();
    if (!frame) throw new Error('There is no hosted page in the dialog.');
    return frame;
  }

  /** Puts the first product into the cart, fills in the checkout form and reaches the payment. */
  async goToPayment(lastName = 'Rivera'): Promise<void> {
    const { page } = this;
    const { shop } = this.#stack;
    await page.goto(shop);
    await Promise.all([
      page.waitForNavigation(),
      page.locator('main a[href^="/products/"]').click(),
    ]);
    await press(page.mainFrame(), 'Add to cart');
    await page.waitForNetworkIdle();
    await page.goto(`${shop}/checkout`);
    await fill(page.mainFrame(), 'First name', 'Alex');
    await fill(page.mainFrame(), 'Last name', lastName);
    await fill(page.mainFrame(), 'E-mail', 'alex@example.com');
    await fill(page.mainFrame(), 'Street and number', '1 Main Street');
    await fill(page.mainFrame(), 'City', 'Springfield');
    await fill(page.mainFrame(), 'ZIP code', '62701');
    await (await labeled(page.mainFrame(), 'State')).select('IL');
    await press(page.mainFrame(), 'Go to payment');
    await this.#see('How would you like to pay?');
  }

  /** Presses the widget's button and waits for the hosted page. */
  async openFinancing(): Promise<Frame> {
    await this.page.locator('financing-checkout >>> #start').click();
    const handle = await this.page.waitForSelector('financing-checkout >>> iframe');
    const frame = await handle?.contentFrame();
    if (!frame) throw new Error('There is no hosted page in the dialog.');
    return frame;
  }

  /** Fills in name and e-mail address, unless the shop sent them. */
  async introduce(hosted: Frame): Promise<void> {
    await fill(hosted, 'First name', 'Alex');
    await fill(hosted, 'Last name', 'Rivera');
    await fill(hosted, 'E-mail', 'alex@example.com');
  }

  /** Fills in the lender's form. */
  async apply(hosted: Frame): Promise<void> {
    await fill(hosted, 'Mobile phone', '2175550100');
    const born = await labeled(hosted, 'Date of birth');
    // The format of a typed date depends on the region of the browser.
    await born.evaluate((field) => ((field as HTMLInputElement).value = '1985-04-12'));
    await fill(hosted, 'Yearly income', '64000');
    await (await labeled(hosted, 'I agree that the lenders')).click();
    await press(hosted, 'See my offers');
  }

  /** Waits for offers. */
  async seeOffers(hosted: Frame): Promise<void> {
    await hosted.waitForSelector('label:has(.lender)');
  }

  /** Chooses the first offer, agrees and returns to the shop. */
  async takeOffer(hosted: Frame): Promise<void> {
    await this.seeOffers(hosted);
    await hosted.locator('label:has(.lender)').click();
    await (await labeled(hosted, 'I have read the terms')).click();
    await press(hosted, 'Agree and confirm');
  }

  /** Presses the button that closes the dialog. */
  async close(): Promise<void> {
    await this.page.locator('financing-checkout >>> [part=close]').click();
  }

  /** Waits until the widget's button has this label. */
  async untilOffered(label: string): Promise<void> {
    await this.page.waitForFunction(
      (text) =>
        document
          .querySelector('financing-checkout')
          ?.shadowRoot?.querySelector('#start')
          ?.textContent.includes(text),
      {},
      label,
    );
  }

  /** Waits until the widget shows this message in the page. */
  async untilTold(title: string): Promise<void> {
    await this.page.waitForFunction(
      (text) =>
        document
          .querySelector('financing-checkout')
          ?.shadowRoot?.querySelector('[part=outcome-title]')
          ?.textContent.includes(text),
      {},
      title,
    );
  }

  /** Returns whether the widget's button has the focus. */
  hasFocusOnButton(): Promise<boolean> {
    return this.page.evaluate(
      () => document.querySelector('financing-checkout')?.shadowRoot?.activeElement?.id === 'start',
    );
  }

  /** Waits until the order's page says that the order is paid. */
  async untilPaid(): Promise<void> {
    await this.#see('Your order is paid');
  }

  /** Waits for a heading of the shop. */
  async #see(heading: string): Promise<void> {
    await this.page.waitForFunction(
      (text) =>
        [...document.querySelectorAll('h1, h2, h3, legend')].some((one) =>
          one.textContent.includes(text),
        ),
      {},
      heading,
    );
  }
}

/** Returns the field with this label. */
async function labeled(frame: Frame, words: string): Promise<ElementHandle> {
  const found = await frame.waitForFunction(
    (text) =>
      [...document.querySelectorAll<HTMLInputElement>('input, select, textarea')].find((field) =>
        [...(field.labels ?? [])].some((label) => label.textContent.trim().startsWith(text)),
      ),
    {},
    words,
  );
  const element = found.asElement();
  if (!element) throw new Error(`There is no field "${words}".`);
  return element as ElementHandle;
}

async function fill(frame: Frame, words: string, value: string): Promise<void> {
  const field = await labeled(frame, words);
  // The shop's details of the shopper are filled in already.
  await field.evaluate((one) => ((one as HTMLInputElement).value = ''));
  await field.type(value);
}

/** Presses the button with this label. */
async function press(frame: Frame, words: string): Promise<void> {
  const found = await frame.waitForFunction(
    (text) =>
      [...document.querySelectorAll('button')].find((button) =>
        button.textContent.toLowerCase().includes(text.toLowerCase()),
      ),
    {},
    words,
  );
  await (found.asElement() as ElementHandle | null)?.click();
}
