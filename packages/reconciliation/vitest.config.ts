import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Loading DuckDB and the program takes longer than running many test files, so files share
    // loaded modules.
    isolate: false,
    globalSetup: ['src/facts/postgres.fixture.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll ends as soon as its condition holds, so a long timeout only matters on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
