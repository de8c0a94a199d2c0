import { chromium } from 'playwright';
import type { Browser } from 'playwright';
import { launchOptions } from '../chromium.config.ts';

/** Starts Chromium. Its pages wait up to a minute, so that a test does not fail on a busy machine. */
export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch(launchOptions);
  browser.on('context', (context) => context.setDefaultTimeout(60_000));
  return browser;
}
