import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/secrecy-check.fixture.ts'],
    // To load the companion takes longer than most files run: they share what one has loaded.
    isolate: false,
    // Many of them start the command, on machines that do other things too.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A condition that holds is not waited for; one second is short for a process to start.
    expect: { poll: { timeout: 10_000 } },
    globalSetup: ['src/postgres.fixture.ts'],
  },
});
