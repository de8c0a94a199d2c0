import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Tests run real builds of four bundlers and a slow hash, on machines that may be busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
