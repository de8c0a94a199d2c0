import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { StackOptions } from '../../scripts/stack.ts';
import { freshStack, launchBrowser, type Browser, type BrowserContext } from './harness.ts';
import { Shopper } from './shopper.ts';

/** What runs for the tests of the file that asked for it, from before its first one on. */
export let stack: Awaited<ReturnType<typeof freshStack>>;
export let browser: Browser;
export let context: BrowserContext;
export let shopper: Shopper;

/** Runs a stack and a browser for the tests of a file. */
export function runStackAndBrowser(
  options: Partial<StackOptions> = {},
  off: readonly string[] = [],
): void {
  beforeAll(async () => {
    stack = await freshStack(options);
    browser = await launchBrowser(off);
  });
  afterAll(async () => {
    await browser.close();
    await stack.remove();
  });
}

/** The same, and a shopper with a browser context of its own for each test. */
export function runShopper(options: Partial<StackOptions> = {}, off: readonly string[] = []): void {
  runStackAndBrowser(options, off);
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    shopper = await Shopper.arrive(context, stack);
  });
  afterEach(async () => {
    await context.close();
  });
}
