import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/secrecy.fixture.ts'],
    // Many of them start the command, on machines that do other things too.
    testTimeout: 30_000,
    globalSetup: ['src/postgres.fixture.ts'],
  },
});
