import { defineConfig } from 'vitest/config';
import { limits } from '../../vitest.shared.ts';

export default defineConfig({
  test: {
    ...limits,
    include: ['{src,tests}/**/*.test.ts'],
    // Needs PgBouncer: `npm run test:pgbouncer`.
    exclude: ['src/node/pgbouncer.test.ts'],
    setupFiles: ['src/secrecy-check.fixture.ts'],
    // Loading the companion takes longer than running most test files, so files share loaded
    // modules.
    isolate: false,
    globalSetup: ['src/postgres.fixture.ts'],
  },
});
