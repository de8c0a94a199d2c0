import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Chromium is; without one of these Playwright's own is looked for, and named if missing. */
const places = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** What Chromium does for a person at its window. */
const switchedOff = [
  // Pages of the address bar's own, made for each context: they take longer than most tests do.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's own list, which a second such switch replaces (tests/boundaries/chromium.test.ts).
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

export function launchChromium(): Promise<Browser> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place));
  return chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', `--disable-features=${switchedOff.join()}`],
    executablePath,
  });
}
