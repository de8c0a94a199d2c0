import { defineConfig } from 'vitest/config';
import { limits } from '../../vitest.shared.ts';

export default defineConfig({
  test: {
    ...limits,
    include: ['src/**/*.test.ts'],
    // The code under test is pure, so test files can share loaded modules.
    isolate: false,
  },
});
