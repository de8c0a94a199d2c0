import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
import { operations } from './operations.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
let browser: Browser;
let page: Page;
/** Console errors and CSP violations of the page. */
let errors: string[];

beforeAll(async () => {
  test = await startTestSandbox();
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
});
afterAll(async () => {
  await browser.close();
  await discard(test);
});
beforeEach(async () => {
  errors = [];
  await test.control('POST', '/reset');
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(test.sandbox.controlUrl);
  await page.getByText(test.environment('sandbox').baseUrl).first().waitFor();
});

/** The form of a command. A closed group has no roles. */
const form = (command: string) => page.locator(`form[aria-label="${command}"]`);

describe('the control page', () => {
  it('shows calls with their key slot, without the key', async () => {
    await test.call('GET', '/v2/post-sale/fundings/report');
    await test.call('GET', '/v2/post-sale/fundings/report', { authorization: 'Bearer nobody' });
    const rows = page.locator('#calls tr');
    await rows.nth(1).waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/sandbox[\s\S]*private[\s\S]*200/);
    expect(await rows.nth(0).innerText()).toMatch(/unknown[\s\S]*401/);
    const html = await page.content();
    for (const { privateKey } of test.sandbox.environments) expect(html).not.toContain(privateKey);
    expect(errors).toEqual([]);
  });

  it('has exactly one region with its name for screen readers', async () => {
    expect(await page.getByRole('region', { name: 'Calls that arrived' }).count()).toBe(1);
  });

  it('has every operation of the command line, with its fields', async () => {
    for (const { command, method, path, options = {} } of operations) {
      if (command === '') continue;
      const list = page.locator(`[data-list="${path}"]`);
      expect(await (method === 'GET' ? list : form(command)).count(), command).toBe(1);
      const fields = await form(command).locator('[name]').all();
      const names = await Promise.all(fields.map((field) => field.getAttribute('name')));
      expect(names, command).toEqual(expect.arrayContaining(Object.keys(options)));
    }
  });

  it('sends nested fields, switches and numbers', async () => {
    await page.getByRole('heading', { name: 'Fund' }).click();
    const fault = form('fund fault');
    await fault.getByLabel('Fault kind').selectOption('split');
    await fault.getByLabel('Fault parts').fill('3');
    await fault.getByRole('button', { name: 'Fault' }).click();
    await page.getByText(/^target environment sandbox, fault kind split, parts 3/).waitFor();
    const chargebacks = form('fund chargeback');
    await chargebacks.getByLabel('Merchant order id').fill('unknown');
    const sent = page.waitForRequest((request) => request.url().endsWith('/chargebacks'));
    await chargebacks.getByLabel('Announced').uncheck();
    await chargebacks.getByRole('button').click();
    expect((await sent).postDataJSON()).toEqual({
      merchantOrderId: 'unknown',
      announced: false,
    });
  });

  it('sends nothing before a required choice is made', async () => {
    await page.getByRole('heading', { name: 'Keys' }).click();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`));
    await form('keys rotate').getByRole('button').click();
    await page.waitForRequest(/\/clock$/);
    expect(sent.filter((one) => one.startsWith('POST'))).toEqual([]);
    await form('keys rotate').getByLabel('Environment').selectOption('sandbox');
    await form('keys rotate').getByRole('button').click();
    await page.getByText(/^Done: environment sandbox, kind private/).waitFor();
  });

  it('asks before it empties the state', async () => {
    await test.control('POST', '/outcomes', { outcome: 'decline' });
    await page.getByRole('heading', { name: 'State' }).click();
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(asked).toEqual(['Forget all applications, charges and fundings?']);
    expect((await test.control('GET', '/outcomes')).body.outcomes).toHaveLength(1);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText(/^Done: status empty/).waitFor();
    expect((await test.control('GET', '/outcomes')).body.outcomes).toEqual([]);
  });

  it('moves, freezes and releases the clock', async () => {
    const before = test.sandbox.clock.now();
    await page.getByRole('button', { name: '+1 day' }).click();
    await expect.poll(() => test.sandbox.clock.now() - before).toBeGreaterThanOrEqual(86_400_000);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByText('frozen', { exact: true }).waitFor();
    expect(test.sandbox.clock.read().frozen).toBe(true);
    await page.getByRole('button', { name: 'Let it run' }).click();
    await expect.poll(() => test.sandbox.clock.read().frozen).toBe(false);
  });

  it('adds and removes a wire fault', async () => {
    await form('fault add').getByLabel('Kind').selectOption('status');
    await form('fault add').getByLabel('Operations').selectOption('fundings.report');
    await form('fault add').getByLabel('Retry after').fill('7');
    await form('fault add').getByRole('button').click();
    const remove = page.getByRole('button', { name: /^Remove kind status/ });
    await remove.waitFor();
    const struck = await test.call('GET', '/v2/post-sale/fundings/report');
    expect([struck.status, struck.headers.get('retry-after')]).toEqual([503, '7']);
    // The page then renders the list again, and would replace the button while it is pressed.
    await page.locator('[data-list="/faults"] .spent').waitFor();
    await remove.click();
    await remove.waitFor({ state: 'detached' });
    expect((await test.control('GET', '/faults')).body.faults).toEqual([]);
  });

  it('shows why a setting is rejected', async () => {
    await form('fault add').getByLabel('Kind').selectOption('refused');
    await form('fault add').getByLabel('Next').fill('3');
    await form('fault add').getByRole('button').click();
    await page
      .getByRole('status')
      .getByText(/refused strikes all connections/)
      .waitFor();
  });

  it('forces an outcome', async () => {
    await form('outcome set').getByLabel('Outcome').selectOption('decline');
    await form('outcome set').getByRole('button').click();
    await page.getByText('outcome decline, next 1', { exact: true }).waitFor();
    const { outcomes } = (await test.control('GET', '/outcomes')).body;
    expect(outcomes).toMatchObject([{ outcome: 'decline', next: 1 }]);
  });

  it('saves and loads the state with the control token as a password, and not without it', async () => {
    await test.control('POST', '/outcomes', { outcome: 'decline', next: 3 });
    const file = join(test.dataDir, 'downloaded');
    const use = async (password: string, work: (page: Page) => Promise<void>) => {
      const httpCredentials = { username: '', password };
      const context = await browser.newContext({ httpCredentials });
      const own = await context.newPage();
      await own.goto(test.sandbox.controlUrl);
      await own.getByRole('heading', { name: 'State' }).click();
      await work(own);
      await context.close();
    };
    await use(test.sandbox.controlToken, async (own) => {
      const download = own.waitForEvent('download');
      await own.getByRole('link', { name: 'Save the state as a file' }).click();
      await (await download).saveAs(file);
    });
    await test.control('POST', '/reset');
    const load = async (own: Page) => {
      await own.getByLabel('Saved state').setInputFiles(file);
      await own.getByRole('button', { name: 'Load', exact: true }).click();
    };
    await use('guessed', async (own) => {
      await load(own);
      await own.getByText('This needs the control token').waitFor();
    });
    expect((await test.control('GET', '/outcomes')).body.outcomes).toEqual([]);
    await use(test.sandbox.controlToken, async (own) => {
      await load(own);
      await own.getByText('The saved state is loaded.').waitFor();
    });
    expect((await test.control('GET', '/outcomes')).body.outcomes).toMatchObject([{ next: 3 }]);
  });

  it('changes a behavior, and restores the defaults', async () => {
    await page.getByRole('heading', { name: 'Behavior' }).click();
    await page.getByLabel('Charge idempotency').selectOption('token-only');
    await form('behavior set').getByRole('button').click();
    await page.getByText(/^Done: chargeIdempotency token-only/).waitFor();
    expect(test.sandbox.behaviors.read().chargeIdempotency).toBe('token-only');
    await form('behavior reset').getByRole('button').click();
    await page.getByText(/^Done: chargeIdempotency kept/).waitFor();
    expect(test.sandbox.behaviors.read().chargeIdempotency).toBe('kept');
  });

  it('does not break words of a call on a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await test.call('GET', '/v2/post-sale/fundings/report');
    await page.locator('#calls tr').first().waitFor();
    const lines = (column: number) =>
      page.evaluate(`
        const words = document.createRange();
        words.selectNodeContents(document.querySelector('#calls td:nth-child(${column})'));
        new Set([...words.getClientRects()].map(({ top }) => top)).size`);
    expect(await lines(2)).toBe(1);
    expect(await lines(5)).toBe(1);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    // WCAG 1.4.4, with every section open.
    await page.evaluate(`
      document.documentElement.style.fontSize = '200%';
      for (const knobs of document.querySelectorAll('details')) knobs.open = true;`);
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    // Keyboard users could not scroll these elements.
    const scrolling = `[...document.querySelectorAll('pre')].filter((text) => text.scrollWidth > text.clientWidth).length`;
    expect(await page.evaluate(scrolling)).toBe(0);
  });
});
