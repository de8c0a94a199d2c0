import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Real listeners and a real browser, on machines that do other things too.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
