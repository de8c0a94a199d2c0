import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    globalSetup: ['src/facts/postgres.fixture.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
