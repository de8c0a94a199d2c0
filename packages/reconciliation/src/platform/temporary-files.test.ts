import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { TemporaryFiles } from './temporary-files.ts';

test('removes the files of a crashed process, and closes an open folder to others', async () => {
  const folder = join(temporaryFolder(), 'pages');
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, 'import-1.raw'), 'A-1,5', { mode: 0o600 });
  writeFileSync(join(folder, 'import-1.ndjson'), '{}', { mode: 0o600 });
  const files = await TemporaryFiles.open(folder);
  expect(readdirSync(folder)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const path = await files.write('page', 'x');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await files.close();
});
