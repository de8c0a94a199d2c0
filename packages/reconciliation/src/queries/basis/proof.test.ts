import { expect, test } from 'vitest';
import { proofOf } from './proof.ts';

const now = Date.UTC(2026, 2, 10, 12);
const midnight = Date.UTC(2026, 2, 10);

test('proves days of an unknown zone by a read two days later', () => {
  const day = { state: 'complete' as const, zone: 'Mars/Phobos' };
  const read = { ...day, day: '2026-03-08', provenAt: Date.UTC(2026, 2, 10) };
  const unclear = { ...day, day: '2026-03-09', provenAt: Date.UTC(2026, 2, 10, 11) };
  const proof = proofOf([read, unclear], undefined, { now, midnight });
  expect(proof).toEqual({ complete: false, unprovenDays: 2 });
});
