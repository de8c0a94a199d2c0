import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../chromium.fixture.ts';
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
    await page.getByLabel('Kind').selectOption('status');
    expect(await page.locator('#does').innerText()).toBe('an error status.');
    await page.getByLabel('Retry-After').fill('7');
    await page.getByRole('button', { name: 'Add' }).click();
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
    await page.getByLabel('Kind').selectOption('refused');
    await page.getByLabel('The next calls').fill('3');
    await page.getByRole('button', { name: 'Add' }).click();
    await page
      .getByRole('status')
      .getByText(/refused strikes all connections/)
      .waitFor();
  });

  it('forces an outcome', async () => {
    await page.getByLabel('Decision').selectOption('decline');
    await page.getByRole('button', { name: 'Set' }).first().click();
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
      await own.getByRole('link', { name: 'Save it as a file' }).click();
      await (await download).saveAs(file);
    });
    await test.control('POST', '/reset');
    const load = async (own: Page) => {
      await own.getByLabel('Load a saved one').setInputFiles(file);
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
    await page.getByRole('heading', { name: 'Answers' }).click();
    await page.getByLabel('A repeated charge').selectOption('token-only');
    await page.getByRole('button', { name: 'Change answers' }).click();
    await page.getByText(/^Done: chargeIdempotency token-only/).waitFor();
    expect(test.sandbox.behaviours.read().chargeIdempotency).toBe('token-only');
    await page.getByRole('button', { name: 'Restore the defaults' }).click();
    await page.getByText(/^Done: chargeIdempotency kept/).waitFor();
    expect(test.sandbox.behaviours.read().chargeIdempotency).toBe('kept');
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
  });
});
