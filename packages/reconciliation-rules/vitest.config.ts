import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Thousands of random orders, on machines that do other things too.
    testTimeout: 60_000,
  },
});
