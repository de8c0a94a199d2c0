import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { limits, patienceMs } from '../../vitest.shared.ts';
import { launchOptions } from './chromium.config.ts';

/** Files that need a page of their own; each one says why. */
const alone = ['src/development/amounts.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: {
          alias: {
            // @open-wc/testing imports it for another test runner.
            '@web/test-runner-commands': fileURLToPath(
              new URL('src/runner-commands.fixture.ts', import.meta.url),
            ),
          },
        },
        test: {
          ...limits,
          name: 'browser',
          include: ['src/**/*.test.ts'],
          globalSetup: ['src/hosted-page.fixture.ts'],
          // Loading the page and its modules takes longer than running most test files, so files
          // share a page.
          isolate: false,
          setupFiles: ['src/setup.fixture.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions,
              // Animations cause constant repaints, which take a fifth of the CPU time.
              contextOptions: { reducedMotion: 'reduce' },
              actionTimeout: patienceMs,
            }),
            instances: [
              { browser: 'chromium', exclude: ['src/**/*.node.test.ts', ...alone] },
              {
                browser: 'chromium',
                name: '@financing-checkout/widget (browser) (own page)',
                include: alone,
                isolate: true,
              },
            ],
          },
        },
      },
      {
        test: {
          ...limits,
          name: 'node',
          include: ['{src,frameworks,metadata}/**/*.node.test.ts'],
          globalSetup: ['src/built-widget.fixture.ts'],
        },
      },
    ],
  },
});
