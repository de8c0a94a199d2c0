/*
 * The production build in a shop's page under a strict content security policy with Trusted Types: the
 * page never moves, whether the message comes from the companion, from an earlier page or from a server.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { openMessagePage } from './page.fixture.ts';
import type { MessagePage } from './page.fixture.ts';
import type { Programme } from './programmes.ts';
import { renderMessage } from './server.ts';

const TEXT = 'From $37.08 a month for 24 months at 0% APR. Total $890.00. Last payment $37.16.';
const programme: Programme = {
  id: 'programme-1',
  lender: { name: 'Example Lender' },
  productType: 'Installments',
  currency: 'USD',
  amount: { min: 5_000, max: 500_000 },
  apr: '0',
  payments: { count: 24, period: 'Month', rounding: 'half-up' },
  texts: [
    {
      id: 'text-1',
      language: 'en',
      text: 'From {payment} a month for {count} months at {apr} APR. Total {total}. Last payment {lastPayment}.',
      disclosure: { url: 'https://lender.example/terms', label: 'Terms apply' },
      sha256: 'a'.repeat(64),
    },
  ],
};
const programmes = { programmes: [programme] };

let shop: MessagePage;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  [shop, browser] = await Promise.all([openMessagePage(), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  shop.close();
});
beforeEach(async () => {
  complaints = [];
  shop.asked.length = 0;
  shop.programmes = programmes;
  shop.body = tag();
  context = await browser.newContext();
  await context.addInitScript(() => {
    Object.assign(globalThis, { moved: 0 });
    new PerformanceObserver((list) => {
      const sum = list
        .getEntries()
        .reduce((total, entry) => total + ((entry as { value?: number }).value ?? 0), 0);
      Reflect.set(globalThis, 'moved', Number(Reflect.get(globalThis, 'moved')) + sum);
    }).observe({ type: 'layout-shift', buffered: true });
    addEventListener('securitypolicyviolation', (event) =>
      reportError(new Error(`${event.violatedDirective} ${event.blockedURI}`)),
    );
  });
});
afterEach(() => context.close());

function tag(attributes = 'amount="89000"'): string {
  return `<financing-message ${attributes} currency="USD" companion="${shop.companion}"></financing-message>`;
}

function rendered(amount = '89000', shown = programmes): string {
  return renderMessage(shown, {
    amount,
    currency: 'USD',
    locale: 'en',
    nonce: shop.nonce,
    attributes: { companion: shop.companion },
  });
}

async function open(width: number): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => complaints.push(message.text()));
  await page.setViewportSize({ width, height: 800 });
  await page.goto(shop.url);
  return page;
}

/** Waits until the message has its final content and the browser has painted it twice. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => customElements.get('financing-message'));
  await page.waitForLoadState('networkidle');
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

const moved = (page: Page) => page.evaluate<number>('globalThis.moved');
const height = (page: Page) =>
  page
    .locator('financing-message')
    .first()
    .evaluate((one) => one.getBoundingClientRect().height);

describe.each([320, 768, 1280])('at %d pixels the page does not move', (width) => {
  it('for programmes that arrive late, nor when the amount changes', async () => {
    const answered = Promise.withResolvers<undefined>();
    const defined = Promise.withResolvers<undefined>();
    await context.route('**/programmes', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await context.route('**/financing-message.js', async (route) => {
      await defined.promise;
      await route.continue();
    });
    const page = await context.newPage();
    await page.setViewportSize({ width, height: 800 });
    await page.goto(shop.url, { waitUntil: 'commit' });
    await page.locator('#after').waitFor();
    const top = () => page.locator('#after').evaluate((one) => one.getBoundingClientRect().top);
    const before = await top();
    defined.resolve(undefined);
    await page.waitForFunction(() => customElements.get('financing-message'));
    answered.resolve(undefined);
    await page.getByText(TEXT).waitFor();
    await settle(page);
    expect(await page.getByRole('button', { name: 'Learn more' }).isVisible()).toBe(true);
    await page.locator('financing-message').evaluate((one) => one.setAttribute('amount', '1'));
    await settle(page);
    expect(await page.getByText(TEXT).count()).toBe(0);
    expect(await top()).toBe(before);
    expect(await moved(page)).toBe(0);
    expect(shop.asked).toEqual(['/programmes']);
  });

  it('for programmes cached by an earlier page, which are shown immediately', async () => {
    await (await open(width)).getByText(TEXT).waitFor();
    await context.route('**/programmes', (route) => route.abort());
    const page = await open(width);
    await page.getByText(TEXT).waitFor();
    await settle(page);
    expect(await moved(page)).toBe(0);
  });

  it('for a message from a server, with the element and without', async () => {
    shop.body = rendered();
    await context.route('**/financing-message.js', (route) => route.abort());
    const page = await open(width);
    expect(await page.getByText(TEXT).isVisible()).toBe(true);
    const box = await page.getByText(TEXT).boundingBox();
    const tall = await height(page);
    await context.unroute('**/financing-message.js');
    const again = await open(width);
    await settle(again);
    await again.getByRole('button', { name: 'Learn more' }).waitFor();
    expect(await again.getByText(TEXT).boundingBox()).toEqual(box);
    expect(await height(again)).toBe(tall);
    expect(await moved(again)).toBe(0);
    expect(complaints.filter((one) => !one.includes('ERR_FAILED'))).toEqual([]);
  });
});

