import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sha256 } from '../platform/digest.ts';
import { ContentError, unpackOldContent } from './content.ts';

const day = '2026-03-01';
const packed = (text: string, count: number) => ({
  day,
  left: 1,
  count,
  content: zstdCompressSync(Buffer.from(text)),
  sha256: sha256(text),
});

test('returns the text of a content of version 0.2.0', () => {
  const text = '{"a":"é"}\n{"a":2}\n';
  expect(unpackOldContent(packed(text, 2)).toString()).toBe(text);
  expect(unpackOldContent(packed('', 0)).toString()).toBe('');
});

test('rejects content above its limit', () => {
  const large = packed(`${'0'.repeat(5_000_000)}\n`, 1);
  expect(large.content.length).toBeLessThan(2_000);
  expect(() => unpackOldContent(large, { maxBytes: 5_000_000 })).toThrow(
    expect.objectContaining({ code: 'content-too-large' }),
  );
  expect(unpackOldContent(large, { maxBytes: 5_000_001 })).toHaveLength(5_000_001);
});

test('rejects truncated, different and missing content', () => {
  const good = packed('{"a":1}\n{"a":2}\n', 2);
  const damaged = [
    { ...good, content: good.content.subarray(0, -6) },
    { ...good, content: zstdCompressSync(Buffer.from('{"a":1}\n{"a":3}\n')) },
    { ...good, content: Buffer.from('none') },
    { ...good, content: new Uint8Array() },
    { ...good, count: 3 },
    { ...good, sha256: 'f'.repeat(64) },
  ];
  for (const content of damaged) {
    expect(() => unpackOldContent(content)).toThrow(ContentError);
    expect(() => unpackOldContent(content)).toThrow('is corrupt');
  }
});
