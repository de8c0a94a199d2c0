import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // The code under test is pure, so test files can share loaded modules.
    isolate: false,
    testTimeout: 30_000,
    // A poll ends as soon as its condition holds, so a long timeout only matters on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
