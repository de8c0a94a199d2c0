/*
 * The tokens that `npm start` writes: each program and person gets only the scopes that it needs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepSecrets } from '../../scripts/secrets.ts';

/** Returns the scopes of each name in a file of tokens. */
function scopesIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ').slice(0, 2) as [string, string]));
}

test('give the internet-facing shop no right to import, to rebuild or to move money', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { file } = keepSecrets(folder);
  expect(scopesIn(file.reconciliationTokens)).toEqual({
    finance: 'cases,sync,imports,rebuild',
    anna: 'cases,sync,imports,rebuild,periods,money',
    clara: 'periods',
    ben: 'read',
    'shop-admin': 'sync',
  });
  expect(scopesIn(file.tokens)).toMatchObject({ shop: 'links' });
});
