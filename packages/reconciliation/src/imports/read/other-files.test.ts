import { fileKindAdvice, type UnreadableKind } from '@financing-checkout/contract/plain';
import { expect, test } from 'vitest';
import { openLedger } from '../keep/ledger.fixture.ts';
import { previewLedger } from '../guess/preview.ts';

const options = { units: 'major' } as const;
const files: [UnreadableKind, string][] = [
  ['archive', `PK\x03\x04${'\0'.repeat(26)}november.csv`],
  ['document', '%PDF-1.7\n'],
  ['html', '<html><table><tr><td>merchantOrderId</td></tr></table></html>'],
  ['mt940', ':20:STARTUMS\r\n:25:12345678/0123456789\r\n'],
  ['ofx', 'OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX>'],
  ['qif', '!Type:Bank\nD2/3/26\nT-30.00\n^\n'],
];

test.each(files)('gives advice for a file of type %s', async (kind, file) => {
  const { run } = await openLedger();
  expect(await run(file, options)).toMatchObject({
    applied: false,
    errors: [{ code: 'file-unreadable', message: fileKindAdvice[kind] }],
  });
  await expect(previewLedger(new TextEncoder().encode(file), options)).rejects.toThrow(
    fileKindAdvice[kind],
  );
});

test('recognizes an .xls file, which is not text', async () => {
  const { run } = await openLedger();
  const file = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0);
  expect(await run(file, options)).toMatchObject({ errors: [{ message: fileKindAdvice.xls }] });
  await expect(previewLedger(file, options)).rejects.toThrow(fileKindAdvice.xls);
});
