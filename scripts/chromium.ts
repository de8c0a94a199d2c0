import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright';

const known = [
  // First, because a page takes two thirds of the time without a user interface.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  `${process.env.ProgramFiles ?? 'C:\\Program Files'}\\Google\\Chrome\\Application\\chrome.exe`,
];

function installed(): string | undefined {
  const asked = process.env.CHROME_PATH;
  if (asked !== undefined) {
    if (existsSync(asked)) return asked;
    throw new Error('CHROME_PATH names a file that does not exist.');
  }
  return [...known, chromium.executablePath()].find((path) => existsSync(path));
}

/**
 * Finds a Chromium or Chrome: CHROME_PATH, the system's, or Playwright's download. If there is none,
 * installs it with Playwright or apt.
 * @throws {Error} with the commands to run, when none can be installed
 */
export function findChromium(): string {
  const found = installed();
  if (found) return found;
  const playwright = join(
    dirname(createRequire(import.meta.url).resolve('playwright/package.json')),
    'cli.js',
  );
  const attempts: [string, [string, string[]][]][] = [
    ['Playwright', [[process.execPath, [playwright, 'install', 'chromium']]]],
  ];
  if (process.getuid?.() === 0) {
    const install = ['install', '-y', '-qq', '--no-install-recommends'];
    attempts.push([
      'apt',
      [
        ['apt-get', ['update', '-qq']],
        ['apt-get', [...install, 'chromium-headless-shell']],
        ['apt-get', [...install, 'chromium']],
      ],
    ]);
  }
  for (const [source, commands] of attempts) {
    console.log(`No Chromium here yet: trying to install it with ${source} …`);
    for (const [command, args] of commands) {
      spawnSync(command, args, {
        stdio: 'ignore',
        timeout: 240_000,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
      const now = installed();
      if (now) return now;
    }
  }
  throw new Error(
    'The browser tests need Chromium or Chrome, and none could be installed. Install one ' +
      '(Debian, Ubuntu: sudo apt-get install chromium; macOS: brew install --cask google-chrome), ' +
      'or set CHROME_PATH to its program file.',
  );
}

/** Features of Chromium that tests do not need. */
const switchedOff = [
  // Pages of the address bar: Chromium creates them for each context, which takes longer than most tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's own list, because a second switch replaces it (tests/boundaries/chromium.test.ts).
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

/**
 * Returns the switches for a Chromium that can run as root and shows no prompts.
 * @param off additional features to switch off
 */
export const chromiumArgs = (off: readonly string[] = []): string[] => [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${[...switchedOff, ...off].join()}`,
];
