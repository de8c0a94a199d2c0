import { existsSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

/** The system's browser, or the one that Playwright installs. */
const executablePath = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path !== undefined && existsSync(path));

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/shared-page.fixture.ts'],
    // Loading a page and its modules takes longer than running most test files, so files share them.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll ends as soon as its condition holds, mostly in the next frame, so a long timeout only
    // matters on a busy machine.
    expect: { poll: { interval: 10, timeout: 60_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...(executablePath && { executablePath }),
          args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
