import { existsSync } from 'node:fs';

/** The browser installed on this machine, or the one that Playwright installs. */
const executablePath = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path !== undefined && existsSync(path));

/** Chromium features that only matter to a user at a visible window. */
const switchedOff = [
  // Chromium creates the address bar's own pages for each context, which takes longer than most
  // tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's own list, repeated because a second such switch replaces the first one
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

/** Options to launch Chromium in tests. */
export const launchOptions = {
  ...(executablePath && { executablePath }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-sync',
    `--disable-features=${switchedOff.join()}`,
  ],
};
