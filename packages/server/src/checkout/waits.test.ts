import { expect, test } from 'vitest';
import { lookDelay, waitsFor } from './waits.ts';

test('a wait is whole milliseconds, whatever the deadline: PostgreSQL holds no others', () => {
  for (const deadlineMs of [500, 1_234, 7_501, 10_000, 59_999]) {
    const waits = waitsFor(deadlineMs);
    const delays = Array.from({ length: 12 }, (_, tries) => lookDelay(waits, tries));
    for (const wait of [...Object.values({ ...waits }), ...delays]) expect(wait % 1).toBe(0);
  }
});