describe('a message for which no programme fits', () => {
  it('keeps its space when the page was painted before that was known', async () => {
    shop.body = tag('amount="100"');
    const page = await open(768);
    await settle(page);
    expect(await height(page)).toBeGreaterThan(0);
    expect(await moved(page)).toBe(0);
  });

  it('takes no space from a server, with the element and without', async () => {
    shop.body = rendered('NaN');
    const page = await open(768);
    expect(await height(page)).toBe(0);
    await settle(page);
    expect(await height(page)).toBe(0);
    expect(await moved(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('takes no space in an element that the page creates later', async () => {
    const page = await open(768);
    await page.getByText(TEXT).waitFor();
    const tall = await page.evaluate(async (companion) => {
      const place = document.createElement('div');
      document.body.append(place);
      const element = document.createElement('financing-message');
      for (const [name, value] of Object.entries({ amount: '1', currency: 'USD', companion })) {
        element.setAttribute(name, value);
      }
      place.append(element);
      await (element as HTMLElement & { updateComplete: Promise<unknown> }).updateComplete;
      return element.getBoundingClientRect().height;
    }, shop.companion);
    expect(tall).toBe(0);
  });
});

/**
 * Obfuscates e-mail addresses as documented by Cloudflare: in texts and in the `href` of links,
 * except between the markers with which a page disables it.
 */
function obfuscated(page: string): string {
  const token =
    /<!--[^]*?-->|<(script|noscript|textarea|xmp|head)\b[^]*?<\/\1>|(<a\b[^>]*>)|<[^>]*>|[^<]+/gi;
  const address = /[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g;
  const link = '<a href="/cdn-cgi/l/email-protection" data-cfemail="00">[email&#160;protected]</a>';
  let isOff = false;
  return page.replace(token, (part, _, anchor?: string) => {
    if (/^<!--\/?email_off-->$/.test(part)) isOff = !part.includes('/');
    if (isOff) return part;
    if (anchor) return part.replace(address, '/cdn-cgi/l/email-protection#00');
    return part.startsWith('<') ? part : part.replace(address, link);
  });
}

type Updating = HTMLElement & { readonly updateComplete: Promise<unknown> };

describe('a message from a server', () => {
  const differing = [
    ['the amount', { amount: '400000' }, /Total \$4,000\.00/],
    ['the currency', { currency: 'EUR' }, /^$/],
    ['the category', { category: 'sofas' }, /Total \$890\.00/],
    ['the locale', { locale: 'de' }, /Mehr erfahren$/],
    ['the companion', { companion: 'https://another.example' }, /^$/],
  ] as const;
  /** Opens the page with programmes that arrive when the returned function is called. */
  async function openBefore(file: string): Promise<[page: Page, arrive: () => void]> {
    shop.body = rendered();
    const arriving = Promise.withResolvers<undefined>();
    await context.route(`**/${file}`, async (route) => {
      await arriving.promise;
      await route.continue();
    });
    const page = await context.newPage();
    await page.goto(shop.url, { waitUntil: 'commit' });
    await page.getByText(TEXT).waitFor();
    return [page, () => arriving.resolve(undefined)];
  }
  const figures = (page: Page) =>
    page.locator('financing-message').evaluate((one) => {
      const message = one.shadowRoot?.querySelector('p');
      return message && getComputedStyle(message).visibility === 'visible'
        ? message.innerText.replaceAll('\u00a0', ' ')
        : '';
    });

  it.each(differing)('hides its figures once %s differs in a property', async (_, change, then) => {
    const [page, arrive] = await openBefore('programmes');
    await page.waitForFunction(() => customElements.get('financing-message'));
    const before = await height(page);
    await page.locator('financing-message').evaluate((one: Updating, given) => {
      Object.assign(one, given);
      return one.updateComplete;
    }, change);
    expect(await figures(page)).toBe('');
    expect(await height(page)).toBe(before);
    arrive();
    await settle(page);
    expect(await figures(page)).toMatch(then);
  });

  it.each(differing)(
    'hides its figures when %s differs before its script',
    async (_, change, then) => {
      const [page, arrive] = await openBefore('financing-message.js');
      await page.locator('financing-message').evaluate((one, given) => {
        for (const [name, value] of Object.entries(given)) one.setAttribute(name, value);
      }, change);
      expect(await figures(page)).toBe('');
      arrive();
      await settle(page);
      expect(await figures(page)).toMatch(then);
    },
  );

  it('hides its figures when a property was set before its script', async () => {
    await context.route('**/programmes', (route) => route.abort());
    const [page, arrive] = await openBefore('financing-message.js');
    await page.locator('financing-message').evaluate((one) => {
      Object.assign(one, { amount: 400_000 });
    });
    arrive();
    await settle(page);
    expect(await figures(page)).toBe('');
  });

  it('stays when the page sets the rendered values again', async () => {
    const [page] = await openBefore('programmes');
    await page.waitForFunction(() => customElements.get('financing-message'));
    await page.locator('financing-message').evaluate((one: Updating, companion) => {
      one.setAttribute('amount', '89000');
      Object.assign(one, { amount: 89_000, currency: 'USD', locale: 'en', companion });
      return one.updateComplete;
    }, shop.companion);
    expect(await figures(page)).toContain('Total $890.00');
  });

  describe('with addresses and telephone numbers in the lender’s words', () => {
    const contact = 'Write to help@lender.example, or call 1-800-555-0199.';
    const [first] = programme.texts;
    const words = { ...first, text: `{total}. ${contact}`, disclosure: { text: contact } };
    const withContact = {
      programmes: [{ ...programme, texts: [words as typeof words & { sha256: string }] }],
    } as typeof programmes;

    it.each([
      ['as it is', (page: string) => page],
      [
        'after a minifier',
        (page: string) => page.replaceAll(/<!--[^]*?-->/g, '').replaceAll('&#64;', '@'),
      ],
    ])('keeps the lender’s text behind an obfuscating proxy, %s', async (_, minify) => {
      shop.body = `<p id="own">help@lender.example</p>${rendered('89000', withContact)}`;
      shop.body = obfuscated(minify(shop.body));
      await context.route('**/financing-message.js', (route) => route.abort());
      const page = await open(768);
      expect(await page.locator('#own').innerText()).toContain('protected');
      for (const part of ['text', 'disclosure']) {
        const shown = page.locator(`financing-message [part=${part}]`);
        expect(await shown.innerText()).toContain(contact);
        const copied = await shown.evaluate((one) => {
          getSelection()?.setBaseAndExtent(one, 0, one, one.childNodes.length);
          return getSelection()?.toString();
        });
        expect(copied).toContain(contact);
      }
    });

    it('has no number that Safari’s data detectors link, and neither does the element’s own message', async () => {
      shop.body = rendered('89000', withContact);
      shop.programmes = withContact;
      // WebKit's data detectors skip the content of an `a` element.
      const found = (page: Page) =>
        page.locator('financing-message').evaluate((one) => {
          const texts = document.createTreeWalker(one.shadowRoot ?? one, NodeFilter.SHOW_TEXT);
          const linked = [];
          while (texts.nextNode()) {
            const { data, parentElement } = texts.currentNode as Text;
            if (data.includes('555')) linked.push(parentElement?.closest('a') === null);
          }
          return linked;
        });
      await context.route('**/financing-message.js', (route) => route.abort());
      expect(await found(await open(768))).toEqual([false, false]);
      await context.unroute('**/financing-message.js');
      const page = await open(768);
      await page.getByRole('button', { name: 'Learn more' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await found(page)).toEqual([false, false, false, false]);
    });
  });

  it('stays while the companion is down, and hides its figures for another amount', async () => {
    shop.body = rendered();
    await context.route('**/programmes', (route) => route.abort());
    const page = await open(320);
    await settle(page);
    const price = (amount: string) =>
      page
        .locator('financing-message')
        .evaluate((one, to) => one.setAttribute('amount', to), amount);
    expect(await figures(page)).toContain('Total $890.00');
    const before = await height(page);
    await price('1');
    await settle(page);
    expect(await figures(page)).toBe('');
    expect(await height(page)).toBe(before);
    await price('89000');
    await settle(page);
    expect(await figures(page)).toContain('Total $890.00');
  });

  it('escapes everything', () => {
    const hostile = '"><img src=x onerror=alert(1)>\'&{payment}';
    const [text] = programme.texts;
    const html = renderMessage(
      {
        programmes: [{ ...programme, texts: [{ ...text, text: hostile } as typeof text & object] }],
      },
      {
        amount: '89000',
        currency: 'USD',
        locale: '"><script>',
        category: '"><b>',
        nonce: '"><i>',
        attributes: { companion: '"><u>', 'on x': '1', onclick: '"' },
      },
    );
    expect(html).not.toMatch(/<(img|script|b|i|u)\b/);
    expect(html).not.toContain('on x');
    expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;$37.08');
  });

  it.each([undefined, null, {}, NaN, '', '-1', '8.9'])('renders nothing for %s', (amount) => {
    const html = renderMessage(programmes, { amount, currency: 'USD' });
    expect(html).toContain(' collapsed=""');
    expect(html).not.toContain('<p');
  });

  it('needs no DOM, nor does any other entry point', async () => {
    const url = (file: string) => new URL(`../../dist/${file}`, import.meta.url).href;
    const script = `for (const file of ${JSON.stringify(
      ['message/index.js', 'message/define.js', 'message/server.js', 'funnel.js'].map(url),
    )}) await import(file);
      const { renderMessage } = await import(${JSON.stringify(url('message/server.js'))});
      console.log(typeof document, renderMessage({ programmes: [] }, { amount: 1, currency: 'USD' }).length > 0)`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      script,
    ]);
    expect(stdout.trim()).toBe('undefined true');
  });
});

it('opens its dialog in the page under the policy, and wraps without scrolling sideways', async () => {
  const page = await open(320);
  await page.getByRole('button', { name: 'Learn more' }).click();
  await page.getByRole('dialog', { name: 'Pay over time' }).waitFor();
  await page.getByRole('cell', { name: '$37.08 a month' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(complaints).toEqual([]);
});
