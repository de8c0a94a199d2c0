import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // To load DuckDB and the program takes longer than many files run: they share what one has loaded.
    isolate: false,
    globalSetup: ['src/facts/postgres.fixture.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
