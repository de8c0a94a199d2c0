import { defineConfig } from 'vitest/config';

/** Waits up to a minute for each condition, so that a test does not fail on a busy machine. */
const patient = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'examples/shop',
      { test: { name: 'site', include: ['site/src/**/*.test.ts'], testTimeout: 120_000 } },
      {
        test: {
          name: 'boundaries',
          include: ['tests/boundaries/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/e2e/shared.ts'],
          // The files share a stack, and one test moves its clock.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'integrations',
          include: ['tests/integrations/pages.test.ts'],
          // Runs after e2e, because both start a browser.
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'merchant',
          include: ['tests/integrations/{engines,packed,resolvers}.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'reconciliation',
          include: ['tests/reconciliation/**/*.test.ts'],
          // Each test starts at least four programs.
          testTimeout: 300_000,
          fileParallelism: false,
          expect: patient,
        },
      },
      {
        test: {
          name: 'oracles',
          include: ['tests/oracles/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'pgbouncer',
          include: [
            'packages/{server,reconciliation}/src/{store,facts}/*.contract.test.ts',
            'packages/server/src/node/pgbouncer.test.ts',
          ],
          globalSetup: ['tests/pgbouncer/setup.ts'],
          testTimeout: 90_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'recipes',
          include: ['tests/recipes/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'upgrade',
          include: ['tests/upgrade/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 150_000,
        },
      },
    ],
  },
});
