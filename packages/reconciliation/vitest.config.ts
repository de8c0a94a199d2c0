import { defineConfig } from 'vitest/config';
import { limits } from '../../vitest.shared.ts';

export default defineConfig({
  test: {
    ...limits,
    include: ['src/**/*.test.ts'],
    // Loading DuckDB and the program takes longer than running many test files, so files share
    // loaded modules.
    isolate: false,
    globalSetup: ['src/facts/postgres.fixture.ts'],
  },
});
