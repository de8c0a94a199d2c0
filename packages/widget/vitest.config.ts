import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { launchOptions } from './chromium.config.ts';

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
          name: 'browser',
          testTimeout: 60_000,
          include: ['src/**/*.test.ts'],
          exclude: ['src/**/*.node.test.ts'],
          globalSetup: ['src/hosted-page.fixture.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            // Animations cause constant repaints, which take a fifth of the CPU time.
            provider: playwright({ launchOptions, contextOptions: { reducedMotion: 'reduce' } }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        test: {
          name: 'node',
          include: ['{src,states,frameworks,metadata}/**/*.node.test.ts'],
          globalSetup: ['src/built-widget.fixture.ts'],
          // Each test file starts Chromium or a compiler.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Polling ends when the condition holds. The default of one second is too short for a
          // page load.
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
