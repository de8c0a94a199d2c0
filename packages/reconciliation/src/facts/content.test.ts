import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../platform/digest.ts';
import { ContentError, packRecords, packText, unpackRecords, unpackText } from './content.ts';

test('packs content as zstd-compressed NDJSON, with hash and line count', () => {
  const packed = packRecords([{ a: 'x\ny' }, { a: 2 }]);
  const text = '{"a":"x\\ny"}\n{"a":2}\n';
  expect(zstdDecompressSync(packed.content).toString()).toBe(text);
  expect(packed).toMatchObject({ sha256: sha256(text), count: 2 });
  expect(packText(Buffer.from(text))).toEqual(packed);
});

test('packs a day without records', () => {
  const packed = packRecords([]);
  expect(packed.count).toBe(0);
  expect([...unpackRecords(packed)]).toEqual([]);
});

test('property: returns records unchanged', () => {
  const records = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.string()));
  fc.assert(
    fc.property(records, (all) => {
      const plain: unknown = JSON.parse(JSON.stringify(all));
      expect([...unpackRecords(packRecords(all))]).toEqual(plain);
    }),
    { numRuns: 30 },
  );
});

test('preserves the order of more records than fit into one write', () => {
  const records = Array.from({ length: 2_345 }, (_, index) => ({ index }));
  expect([...unpackRecords(packRecords(records))]).toEqual(records);
});

test('rejects content above its limit', () => {
  const packed = packText(Buffer.from(`${'0'.repeat(5_000_000)}\n`));
  expect(packed.content.length).toBeLessThan(2_000);
  expect(() => unpackText(packed, { maxBytes: 5_000_000 })).toThrow(
    expect.objectContaining({ code: 'content-too-large' }),
  );
  expect(unpackText(packed, { maxBytes: 5_000_001 })).toHaveLength(5_000_001);
});

test('rejects truncated, different and missing content', () => {
  const packed = packRecords([{ a: 1 }, { a: 2 }]);
  const damaged = [
    { ...packed, content: packed.content.subarray(0, -6) },
    { ...packed, content: zstdCompressSync(Buffer.from('{"a":1}\n{"a":3}\n')) },
    { ...packed, content: Buffer.from('none') },
    { ...packed, content: new Uint8Array() },
    { ...packed, count: 3 },
    { ...packed, sha256: 'f'.repeat(64) },
  ];
  for (const content of damaged) {
    expect(() => unpackText(content)).toThrow(ContentError);
    expect(() => unpackText(content)).toThrow('is corrupt');
  }
});

test('does not pack a text without a final line feed', () => {
  expect(() => packText(Buffer.from('{"a":1}\n{"a"'))).toThrow(RangeError);
});
