import { existsSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { limits } from '../../vitest.shared.ts';

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
    ...limits,
    // Most conditions hold in the next frame.
    expect: { poll: { ...limits.expect.poll, interval: 10 } },
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
