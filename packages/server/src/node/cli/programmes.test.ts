import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileOf, programmeOf } from '../../programmes/programmes.fixture.ts';
import { runHere } from '../command.fixture.ts';

function check(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'programmes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'programmes.json');
  writeFileSync(file, text);
  return runHere(['programmes', 'check', file]);
}

test('prints each programme with its payments at the smallest and the largest amount', async () => {
  const { code, printed } = await check(
    fileOf(
      programmeOf('halden-0-24', { amount: { min: 89_000, max: 240_000 } }),
      programmeOf('quillmoor-12', {
        apr: '9.99',
        payments: { count: 12, period: 'Month', rounding: 'half-up' },
        amount: { min: 100_000, max: 100_000 },
        validUntil: '2027-01-31T23:59:59Z',
      }),
      programmeOf('pennowick-18', {
        productType: 'LeaseToOwn',
        apr: undefined,
        leaseCost: '45',
        payments: { count: 18, period: 'Month', rounding: 'down' },
        amount: { min: 89_000, max: 89_000 },
        texts: [{ id: 'lease', language: 'en', text: '{count} times {payment}. Total {total}.' }],
      }),
    ),
  );
  expect(code).toBe(0);
  expect(printed).toEqual([
    'programme     lender         APR %  lease cost %  payments       smallest       payment      largest       payment    total  texts  until',
    'halden-0-24   Halden & Wren      0                24 × Month   890.00 USD  37.08, 37.16  2400.00 USD        100.00  2400.00  en',
    'quillmoor-12  Halden & Wren   9.99                12 × Month  1000.00 USD  87.91, 87.94  1000.00 USD  87.91, 87.94  1054.95  en     2027-01-31T23:59:59Z',
    'pennowick-18  Halden & Wren                   45  18 × Month   890.00 USD  71.69, 71.77   890.00 USD  71.69, 71.77  1290.50  en',
  ]);
});

test('reports where an amount is too small for the number of payments', async () => {
  const { code, text } = await check(
    fileOf(programmeOf('tiny', { amount: { min: 10, max: 50_000 } })),
  );
  expect(code).toBe(0);
  expect(text).toContain('note: tiny has no 24 payments for 0.10 USD');
  expect(text).not.toContain('for 500.00 USD');
});

test('exits with 1 for an invalid file, and names the field without its value', async () => {
  const { code, text } = await check(fileOf(programmeOf('a', { apr: 'nine' })));
  expect(code).toBe(1);
  expect(text).toContain('programmes.0.apr must be a decimal');
  expect(text).not.toContain('nine');
});

test('exits with 1 for a missing file and without a file argument', async () => {
  expect(await runHere(['programmes', 'check', '/nowhere/programmes.json'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('The file cannot be read') as string,
  });
  expect((await runHere(['programmes', 'check'])).code).toBe(1);
});
