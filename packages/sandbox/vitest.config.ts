import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,tests}/**/*.test.ts'],
    // Loading the sandbox takes longer than running most test files, so files share loaded modules.
    isolate: false,
    // Tests use real listeners and a real browser, on machines that may be busy.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A poll ends as soon as its condition holds, so a long timeout only matters on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
