/* Golden files: UPDATE_JOURNALS=1 npx vitest run --project @financing-checkout/reconciliation golden */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { journalFormats } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { write } from './journal.fixture.ts';

const folder = join(import.meta.dirname, '../../../../../tests/reconciliation/journals');

test.each(journalFormats)('writes the files of %s byte for byte', async (name) => {
  const { files, refusals } = await write(name);
  expect(refusals).toEqual([]);
  const own = join(folder, name);
  if (process.env.UPDATE_JOURNALS === '1') {
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own, { recursive: true });
    for (const file of files) writeFileSync(join(own, file.name), file.content);
  }
  expect(files.map((file) => file.name).toSorted()).toEqual(readdirSync(own).toSorted());
  for (const file of files) {
    expect(Buffer.from(file.content).equals(readFileSync(join(own, file.name))), file.name).toBe(
      true,
    );
  }
});
