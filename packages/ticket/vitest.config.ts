import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Pure functions: files share what one has loaded.
    isolate: false,
    testTimeout: 30_000,
  },
});
