import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Real builds of four bundlers and a slow hash, on machines that do other things too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
