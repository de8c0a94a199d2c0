import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runKills } from './kills.ts';

// A small run of `npm run bench:reconciliation-kills`.
test('ends like an undisturbed run after kills during work and damage to its analytics file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-kills-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const { kills, ...rest } = await runKills({ folder, kills: 2, seed: 3, orders: 100, say });
  expect(rest, said.join('\n')).toMatchObject({
    lost: [],
    leaks: [],
    differences: [],
    trail: { valid: true },
  });
  expect(Object.values(kills).reduce((sum, count) => sum + count, 0)).toBe(2);
});
