import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // To load DuckDB and the program takes longer than many files run: they share what one has loaded.
    isolate: false,
    globalSetup: ['src/facts/postgres.fixture.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll ends when its condition holds: a busy machine makes it slower, and does not fail it.
    expect: { poll: { timeout: 30_000 } },
  },
});
