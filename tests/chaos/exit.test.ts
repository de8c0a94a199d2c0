import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';

test.each([0, 1])('a benchmark with PostgreSQL exits with its own code: %i', (code) => {
  const bench = `await import(${JSON.stringify(join(root, 'bench/postgres.ts'))}); process.exitCode = ${code};`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', bench]);
  expect(status).toBe(code);
});
