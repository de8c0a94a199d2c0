import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runKills } from './kills.ts';

// A smaller run of `npm run bench:reconciliation-kills`.
test('a program that is killed in all its work, and its analytics file spoiled, ends as an undisturbed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-kills-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const { kills, ...rest } = await runKills({ folder, kills: 4, seed: 3, orders: 150, say });
  expect(rest, said.join('\n')).toMatchObject({
    ...{ lost: [], leaks: [], differences: [], trail: { valid: true } },
  });
  expect(Object.values(kills).reduce((sum, count) => sum + count, 0)).toBe(4);
});
