import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { patienceMs } from '../../../vitest.shared.ts';

/**
 * Paths to look for Chromium. Playwright's own is the fallback, and its error names a missing one.
 */
const places = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Chromium features that only matter to an interactive user. */
const switchedOff = [
  // The address bar's own pages are created for each context, which takes longer than most tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's own list, because a second such switch replaces it
  // (tests/boundaries/chromium.test.ts).
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'SkipListAccountsWithoutGaiaCookies',
];

export async function launchChromium(): Promise<Browser> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place));
  const browser = await chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', `--disable-features=${switchedOff.join()}`],
    executablePath,
  });
  return browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
}
