import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/secrecy-check.fixture.ts'],
    // To load the companion takes longer than most files run: they share what one has loaded.
    isolate: false,
    // Many of them start the command, on machines that do other things too.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A poll ends when its condition holds: a busy machine makes it slower, and does not fail it.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['src/postgres.fixture.ts'],
  },
});
