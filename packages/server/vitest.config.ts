import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Needs PgBouncer: `npm run test:pgbouncer`.
    exclude: ['src/node/pgbouncer.test.ts'],
    setupFiles: ['src/secrecy-check.fixture.ts'],
    // Loading the companion takes longer than running most test files, so files share loaded
    // modules.
    isolate: false,
    // Many tests spawn the command, on machines that may be busy.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A poll ends as soon as its condition holds, so a long timeout only matters on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['src/postgres.fixture.ts'],
  },
});
