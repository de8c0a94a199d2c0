import { chromium } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { expectAllPublished } from './answers.ts';
import {
  askControl,
  launchBrowser,
  patient,
  type Browser,
  type BrowserContext,
} from './harness.ts';
import type { SharedStack } from './shared.ts';
import { Shopper } from './shopper.ts';

export const stack: SharedStack = inject('stack');
/** Set before the first test of a file that calls {@link useBrowser} or {@link useShopper}. */
export let browser: Browser;
/** Set before each test of a file that calls {@link useShopper}. */
export let context: BrowserContext;
export let shopper: Shopper;

/**
 * Connects the tests of a file to the shared browser, and checks every answer of the sandbox at the
 * end of the file.
 * @param off features of Chromium to switch off, which requires a separate browser for the file
 */
export function useBrowser(off: readonly string[] = []): void {
  beforeAll(async () => {
    browser =
      off.length > 0
        ? await launchBrowser(off)
        : patient(await chromium.connect(inject('browser')));
  });
  // A failed test leaves its faults.
  afterEach(() => askControl(stack, '/faults', undefined, 'DELETE'));
  afterAll(async () => {
    await browser.close();
    expectAllPublished(stack.answersFile);
  });
}

/** Gives each test of a file a shopper with a browser context of their own. */
export function useShopper(off: readonly string[] = []): void {
  useBrowser(off);
  beforeEach(async () => {
    context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    });
    shopper = await Shopper.arrive(context, stack);
  });
  afterEach(async () => {
    await context.close();
  });
}
