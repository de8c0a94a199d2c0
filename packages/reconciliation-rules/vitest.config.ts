import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // The functions are pure, so test files can share loaded modules.
    isolate: false,
    // Property tests run thousands of random orders, on machines that may be busy.
    testTimeout: 60_000,
  },
});
