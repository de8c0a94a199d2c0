import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { launch, type Browser } from 'puppeteer-core';
import { patienceMs } from '../../vitest.shared.ts';

const known = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  `${process.env.ProgramFiles ?? 'C:\\Program Files'}\\Mozilla Firefox\\firefox.exe`,
];

function installed(): string | undefined {
  const asked = process.env.FIREFOX_PATH;
  if (asked !== undefined) {
    if (existsSync(asked)) return asked;
    throw new Error('FIREFOX_PATH names a file that does not exist.');
  }
  return known.find((path) => existsSync(path));
}

/**
 * Finds a Firefox, or installs Debian's package.
 * @throws {Error} with the commands to run, when none can be installed
 */
export function findFirefox(): string {
  const found = installed();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('No Firefox here yet: trying to install firefox-esr with apt …');
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', 'firefox-esr'],
    ]) {
      spawnSync('apt-get', args, {
        stdio: 'ignore',
        timeout: 300_000,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    }
    const now = installed();
    if (now) return now;
  }
  throw new Error(
    'These tests need Firefox 128 or later, and there is none. Install it (Debian: sudo apt-get ' +
      'install firefox-esr; Ubuntu: sudo snap install firefox; macOS: brew install --cask firefox), ' +
      'or set FIREFOX_PATH to its program file.',
  );
}

/** Starts Firefox without a window, controlled by WebDriver BiDi. */
export function launchFirefox(executablePath: string): Promise<Browser> {
  return launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: patienceMs,
    defaultViewport: { width: 1280, height: 900 },
    extraPrefsFirefox: {
      // Firefox must send no request to Mozilla.
      'app.update.enabled': false,
      'browser.safebrowsing.malware.enabled': false,
      'browser.safebrowsing.phishing.enabled': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'intl.accept_languages': 'en-US',
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
    },
  });
}
