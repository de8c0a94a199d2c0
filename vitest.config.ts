import { defineConfig } from 'vitest/config';
import { limits } from './vitest.shared.ts';

export default defineConfig({
  test: {
    // Inherited by the projects here, but not by those that have a configuration of their own.
    ...limits,
    projects: [
      'packages/*',
      'examples/shop',
      { test: { name: 'site', include: ['site/src/**/*.test.ts'] } },
      { test: { name: 'boundaries', include: ['tests/boundaries/**/*.test.ts'] } },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/e2e/shared.ts'],
          // The files share a stack, and one test moves its clock.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'integrations',
          include: ['tests/integrations/pages.test.ts'],
          // Runs after e2e, because both start a browser.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'merchant',
          include: ['tests/integrations/{engines,packed,resolvers,strangers}.test.ts'],
        },
      },
      {
        test: {
          name: 'reconciliation',
          include: ['tests/reconciliation/**/*.test.ts'],
          fileParallelism: false,
        },
      },
      { test: { name: 'oracles', include: ['tests/oracles/**/*.test.ts'] } },
      {
        test: {
          name: 'pgbouncer',
          include: [
            'packages/{server,reconciliation}/src/{store,facts}/*.contract.test.ts',
            'packages/server/src/node/pgbouncer.test.ts',
          ],
          globalSetup: ['tests/pgbouncer/setup.ts'],
        },
      },
      {
        test: {
          name: 'readme',
          include: ['tests/readme/**/*.test.ts'],
          testTimeout: 900_000,
        },
      },
      {
        test: {
          name: 'recipes',
          include: ['tests/recipes/**/*.test.ts'],
          testTimeout: 900_000,
        },
      },
      {
        test: {
          name: 'upgrade',
          include: ['tests/upgrade/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
