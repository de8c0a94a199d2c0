/* The playground as `npm start` serves it, and the code that a visitor copies from it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { servePlayground } from '../../scripts/playground.ts';
import { browser, useBrowser } from './running.ts';

useBrowser();

let playground: Awaited<ReturnType<typeof servePlayground>>;
let folder: string;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  playground = await servePlayground();
  folder = mkdtempSync(join(tmpdir(), 'playground-'));
});
afterAll(async () => {
  await playground.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
});

async function show(element: string): Promise<void> {
  await page.goto(`${playground.url}?element=${element}`);
}

/** Copies the code, saves it as a file, and opens the file as a page of its own. */
async function openCopy(): Promise<Page> {
  // Only the page in front may write to the clipboard.
  await page.bringToFront();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Copied.').waitFor();
  const file = join(folder, 'copied.html');
  writeFileSync(file, await page.evaluate(() => navigator.clipboard.readText()));
  const copy = await context.newPage();
  await copy.goto(pathToFileURL(file).href);
  return copy;
}

test('the code of a checkout runs in a page of its own, without a bundler', async () => {
  await show('financing-checkout');
  await page.getByLabel('Theme').selectOption('calm');
  await page.getByLabel('Language').selectOption('de');
  const copy = await openCopy();
  await copy.getByRole('button', { name: 'In Raten zahlen' }).click();
  const lender = copy.frameLocator('financing-checkout iframe');
  await lender.getByRole('button', { name: 'Go through with it' }).click();
  await expect
    .poll(() => copy.locator('financing-checkout [part=outcome]').innerText())
    .toContain('$');
  const accent = await copy
    .locator('financing-checkout')
    .evaluate((element) => getComputedStyle(element).getPropertyValue('--financing-accent'));
  expect(accent).not.toBe('');
});

test('the code of a message and of an application runs in a page of its own', async () => {
  await show('financing-message');
  const message = await openCopy();
  await expect
    .poll(() => message.locator('financing-message [part~=text]').innerText())
    .toContain('a month');
  await message.getByRole('button', { name: 'Learn more' }).click();
  await message.getByRole('dialog').waitFor();
  await show('financing-prequalify');
  const application = await openCopy();
  await application.getByRole('button', { name: 'See if you qualify' }).click();
  const lender = application.frameLocator('financing-prequalify iframe');
  await lender.getByRole('button', { name: 'Go through with it' }).click();
  await application.getByRole('heading', { name: 'You are prequalified' }).waitFor();
});

test('a checkout that continues on a phone shows a code', async () => {
  await show('financing-checkout');
  await page.getByLabel('phone', { exact: true }).check();
  await page.getByRole('button', { name: 'Continue on your phone' }).click();
  const code = page.locator('financing-checkout [part=qr-code]');
  await code.waitFor();
  const width = () => code.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width).toBe(25);
});
