import { defineConfig } from 'vitest/config';
import { limits } from '../../vitest.shared.ts';

export default defineConfig({
  test: {
    ...limits,
    include: ['{src,tests}/**/*.test.ts'],
    // Loading the sandbox takes longer than running most test files, so files share loaded modules.
    isolate: false,
  },
});
