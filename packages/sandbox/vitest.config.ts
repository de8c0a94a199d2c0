import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,tests}/**/*.test.ts'],
    // To load the sandbox takes longer than most files run: they share what one has loaded.
    isolate: false,
    // Real listeners and a real browser, on machines that do other things too.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A condition that holds is not waited for; one second is short for what a timer or a page does.
    expect: { poll: { timeout: 10_000 } },
  },
});
