import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // The code under test is pure, so test files can share loaded modules.
    isolate: false,
    testTimeout: 30_000,
  },
});
